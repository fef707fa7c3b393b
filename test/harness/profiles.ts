/** Random profiles of models, and what of a written request such a model would refuse: read from the profile alone. */

import { thinksWhenAsked } from '../../src/conversation/fit/thinking.ts';
import { isObject, type Tree } from '../../src/conversation/json-tree.ts';
import type { Effort, ModelProfile, Taking, ThinkingRule } from '../../src/conversation/model-profile.ts';
import type { ParameterName } from '../../src/conversation/parameters.ts';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import { formats } from '../../src/formats/all.ts';
import type { FormatName } from '../../src/formats/format.ts';
import type { Random } from './random.ts';

const droppable: readonly ParameterName[] = [
  'temperature',
  'topP',
  'topK',
  'stop',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'logprobs',
  'parallelToolCalls',
  'verbosity',
];

export function randomProfile(random: Random, format: FormatName): ModelProfile {
  const maybe = <Value>(probability: number, make: () => Value): Value | undefined =>
    random.chance(probability) ? make() : undefined;
  const taking = (): Taking | undefined => maybe(0.6, () => random.pick(['taken', 'refused'] as const));
  const fields = {
    refuses: maybe(0.6, () => [
      ...random.some(droppable),
      ...random.some(['jsonOutput', 'schemaOutput', 'toolChoice', 'thinking'] as const),
    ]),
    refusesWhileThinking: maybe(0.3, () => random.some(droppable)),
    thinking: maybe(0.7, () => randomRule(random, format)),
    outputTokensMax: maybe(0.5, () => random.pick([1_500, 4_096, 16_384, 128_000])),
    temperatureMax: maybe(0.3, () => 1),
    stopsMax: maybe(0.3, () => 1),
    laterInstructions: taking(),
    developerRole: taking(),
    forcedTools: maybe(0.2, () => 'refused' as const),
    textLists: taking(),
    allowedTools: taking(),
    userId: maybe(0.4, () =>
      random.pick([
        { charactersMax: 64 },
        { charactersMin: 6, charactersMax: 128 },
        { pattern: '^[a-zA-Z0-9_-]+$', charactersMax: 512 },
      ]),
    ),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ModelProfile;
}

/** Some formats give the amount of thinking in tokens only, others in tokens or levels. */
function randomRule(random: Random, format: FormatName): ThinkingRule {
  const efforts = random.pick<readonly Effort[]>([
    ['low', 'high'],
    ['low', 'medium', 'high', 'max'],
    ['minimal', 'low', 'medium', 'high'],
    ['none', 'low', 'medium', 'high', 'xhigh'],
  ]);
  const amounts = efforts.filter((effort) => effort !== 'none');
  const byDefault = random.pick(['on', 'off'] as const);
  const canBeOff = random.chance();
  const inTokens: readonly ThinkingRule[] = [
    { kind: 'never' },
    { kind: 'always' },
    { kind: 'budget', tokensMin: 1_024, canBeOff: true, byDefault },
    { kind: 'budget', tokensMin: 1_024, tokensMax: 24_576, canBeOff, dynamic: random.chance(), byDefault },
  ];
  const inLevels: readonly ThinkingRule[] = [{ kind: 'effort', efforts, byDefault: random.pick(efforts) }];
  const others: readonly ThinkingRule[] = [
    { kind: 'switch', byDefault },
    { kind: 'adaptive', efforts: amounts, canBeOff, byDefault },
    { kind: 'adaptive', efforts: amounts, canBeOff, budgets: { tokensMin: 1_024 } },
  ];
  if (format === 'cohere-chat') return random.pick(inTokens);
  return random.pick([...inTokens, ...inLevels, ...(format === 'gemini-generate' ? [] : others)]);
}

/** `read` is the body as its provider reads it. */
export function brokenRules(name: FormatName, profile: ModelProfile, body: Tree, read: TextRequest): string[] {
  return [
    ...(profile.refuses ?? []).filter((parameter) => says(read, parameter, profile)).map((one) => `says ${one}`),
    ...(name === 'openai-completions' ? [] : brokenWhileThinking(profile, read)),
    ...brokenAmounts(profile, read),
    ...brokenThinking(name, profile, read),
    ...brokenChoice(name, profile, read),
    ...brokenId(name, profile, read),
    ...brokenTurns(name, profile, body),
  ];
}

function says(read: TextRequest, parameter: ParameterName, profile: ModelProfile): boolean {
  switch (parameter) {
    case 'stop':
      return read.stop.length > 0;
    case 'jsonOutput':
      return read.output.kind === 'json';
    case 'schemaOutput':
      return read.output.kind === 'json-schema';
    case 'toolChoice':
      return read.toolChoice.kind !== 'auto';
    case 'thinking':
      return profile.thinking === undefined && read.thinking !== undefined;
    case 'tools':
    case 'maxOutputTokens':
      return false;
    default:
      return read[parameter] !== undefined;
  }
}

function brokenWhileThinking(profile: ModelProfile, read: TextRequest): string[] {
  if (!thinksWhenAsked(read.thinking, profile.thinking)) return [];
  const said = (profile.refusesWhileThinking ?? []).filter((parameter) => says(read, parameter, profile));
  return said.map((one) => `says ${one} while it thinks`);
}

function brokenAmounts(profile: ModelProfile, read: TextRequest): string[] {
  const { outputTokensMax = Number.POSITIVE_INFINITY, temperatureMax = 2, stopsMax = 99 } = profile;
  return [
    ...((read.maxOutputTokens ?? 0) > outputTokensMax ? ['limit is too large'] : []),
    ...((read.temperature ?? 0) > temperatureMax ? ['temperature is too high'] : []),
    ...(read.stop.length > stopsMax ? ['too many stops'] : []),
  ];
}

/** Formats with efforts only write every rule as an effort, which is what is checked there. */
function brokenThinking(name: FormatName, profile: ModelProfile, read: TextRequest): string[] {
  const { thinking: rule } = profile;
  const { mode, effort, budgetTokens } = read.thinking ?? {};
  if (rule === undefined || name === 'openai-completions') return [];
  const inTokens = name === 'anthropic-messages' || name === 'gemini-generate' || name === 'cohere-chat';
  const isAsked = mode !== undefined || effort !== undefined || budgetTokens !== undefined;
  const isOff = mode === 'off' || effort === 'none';
  const broken: string[] = [];
  if ((rule.kind === 'never' || rule.kind === 'always') && isAsked) broken.push(`asks ${rule.kind} to think`);
  const canBeOff = rule.kind === 'effort' ? rule.efforts.includes('none') : 'canBeOff' in rule ? rule.canBeOff : true;
  if (isOff && !canBeOff) broken.push('turns thinking off');
  if ((rule.kind === 'effort' || rule.kind === 'adaptive') && effort !== undefined && !isOff) {
    const isByBudget = rule.kind === 'adaptive' && rule.budgets !== undefined && !inTokens;
    if (!isByBudget && !(rule.efforts as readonly string[]).includes(effort)) broken.push(`effort ${effort}`);
  }
  if (!inTokens) return broken;
  const budgets = rule.kind === 'budget' ? rule : rule.kind === 'adaptive' ? rule.budgets : undefined;
  if (budgetTokens !== undefined && budgets === undefined && rule.kind !== 'switch' && name === 'anthropic-messages') {
    broken.push('has a budget');
  }
  if (rule.kind === 'budget' && mode === 'adaptive' && rule.dynamic !== true) broken.push('is left to choose');
  if (budgetTokens !== undefined && budgets !== undefined) {
    const { tokensMin, tokensMax = Number.POSITIVE_INFINITY } = budgets;
    if (budgetTokens < tokensMin || budgetTokens > tokensMax) broken.push(`budget ${budgetTokens}`);
    const limit = read.maxOutputTokens ?? Number.POSITIVE_INFINITY;
    if (budgetTokens >= limit && tokensMin < limit) broken.push(`budget ${budgetTokens} of ${limit}`);
  }
  return broken;
}

function isCopied(name: FormatName): boolean {
  return formats[name].codec.rules.copied === true;
}

function brokenChoice(name: FormatName, { allowedTools, forcedTools }: ModelProfile, read: TextRequest): string[] {
  const { toolChoice } = read;
  const isListed = allowedTools === 'taken' || (allowedTools === undefined && !isCopied(name));
  const isForced =
    toolChoice.kind === 'required' ||
    toolChoice.kind === 'tool' ||
    (toolChoice.kind === 'allowed' && toolChoice.required);
  return [
    ...(toolChoice.kind === 'allowed' && !isListed ? ['a list of allowed tools'] : []),
    ...(isForced && forcedTools === 'refused' ? ['a demanded call'] : []),
  ];
}

function brokenId(name: FormatName, profile: ModelProfile, { user }: TextRequest): string[] {
  if (user === undefined) return [];
  const { userIdCharactersMax } = formats[name].codec.rules;
  const {
    charactersMin = 0,
    charactersMax = 9_999,
    pattern = '',
  } = profile.userId ?? {
    charactersMax: userIdCharactersMax ?? 9_999,
  };
  const fits = user.length >= charactersMin && user.length <= charactersMax && new RegExp(pattern).test(user);
  return fits ? [] : [`user ${user}`];
}

function brokenTurns(name: FormatName, profile: ModelProfile, body: Tree): string[] {
  if (!isCopied(name)) return [];
  const turns = ((body.messages ?? body.input) as readonly Tree[]).filter(isObject);
  const roles = turns.map(({ role, type }) => role ?? type);
  const isInstruction = (role: unknown) => role === 'system' || role === 'developer';
  const broken: string[] = [];
  if (profile.developerRole !== 'taken' && roles.includes('developer')) broken.push('a developer turn');
  if (profile.laterInstructions !== 'taken') {
    const count = roles.filter(isInstruction).length + (body.instructions === undefined ? 0 : 1);
    if (count > 1 || roles.slice(1).some(isInstruction)) broken.push(`instructions: ${roles.join(' ')}`);
    const isNext = (role: unknown, index: number) => role === 'user' && roles[index - 1] === 'user';
    if (name === 'openai-chat' && roles.some(isNext)) broken.push('adjacent users');
  }
  const isTexts = ({ content }: Tree) =>
    Array.isArray(content) && content.every((part) => isObject(part) && part.type === 'text');
  if (name === 'openai-chat' && profile.textLists !== 'taken' && turns.some(isTexts)) broken.push('a list of texts');
  return broken;
}
