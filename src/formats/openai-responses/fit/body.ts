/** What a model refuses of a responses body that stays one. */

import { anyJson, reportWords, wordsFor } from '../../../conversation/fit/output.ts';
import { thinksWhenAsked } from '../../../conversation/fit/thinking.ts';
import { refused, refusedWhileThinking } from '../../../conversation/fit-model.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile, ThinkingRule } from '../../../conversation/model-profile.ts';
import type { ParameterName } from '../../../conversation/parameters.ts';
import { BodyChanges } from '../../body-changes.ts';
import { effortFits, fittingEffort, ruleIn } from '../../fit-effort.ts';
import {
  fitParameters,
  holdsUnfit,
  isGiven,
  leaveOutChoice,
  type ParameterFields,
  refusesChoice,
  refusesShapes,
  reportForced,
} from '../../fit-parameters.ts';
import { fitUserFields, holdsUnfitUser } from '../../fit-user.ts';
import type { ExactFields, Fitting, HostFacts } from '../../format.ts';
import { readOutput, readThinking } from '../read/request.ts';
import { DeclaredTools, readToolChoice } from '../read/tools.ts';
import { list, sealedThinking, text, tokenLogprobs } from '../wire.ts';
import { idleThinking, leaveOutThinking } from './idle-thinking.ts';
import { fitInput, holdsUnfitInput } from './input.ts';

