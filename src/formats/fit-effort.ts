/** An effort in a word, for a body that stays in its format. */

import { fitThinking } from '../conversation/fit/thinking.ts';
import type { LossList } from '../conversation/loss-list.ts';
import type { ModelProfile, ThinkingRule } from '../conversation/model-profile.ts';

/** Is the word taken as it is? Reads only. */
export function effortFits(effort: string, rule: ThinkingRule): boolean {
  switch (rule.kind) {
    case 'never':
    case 'always':
      return false;
    case 'effort':
      return (rule.efforts as readonly string[]).includes(effort);
    case 'adaptive':
      return effort === 'none' ? rule.canBeOff : (rule.efforts as readonly string[]).includes(effort);
    case 'budget':
      return effort !== 'none' || rule.canBeOff;
    case 'switch':
      return true;
  }
}

const never: ThinkingRule = { kind: 'never' };

/** A model that refuses thinking and of which nothing else is known does not think. */
export function ruleIn({ thinking, refuses }: ModelProfile): ThinkingRule | undefined {
  return thinking ?? (refuses?.includes('thinking') === true ? never : undefined);
}

/**
 * The effort word that a model with this rule accepts; undefined where it accepts none. A budget model is reached
 * through a server that converts words to tokens: only `none` can be refused then.
 */
export function fittingEffort(effort: string, rule: ThinkingRule, losses: LossList): string | undefined {
  if (effortFits(effort, rule)) return effort;
  const isOff = effort === 'none';
  switch (rule.kind) {
    case 'never':
    case 'always':
      fitThinking(isOff ? { mode: 'off' } : { effort }, rule, losses);
      return undefined;
    case 'effort':
      return fitThinking({ effort }, rule, losses)?.effort;
    case 'adaptive':
      return fitThinking(isOff ? { mode: 'off' } : { effort }, rule, losses)?.effort;
    case 'budget':
      return fitThinking({ mode: 'off' }, rule, losses)?.effort ?? 'low';
    case 'switch':
      return effort;
  }
}
