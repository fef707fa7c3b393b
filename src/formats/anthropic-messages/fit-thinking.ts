/** Says how much to think the way the model of a messages body is told: adaptive with an effort, or a budget within the limit. */

import { fitThinking } from '../../conversation/fit/thinking.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Effort, ModelProfile, ThinkingRule } from '../../conversation/model-profile.ts';
import type { Thinking } from '../../conversation/text-request.ts';
import type { BodyChanges } from '../body-changes.ts';
import { readThinking } from './read-request.ts';

/** The least that the format takes as a budget. */
const budgetTokensMin = 1_024;

/** Is all of it taken as it is? Reads only, and may say no where the answer is yes. */
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
  // What is no manner of thinking of this format is the server's own.
  if (asked === undefined || unread.all.length > 0) return;
  const fitted = fittedFor(asked, rule, changes.losses);
  if (fitted === asked) return;
  const bounded = withinLimit(fitted, limitOf(tree, profile), changes.losses);
  if (bounded?.mode !== asked.mode || bounded?.budgetTokens !== asked.budgetTokens) {
    const written = writeThinking(bounded, tree.thinking);
    if (written === undefined) changes.remove('thinking');
    else changes.set('thinking', written);
  }
  if (bounded?.effort === asked.effort) return;
  const { effort: _, ...rest } = (changes.exactly('output_config') ?? {}) as Record<string, unknown>;
  const fittedConfig = bounded?.effort === undefined ? rest : { ...rest, effort: bounded.effort };
  if (Object.keys(fittedConfig).length === 0) changes.remove('output_config');
  else changes.set('output_config', fittedConfig);
}

/** The same object where nothing is known to be refused. */
function fittedFor(asked: Thinking, rule: ThinkingRule, losses: LossList): Thinking | undefined {
  if (rule.kind !== 'never' && rule.kind !== 'budget' && rule.kind !== 'adaptive') return asked;
  const staysOff = asked.mode === 'off' && rule.kind !== 'never' && rule.canBeOff;
  if (asked.mode === undefined || staysOff) return withEffort(asked, asked.effort, rule, losses);
  if (rule.kind === 'adaptive') {
    const { budgets } = rule;
    const isOwn = budgets !== undefined && asked.mode === 'on' && asked.budgetTokens !== undefined;
    if (!isOwn) return fitThinking(asked, rule, losses);
    const { effort: _, ...measured } = asked;
    return withEffort(
      fitThinking(measured, { kind: 'budget', canBeOff: true, ...budgets }, losses),
      asked.effort,
      rule,
      losses,
    );
  }
  // A budget is made of the effort where there is none.
  const isSpent = asked.mode !== 'off' && asked.budgetTokens === undefined && effortsOf(rule) === undefined;
  const fitted = fitThinking(asked, rule, losses);
  return rule.kind === 'never' || isSpent ? fitted : withEffort(fitted, asked.effort, rule, losses);
}

function effortsOf(rule: ThinkingRule): readonly Effort[] | undefined {
  return 'efforts' in rule ? rule.efforts : undefined;
}

/** An effort is about the answer as well: it turns nothing on, and stands beside a budget or thinking that is off. */
function withEffort(
  thinking: Thinking | undefined,
  effort: string | undefined,
  rule: ThinkingRule,
  losses: LossList,
): Thinking | undefined {
  if (effort === undefined) return thinking;
  const efforts = effortsOf(rule);
  const fitting =
    efforts === undefined ? undefined : fitThinking({ effort }, { kind: 'effort', efforts }, losses)?.effort;
  if (efforts === undefined) losses.add(`thinking effort ${effort}`, 'is nothing that the model knows');
  if (fitting === thinking?.effort) return thinking;
  const { effort: _, ...rest } = thinking ?? {};
  return fitting === undefined ? rest : { ...rest, effort: fitting };
}

function limitOf(tree: Tree, { outputTokensMax = Number.POSITIVE_INFINITY }: ModelProfile): number {
  return Math.min(typeof tree.max_tokens === 'number' ? tree.max_tokens : Number.POSITIVE_INFINITY, outputTokensMax);
}

/** The budget is a part of the limit and must be smaller. */
function withinLimit(thinking: Thinking | undefined, limit: number, losses: LossList): Thinking | undefined {
  const { budgetTokens } = thinking ?? {};
  if (budgetTokens === undefined || budgetTokens < limit) return thinking;
  if (limit - 1 < budgetTokensMin) {
    losses.add('thinking', `needs ${budgetTokensMin} tokens, more than the reply's limit leaves`);
    return undefined;
  }
  losses.add('thinking budget', `of ${budgetTokens} tokens does not fit; ${limit - 1} are asked for`);
  return { ...thinking, budgetTokens: limit - 1 };
}

/** The client's own object with another manner and amount, so that what else it says stays. */
function writeThinking(thinking: Thinking | undefined, given: unknown): Tree | undefined {
  if (thinking?.mode === undefined) return undefined;
  const { type: _, budget_tokens: __, ...rest } = isObject(given) ? given : {};
  if (thinking.mode === 'off') return { type: 'disabled' };
  if (thinking.mode === 'adaptive') return { ...rest, type: 'adaptive' };
  return { ...rest, type: 'enabled', budget_tokens: thinking.budgetTokens };
}
