/** Converts between effort, budget and adaptive thinking to what the model supports, where the meaning survives. */

import type { LossList } from '../loss-list.ts';
import { type Effort, effortWords, type ThinkingRule } from '../model-profile.ts';
import type { Thinking } from '../text-request.ts';
import { budgetOfEffort, effortOfBudget } from '../thinking-effort.ts';

type Shown = Pick<Thinking, 'visible' | 'summary'>;

/** `limit` is the limit of the whole reply, if the caller set one; thinking counts toward it. */
export function fitThinking(
  thinking: Thinking,
  rule: ThinkingRule,
  losses: LossList,
  limit = Number.POSITIVE_INFINITY,
): Thinking | undefined {
  const isOff = thinking.mode === 'off' || thinking.effort === 'none' || thinking.budgetTokens === 0;
  const shown = shownOf(thinking);
  switch (rule.kind) {
    case 'never':
      if (!isOff) losses.add('thinking', 'is not supported by the model');
      return undefined;
    case 'always':
      if (isOff) losses.add('thinking off', 'is not supported by the model, which always thinks');
      else if (isMeasured(thinking)) losses.add('thinking amount', 'is not a setting of the model');
      return orNothing(shown);
    case 'switch':
      if (isOff) return { mode: 'off' };
      if (isMeasured(thinking))
        losses.add('thinking amount', 'is not a setting of the model, which thinks or does not');
      return { mode: 'on', ...shown };
    case 'budget':
      return isOff ? offByBudget(rule, shown, losses) : fitBudget(thinking, rule, limit, losses);
    case 'adaptive':
      return isOff ? offAdaptive(rule, shown, losses) : fitAdaptive(thinking, rule, limit, losses);
    case 'effort':
      return isOff ? offByEffort(rule, shown, losses) : fitEffort(thinking, rule, shown, losses);
  }
}

/** Does a model with this rule think on request? An unknown model is assumed not to. */
export function thinksWhenAsked(thinking: Thinking | undefined, rule: ThinkingRule | undefined): boolean {
  if (rule?.kind === 'never') return false;
  if (rule?.kind === 'always') return true;
  if (thinking?.mode === 'off' || thinking?.effort === 'none' || thinking?.budgetTokens === 0) return false;
  const isAsked = thinking !== undefined && (thinking.mode !== undefined || isMeasured(thinking));
  if (isAsked) return true;
  return rule?.byDefault !== undefined && rule.byDefault !== 'off' && rule.byDefault !== 'none';
}

function isMeasured({ effort, budgetTokens }: Thinking): boolean {
  return effort !== undefined || budgetTokens !== undefined;
}

function shownOf({ visible, summary }: Thinking): Shown {
  return { ...(visible !== undefined && { visible }), ...(summary !== undefined && { summary }) };
}

function orNothing(shown: Shown): Thinking | undefined {
  return Object.keys(shown).length === 0 ? undefined : shown;
}

type BudgetRule = Extract<ThinkingRule, { kind: 'budget' }>;

function offByBudget(rule: BudgetRule, shown: Shown, losses: LossList): Thinking {
  if (rule.canBeOff) return { mode: 'off' };
  losses.add('thinking off', `is not supported by the model; ${rule.tokensMin} tokens are the minimum`);
  return { budgetTokens: rule.tokensMin, ...shown };
}

