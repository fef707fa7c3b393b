/**
 * Writes the amount of thinking as the model of a messages body accepts it: adaptive with an effort, or a budget within
 * the limit.
 */

import { fitThinking } from '../../../conversation/fit/thinking.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Effort, ModelProfile, ThinkingRule } from '../../../conversation/model-profile.ts';
import type { Thinking } from '../../../conversation/text-request.ts';
import type { BodyChanges } from '../../body-changes.ts';
import { readThinking } from '../read/request.ts';

/** Is all of it accepted as it is? Reads only, and may say no where the answer is yes. */
export function thinkingFits(tree: Tree, profile: ModelProfile, rule: ThinkingRule): boolean {
  const { thinking, output_config: config } = tree;
  const effort = isObject(config) ? config.effort : undefined;
  if (typeof effort === 'string' && effortsOf(rule)?.some((word) => word === effort) !== true) return false;
  if (!isObject(thinking)) return true;
  if (rule.kind !== 'budget' && rule.kind !== 'adaptive') return false;
  const { type, budget_tokens: budget } = thinking;
  if (type === 'disabled') return rule.canBeOff;
  if (rule.kind === 'adaptive') return type === 'adaptive';
  if (type !== 'enabled' || typeof budget !== 'number') return false;
  return budget >= rule.tokensMin && budget <= (rule.tokensMax ?? budget) && budget < limitOf(tree, profile);
}

export function fitThinkingFields(tree: Tree, profile: ModelProfile, rule: ThinkingRule, changes: BodyChanges): void {
  const config = isObject(tree.output_config) ? tree.output_config : {};
  const unread = new LossList();
  const asked = readThinking(tree.thinking, config.effort, unread);
  // A type of thinking that is not of this format is the server's own.
  if (asked === undefined || unread.all.length > 0) return;
  const fitted = fittedFor(asked, rule, limitOf(tree, profile), changes.losses);
  if (fitted === asked) return;
  if (fitted?.mode !== asked.mode || fitted?.budgetTokens !== asked.budgetTokens) {
    const written = writeThinking(fitted, tree.thinking);
    if (written === undefined) changes.remove('thinking');
    else changes.set('thinking', written);
    if (written === undefined || written.type === 'disabled') leaveOutClearing(tree, changes);
  }
  if (fitted?.effort === asked.effort) return;
  const { effort: _, ...rest } = (changes.exactly('output_config') ?? {}) as Record<string, unknown>;
  const fittedConfig = fitted?.effort === undefined ? rest : { ...rest, effort: fitted.effort };
  if (Object.keys(fittedConfig).length === 0) changes.remove('output_config');
  else changes.set('output_config', fittedConfig);
}

/** Clearing the thinking is refused where there is none. */
function leaveOutClearing(tree: Tree, changes: BodyChanges): void {
  const { context_management: context } = tree;
  if (!isObject(context) || !Array.isArray(context.edits)) return;
  const isClearing = (edit: unknown): boolean => isObject(edit) && String(edit.type).startsWith('clear_thinking_');
  if (!context.edits.some(isClearing)) return;
  const edits = context.edits.filter((edit) => !isClearing(edit));
  if (edits.length === 0 && Object.keys(context).length === 1) changes.remove('context_management');
  else changes.set('context_management', { ...context, edits });
}

/** The same object where nothing is known to be refused. */
function fittedFor(asked: Thinking, rule: ThinkingRule, limit: number, losses: LossList): Thinking | undefined {
  if (rule.kind !== 'never' && rule.kind !== 'budget' && rule.kind !== 'adaptive') return asked;
  const staysOff = asked.mode === 'off' && rule.kind !== 'never' && rule.canBeOff;
  if (asked.mode === undefined || staysOff) return withFittingEffort(asked, rule, losses);
  // An effort becomes a budget where there is none; beside one, or without thinking, it is lost.
  const isSpent = asked.mode !== 'off' && asked.budgetTokens === undefined;
  if (asked.effort !== undefined && effortsOf(rule) === undefined && !isSpent) reportEffort(asked.effort, losses);
  return fitThinking(asked, rule, losses, limit);
}

function effortsOf(rule: ThinkingRule): readonly Effort[] | undefined {
  return 'efforts' in rule ? rule.efforts : undefined;
}

function reportEffort(effort: string, losses: LossList): void {
  losses.add(`thinking effort ${effort}`, 'is not supported by the model');
}

/** An effort is about the answer as well: it turns nothing on, and is allowed while thinking is off. */
function withFittingEffort(asked: Thinking, rule: ThinkingRule, losses: LossList): Thinking {
  const { effort, ...rest } = asked;
  const efforts = effortsOf(rule);
  if (effort === undefined) return asked;
  if (efforts === undefined) {
    reportEffort(effort, losses);
    return rest;
  }
  const fitting = fitThinking({ effort }, { kind: 'effort', efforts }, losses)?.effort;
  if (fitting === effort) return asked;
  return fitting === undefined ? rest : { ...rest, effort: fitting };
}

function limitOf(tree: Tree, { outputTokensMax = Number.POSITIVE_INFINITY }: ModelProfile): number {
  return Math.min(typeof tree.max_tokens === 'number' ? tree.max_tokens : Number.POSITIVE_INFINITY, outputTokensMax);
}

/** The client's own object with another type and amount, so that its other fields stay. */
function writeThinking(thinking: Thinking | undefined, given: unknown): Tree | undefined {
  if (thinking?.mode === undefined) return undefined;
  const { type: _, budget_tokens: __, ...rest } = isObject(given) ? given : {};
  if (thinking.mode === 'off') return { type: 'disabled' };
  if (thinking.mode === 'adaptive') return { ...rest, type: 'adaptive' };
  return { ...rest, type: 'enabled', budget_tokens: thinking.budgetTokens };
}
