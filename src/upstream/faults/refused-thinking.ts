/**
 * Sentences by which providers refuse a form of requesting thinking, and the form that they accept instead.
 *
 * Live texts, all read 2026-11-15: https://github.com/zhukunpenglinyutong/jetbrains-cc-gui/issues/1003 (enabled),
 * https://github.com/lidge-jun/opencodex/issues/65 (adaptive, effort), https://github.com/RooCodeInc/Roo-Code/issues/10700 and
 * https://github.com/immersive-translate/immersive-translate/issues/2976 (content-generation wire),
 * https://github.com/earendil-works/pi/issues/1745 (a list of values).
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { type Effort, effortWords, type ThinkingRule } from '../../conversation/model-profile.ts';
import type { Lesson } from './lesson.ts';
import { namesOf, saidUnder } from './refused-parameters.ts';

/** The known limits of models with a budget, for refusals that only say that a budget is required. */
const budgetRule: ThinkingRule = { kind: 'budget', tokensMin: 1_024, canBeOff: true, byDefault: 'off' };
const levelRule: ThinkingRule = {
  kind: 'budget',
  tokensMin: 512,
  tokensMax: 24_576,
  canBeOff: false,
  dynamic: true,
  byDefault: 'on',
};
const adaptiveRule: ThinkingRule = { kind: 'adaptive', efforts: ['low', 'medium', 'high'], canBeOff: true };

interface Row {
  readonly says: RegExp;
  readonly rule: ThinkingRule;
  readonly holds: (sent: Tree) => boolean;
}

const rows: readonly Row[] = [
  { says: /^(?:thinking: )?adaptive thinking is not supported\b/i, rule: budgetRule, holds: thinksAs('adaptive') },
  {
    says: /^(?:this|the) model does not support the effort parameter\b/i,
    rule: budgetRule,
    holds: (sent) => isObject(sent['output_config']) && typeof sent['output_config']['effort'] === 'string',
  },
  {
    says: /^["'`]?thinking\.type\.enabled["'`]? is not supported for this model\. use ["'`]?thinking\.type\.adaptive\b/i,
    rule: adaptiveRule,
    holds: thinksAs('enabled'),
  },
  {
    says: /^["'`]?thinking\.type\.disabled["'`]? is not supported for this model\b/i,
    rule: { kind: 'adaptive', efforts: ['low', 'medium', 'high'], canBeOff: false, byDefault: 'on' },
    holds: thinksAs('disabled'),
  },
  {
    says: /^budget 0 is invalid\. this model only works in thinking mode\b/i,
    rule: { kind: 'budget', tokensMin: 128, canBeOff: false, dynamic: true, byDefault: 'on' },
    holds: (sent) => configOf(sent)?.['thinkingBudget'] === 0,
  },
  { says: /^thinking level is not supported for this model\b/i, rule: levelRule, holds: configHas('thinkingLevel') },
  {
    says: /^(?:unable to submit request because )?thinking(?:_config)? is not (?:supported|enabled)\b/i,
    rule: { kind: 'never' },
    holds: asksToThink,
  },
];

export function thinkingLesson(said: string, param: string | undefined, sent: Tree): Lesson | undefined {
  const row = rows.find(({ says }) => says.test(said));
  if (row !== undefined) return lesson(row.rule, row.holds);
  return effortsIn(said, param) ?? effortsBelow(said) ?? budgetIn(said, sent);
}

function lesson(thinking: ThinkingRule, holds: Row['holds']): Lesson {
  return { profile: { thinking }, what: 'thinking', holds };
}

function thinksAs(type: string): Row['holds'] {
  return (sent) => isObject(sent['thinking']) && sent['thinking']['type'] === type;
}

const thinkingNames = namesOf('thinking');

function asksToThink(sent: Tree): boolean {
  return saidUnder(sent, thinkingNames).length > 0;
}

function configOf(sent: Tree): Tree | undefined {
  const config = sent['generationConfig'] ?? sent['generation_config'];
  const thinking = isObject(config) ? (config['thinkingConfig'] ?? config['thinking_config']) : undefined;
  return isObject(thinking) ? thinking : undefined;
}

function configHas(field: string): Row['holds'] {
  return (sent) => configOf(sent)?.[field] !== undefined;
}

const effortLists: readonly RegExp[] = [
  /^unsupported value: '(?:reasoning_effort|reasoning\.effort)' does not support '\w{1,20}' with this model\. supported values are: (.{1,200})/i,
  /^unsupported value: '\w{1,20}' is not supported with (?:this|the '\S{1,100}') model\. supported values are: (.{1,200})/i,
  /^[`'"]?reasoning_effort[`'"]? must be one of (.{1,200})/i,
];

/** One of the sentences does not name the field; then `param` must. */
function effortsIn(said: string, param: string | undefined): Lesson | undefined {
  const place = effortLists.findIndex((sentence) => sentence.test(said));
  if (place === -1 || (place === 1 && !/effort$/.test(param ?? ''))) return undefined;
  const listed: readonly string[] = effortLists[place]?.exec(said)?.[1]?.toLowerCase().match(/\w+/g) ?? [];
  const efforts: readonly Effort[] = effortWords.filter((word) => listed.includes(word));
  if (efforts.length === 0) return undefined;
  const sentEffort = (sent: Tree): string | undefined =>
    saidUnder(sent, effortNames).find((value) => typeof value === 'string') as string | undefined;
  return lesson({ kind: 'effort', efforts }, (sent) => {
    const effort = sentEffort(sent);
    return effort !== undefined && !(efforts as readonly string[]).includes(effort);
  });
}

/** The message names the refused effort and not the accepted ones, which are those below it. */
function effortsBelow(said: string): Lesson | undefined {
  const [, refused] = /^output_config\.effort: '(\w{1,20})' is not supported by this model\b/i.exec(said) ?? [];
  const place = (effortWords as readonly string[]).indexOf(refused ?? '');
  const efforts = effortWords.slice(effortWords.indexOf('low'), Math.max(place, 0));
  if (efforts.length === 0) return undefined;
  return lesson({ kind: 'adaptive', efforts, canBeOff: true }, (sent) => {
    const config = sent['output_config'];
    return isObject(config) && config['effort'] === refused;
  });
}

const effortNames: ReadonlySet<string> = new Set(['reasoningeffort', 'effort']);

const budgetMax = 1_000_000;

/** A range of budgets counts as the model's own if both ends are named and the budget sent is outside it. */
function budgetIn(said: string, sent: Tree): Lesson | undefined {
  const range =
    /^(?:the )?thinking budget (?:of )?\(?-?\d+\)? is invalid\. please choose a value between (\d{1,7}) and (\d{1,7})\b/i;
  const [, least, most] = range.exec(said) ?? [];
  const [tokensMin, tokensMax] = [Number(least), Number(most)];
  if (least === undefined || tokensMin >= tokensMax || tokensMax > budgetMax) return undefined;
  const rule: ThinkingRule = { kind: 'budget', tokensMin, tokensMax, canBeOff: tokensMin === 0, dynamic: true };
  const isOutside = (body: Tree): boolean => {
    const budget = configOf(body)?.['thinkingBudget'];
    return typeof budget === 'number' && budget !== -1 && (budget < tokensMin || budget > tokensMax);
  };
  return isOutside(sent) ? lesson(rule, isOutside) : undefined;
}