function fitBudget(thinking: Thinking, rule: BudgetRule, limit: number, losses: LossList): Thinking {
  const { budgetTokens, effort, mode } = thinking;
  const shown = shownOf(thinking);
  if (budgetTokens === undefined && effort === undefined && rule.dynamic === true)
    return { mode: 'adaptive', ...shown };
  const { tokensMin, tokensMax = Number.POSITIVE_INFINITY } = rule;
  if (rule.canBeOff && tokensMin >= limit) {
    losses.add('thinking', `needs ${tokensMin} tokens, more than the reply's limit leaves`);
    return { mode: 'off' };
  }
  const asked = budgetTokens ?? Math.min(budgetFor(effort), roomForWords(limit));
  const fitting = Math.max(Math.min(Math.trunc(asked), tokensMax, limit - 1), tokensMin);
  if (budgetTokens !== undefined && fitting !== budgetTokens) {
    losses.add('thinking budget', `of ${budgetTokens} tokens is not one of the model's; ${fitting} is sent`);
  } else if (budgetTokens === undefined && effort !== undefined && effortOfBudget(fitting) !== effort) {
    losses.addOnce(`thinking effort ${effort}`, `is not possible here; ${fitting} tokens are sent`);
  }
  const word = rule.efforts === undefined ? undefined : nearest(effort, rule.efforts, losses);
  return {
    // A caller who did not explicitly ask for thinking does not ask to see it either.
    ...(mode !== undefined && { mode: mode === 'adaptive' && rule.dynamic === true ? mode : 'on' }),
    budgetTokens: fitting,
    ...(word !== undefined && { effort: word }),
    ...shown,
  };
}

/** A budget derived from an effort leaves a quarter of the reply's limit to the answer. */
export function roomForWords(limit: number): number {
  return Math.floor((limit * 3) / 4);
}

/** Thinking that is merely on, or has an unknown effort, is a medium effort. */
function budgetFor(effort = 'medium'): number {
  return budgetOfEffort(effort) ?? budgetOfEffort('medium') ?? 0;
}

type AdaptiveRule = Extract<ThinkingRule, { kind: 'adaptive' }>;

function offAdaptive(rule: AdaptiveRule, shown: Shown, losses: LossList): Thinking {
  if (rule.canBeOff) return { mode: 'off' };
  const [least] = rule.efforts;
  losses.add(
    'thinking off',
    `is not supported by the model${least === undefined ? '' : `; \`${least}\` is the least`}`,
  );
  return { mode: 'adaptive', ...(least !== undefined && { effort: least }), ...shown };
}

function fitAdaptive(thinking: Thinking, rule: AdaptiveRule, limit: number, losses: LossList): Thinking {
  const { budgets, canBeOff, efforts } = rule;
  if (thinking.budgetTokens !== undefined && budgets !== undefined) {
    return fitBudget(thinking, { kind: 'budget', canBeOff, efforts, ...budgets }, limit, losses);
  }
  const effort = nearest(wordOf(thinking), efforts, losses);
  return { mode: 'adaptive', ...(effort !== undefined && { effort }), ...shownOf(thinking) };
}

type EffortRule = Extract<ThinkingRule, { kind: 'effort' }>;

function offByEffort(rule: EffortRule, shown: Shown, losses: LossList): Thinking {
  if (rule.efforts.includes('none')) return { effort: 'none' };
  const [least] = rule.efforts;
  losses.add(
    'thinking off',
    `is not supported by the model${least === undefined ? '' : `; \`${least}\` is the least`}`,
  );
  return { ...(least !== undefined && { effort: least }), ...shown };
}

function fitEffort(thinking: Thinking, rule: EffortRule, shown: Shown, losses: LossList): Thinking | undefined {
  // Thinking that is merely on is a medium effort: some models do not think without an amount.
  const word = wordOf(thinking) ?? (thinking.mode === 'on' ? 'medium' : undefined);
  const effort = nearest(word, rule.efforts, losses);
  return orNothing({ ...(effort !== undefined && { effort }), ...shown });
}

function wordOf({ effort, budgetTokens }: Thinking): string | undefined {
  return effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens));
}

/** The word itself, else the next smaller one that the model knows, else its smallest. */
function nearest(word: string | undefined, efforts: readonly Effort[], losses: LossList): Effort | undefined {
  if (word === undefined) return undefined;
  const known = efforts.find((effort) => effort === word);
  if (known !== undefined) return known;
  const amounts = efforts.filter((effort) => effort !== 'none');
  const place = (effortWords as readonly string[]).indexOf(word);
  const fitting =
    place === -1 ? undefined : (amounts.findLast((effort) => effortWords.indexOf(effort) < place) ?? amounts[0]);
  const instead = fitting === undefined ? 'the model chooses' : `\`${fitting}\` is sent`;
  losses.addOnce(`thinking effort ${word}`, `is not one of the model's; ${instead}`);
  return fitting;
}