const parameterFields: ParameterFields = {
  temperature: ['temperature'],
  topP: ['top_p'],
  maxOutputTokens: ['max_output_tokens'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  logprobs: ['top_logprobs'],
  parallelToolCalls: ['parallel_tool_calls'],
};

export function fit(
  tree: Tree,
  profile: ModelProfile,
  exact?: ExactFields,
  { looksUpIds }: HostFacts = { looksUpIds: false },
): Fitting | undefined {
  const idle = idleThinking(tree, looksUpIds);
  if (idle === undefined && !mayBeUnfit(tree, profile)) return undefined;
  const changes = new BodyChanges(tree, exact);
  const rule = ruleIn(profile);
  if (rule !== undefined) fitReasoning(tree, rule, changes);
  const thinks = thinksWhenAsked(readThinking(changes.get('reasoning')), rule);
  fitParameters(changes, parameterFields, profile, thinks, changes.losses);
  leaveOutInside(tree, profile.refuses, refused, changes);
  if (thinks) leaveOutInside(tree, profile.refusesWhileThinking, refusedWhileThinking, changes);
  if (profile.userId !== undefined) fitUserFields(tree, profile.userId, changes);
  if (refusesShapes(profile) && isObject(tree['text'])) fitShape(tree, profile, changes);
  if (idle !== undefined) leaveOutThinking(idle, changes);
  const said = changes.made.size > 0 ? changes.appliedTo(tree) : tree;
  if (holdsUnfitInput(said, profile)) fitInput(said, profile, changes);
  if (profile.allowedTools === 'refused' || refusesChoice(profile)) fitAllowed(tree, changes);
  if (refusesChoice(profile)) leaveOutChoice(changes, changes.losses);
  if (profile.forcedTools === 'refused' && isForced(changes.get('tool_choice'))) {
    changes.set('tool_choice', unforced(changes.get('tool_choice')));
    reportForced(changes.losses);
  }
  return changes.fitting;
}

/** Reads only: nearly every request fits. */
function mayBeUnfit(tree: Tree, profile: ModelProfile): boolean {
  if (holdsUnfit(tree, parameterFields, profile)) return true;
  const { refuses, refusesWhileThinking } = profile;
  const rule = ruleIn(profile);
  if (rule !== undefined && asksUnfit(tree, rule)) return true;
  if (holdsInside(tree, refuses) || holdsInside(tree, refusesWhileThinking)) return true;
  if (profile.userId !== undefined && holdsUnfitUser(tree, profile.userId)) return true;
  if (refusesShapes(profile) && isObject(tree['text']) && isObject(tree['text']['format'])) return true;
  if (refusesChoice(profile) && isGiven(tree['tool_choice'])) return true;
  if (profile.allowedTools === 'refused' && isObject(tree['tool_choice'])) return true;
  if (profile.forcedTools === 'refused' && isForced(tree['tool_choice'])) return true;
  return holdsUnfitInput(tree, profile);
}

function asksUnfit({ reasoning, include }: Tree, rule: ThinkingRule): boolean {
  if (rule.kind === 'never') return isObject(reasoning) || list(include).includes(sealedThinking);
  const effort = isObject(reasoning) ? reasoning['effort'] : undefined;
  return typeof effort === 'string' && !effortFits(effort, rule);
}

function holdsInside({ text: shape, include }: Tree, parameters: readonly ParameterName[] | undefined): boolean {
  if (parameters === undefined) return false;
  if (isObject(shape) && isGiven(shape['verbosity']) && parameters.includes('verbosity')) return true;
  return Array.isArray(include) && include.includes(tokenLogprobs) && parameters.includes('logprobs');
}

/** A model that does not think seals no thinking either. */
function fitReasoning(tree: Tree, rule: ThinkingRule, changes: BodyChanges): void {
  if (rule.kind === 'never') leaveOutInclude(tree, sealedThinking, changes);
  const { reasoning } = tree;
  if (!isObject(reasoning)) return;
  const effort = text(reasoning['effort']);
  const fitting = effort === undefined ? undefined : fittingEffort(effort, rule, changes.losses);
  if (rule.kind === 'never') {
    const isSaid = Object.values(reasoning).some(isGiven);
    if (effort === undefined && isSaid) changes.losses.addOnce('thinking', 'is not supported by the model');
    if (isSaid) changes.remove('reasoning');
  } else if (fitting !== effort) {
    const { effort: _, ...rest } = reasoning;
    const fitted = fitting === undefined ? rest : { ...rest, effort: fitting };
    if (Object.keys(fitted).length === 0) changes.remove('reasoning');
    else changes.set('reasoning', fitted);
  }
}

/** The two parameters that are inside other fields. */
function leaveOutInside(
  tree: Tree,
  parameters: readonly ParameterName[] | undefined,
  why: string,
  changes: BodyChanges,
): void {
  if (parameters?.includes('logprobs') === true && leaveOutInclude(tree, tokenLogprobs, changes)) {
    changes.losses.addOnce('logprobs', why);
  }
  const shape = tree['text'];
  if (parameters?.includes('verbosity') !== true || !isObject(shape) || !isGiven(shape['verbosity'])) return;
  const { verbosity, ...rest } = changes.exactly('text') as Record<string, unknown>;
  if (verbosity !== 'medium') changes.losses.add('verbosity', why);
  if (Object.keys(rest).length === 0) changes.remove('text');
  else changes.set('text', rest);
}

function leaveOutInclude(tree: Tree, name: string, changes: BodyChanges): boolean {
  if (!list(tree['include']).includes(name)) return false;
  const rest = list(changes.get('include')).filter((one) => one !== name);
  if (rest.length === 0) changes.remove('include');
  else changes.set('include', rest);
  return true;
}

/** What has to be put into the prompt; undefined where the model supports the shape. */
function wordsOf({ text: shape }: Tree, { refuses }: ModelProfile): string | undefined {
  if (refuses === undefined || !isObject(shape)) return undefined;
  const output = readOutput(shape, new LossList());
  if (output.kind === 'json') return refuses.includes('jsonOutput') ? anyJson : undefined;
  if (output.kind !== 'json-schema' || !refuses.includes('schemaOutput')) return undefined;
  return wordsFor(output.schema, output.description);
}

function fitShape(tree: Tree, profile: ModelProfile, changes: BodyChanges): void {
  const words = wordsOf(tree, profile);
  if (words === undefined) return;
  const { format: _, ...rest } = (changes.get('text') ?? {}) as Record<string, unknown>;
  const takesJson = profile.refuses?.includes('jsonOutput') !== true;
  const shape = takesJson ? { ...rest, format: { type: 'json_object' } } : rest;
  if (Object.keys(shape).length === 0) changes.remove('text');
  else changes.set('text', shape);
  reportWords(words === anyJson ? 'JSON mode' : 'output schema', changes.losses);
  const before = changes.get('instructions');
  const isSaid = typeof before === 'string' && before !== '';
  changes.set('instructions', isSaid ? `${before}\n\n${words}` : words);
}

function isForced(choice: unknown): boolean {
  if (!isObject(choice)) return choice === 'required';
  return choice['type'] !== 'allowed_tools' || choice['mode'] === 'required';
}

/** A choice among some tools stays one. */
function unforced(choice: unknown): unknown {
  return isObject(choice) && choice['type'] === 'allowed_tools' ? { ...choice, mode: 'auto' } : 'auto';
}

/** A choice among some of the tools is the same as to declare those only. */
function fitAllowed(tree: Tree, changes: BodyChanges): void {
  const losses = new LossList();
  const { choice, native } = readToolChoice(tree['tool_choice'], new DeclaredTools(tree, losses), losses);
  if (choice.kind !== 'allowed' || native !== undefined) return;
  changes.set('tool_choice', choice.required ? 'required' : 'auto');
  const tools = changes.exactly('tools');
  if (!Array.isArray(tools)) return;
  const isAllowed = (tool: unknown): boolean =>
    isObject(tool) && typeof tool['name'] === 'string' && choice.names.includes(tool['name']);
  if (!tools.every(isAllowed)) changes.set('tools', tools.filter(isAllowed));
}
