/** What a model refuses of a content-generation body that stays one. All of it is in one object. */

import { fitThinking, thinksWhenAsked } from '../../../conversation/fit/thinking.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile, ThinkingRule } from '../../../conversation/model-profile.ts';
import type { Thinking } from '../../../conversation/text-request.ts';
import { BodyChanges, FieldChanges } from '../../body-changes.ts';
import { ruleIn } from '../../fit-effort.ts';
import { fitParameters, holdsUnfit, isGiven, type ParameterFields } from '../../fit-parameters.ts';
import type { ExactFields, Fitting } from '../../format.ts';
import { readThinking } from '../read/request.ts';
import { said } from '../wire.ts';

/** In both spellings. */
const parameterFields: ParameterFields = {
  temperature: ['temperature'],
  topP: ['topP', 'top_p'],
  topK: ['topK', 'top_k'],
  maxOutputTokens: ['maxOutputTokens', 'max_output_tokens'],
  stop: ['stopSequences', 'stop_sequences'],
  seed: ['seed'],
  presencePenalty: ['presencePenalty', 'presence_penalty'],
  frequencyPenalty: ['frequencyPenalty', 'frequency_penalty'],
  logprobs: ['responseLogprobs', 'response_logprobs', 'logprobs'],
};

const thinkingNames = ['thinkingConfig', 'thinking_config'] as const;

export function fit(tree: Tree, profile: ModelProfile, exact?: ExactFields): Fitting | undefined {
  const name = isGiven(tree['generationConfig']) ? 'generationConfig' : 'generation_config';
  const config = tree[name];
  if (!isObject(config)) return undefined;
  const rule = ruleIn(profile);
  const mayThinkUnfit = rule !== undefined && (isGiven(config.thinkingConfig) || isGiven(config.thinking_config));
  if (!mayThinkUnfit && !holdsUnfit(config, parameterFields, profile)) return undefined;
  const changes = new BodyChanges(tree, exact);
  const fields = new FieldChanges(config);
  const asked = readThinking(config);
  const thinking = rule === undefined ? asked : fitThinkingConfig(config, asked, rule, fields, changes.losses);
  fitParameters(fields, parameterFields, profile, thinksWhenAsked(thinking, rule), changes.losses);
  if (fields.made.size > 0) {
    const fitted = fields.appliedTo(changes.exactly(name) as Tree);
    if (Object.keys(fitted).length === 0) changes.remove(name);
    else changes.set(name, fitted);
  }
  return changes.fitting;
}

/** What is asked for after the fitting. */
function fitThinkingConfig(
  config: Tree,
  asked: Thinking | undefined,
  rule: ThinkingRule,
  fields: FieldChanges,
  losses: LossList,
): Thinking | undefined {
  const given = said(config, 'thinkingConfig');
  if (!isObject(given)) return asked;
  if (rule.kind === 'never') {
    // Hiding the thinking of a model that has none is no loss.
    if (asked !== undefined && !isOnlyHidden(asked)) fitThinking(asked, rule, losses);
    for (const name of thinkingNames) fields.remove(name);
    return undefined;
  }
  if (asked === undefined || (rule.kind !== 'budget' && rule.kind !== 'effort')) return asked;
  const isMeasured = asked.mode !== undefined || asked.effort !== undefined;
  // Models with levels accept the budgets of earlier ones as well, except that they cannot be off.
  if (!isMeasured || (rule.kind === 'effort' && asked.budgetTokens !== undefined)) return asked;
  if (rule.kind === 'effort' && asked.mode === 'adaptive' && asked.effort === undefined) return asked;
  const fitted = fitThinking(asked, rule, losses);
  if (isSame(asked, fitted)) return asked;
  for (const name of thinkingNames) fields.remove(name);
  fields.set(isGiven(config.thinkingConfig) ? 'thinkingConfig' : 'thinking_config', {
    ...withoutMeasures(given),
    ...measureOf(fitted, rule, said(given, 'thinkingLevel')),
  });
  return fitted;
}

function isOnlyHidden(thinking: Thinking): boolean {
  return thinking.visible === false && Object.keys(thinking).length === 1;
}

const measures: ReadonlySet<string> = new Set(['thinkingBudget', 'thinking_budget', 'thinkingLevel', 'thinking_level']);

function withoutMeasures(config: Tree): Tree {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !measures.has(name)));
}

/** Levels are written in capitals or in small letters, as the client writes them. */
function measureOf(thinking: Thinking | undefined, rule: ThinkingRule, given: unknown): Tree {
  if (rule.kind === 'budget') return { thinkingBudget: budgetOf(thinking) };
  const level = thinking?.effort;
  if (level === undefined) return {};
  const isSmall = typeof given === 'string' && given === given.toLowerCase();
  return { thinkingLevel: isSmall ? level : level.toUpperCase() };
}

function budgetOf(thinking: Thinking | undefined): number {
  if (thinking?.mode === 'off') return 0;
  return thinking?.budgetTokens ?? -1;
}

function isSame(asked: Thinking, fitted: Thinking | undefined): boolean {
  if (asked.mode === 'off') return fitted?.mode === 'off' || fitted?.effort === 'none';
  return asked.mode === fitted?.mode && asked.effort === fitted?.effort && asked.budgetTokens === fitted?.budgetTokens;
}
