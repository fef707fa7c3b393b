/**
 * Writes how much to think. Older models take a number of tokens, newer ones a level; both in one request are refused.
 * https://ai.google.dev/gemini-api/docs/thinking (read 2026-11-15).
 */

import { roomForWords } from '../../../conversation/fit/thinking.ts';
import { defined, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile, ThinkingRule } from '../../../conversation/model-profile.ts';
import type { TextRequest, Thinking } from '../../../conversation/text-request.ts';
import { budgetOfEffort } from '../../../conversation/thinking-effort.ts';

/** More than this some models refuse. */
const thinkingBudgetMax = 24_576;
/** Leaves the amount to the model. */
const dynamicBudget = -1;

export function writeThinking(request: TextRequest, profile: ModelProfile, losses: LossList): Tree {
  const { thinking } = request;
  if (thinking === undefined) return {};
  if (thinking.summary === 'concise' || thinking.summary === 'detailed') {
    losses.add('thinking summary', 'the format has no length of summaries');
  }
  const thinkingConfig = {
    ...defined('includeThoughts', thinking.visible ?? (isShown(thinking) ? true : undefined)),
    ...writeAmount(request, thinking, profile.thinking, losses),
  };
  return Object.keys(thinkingConfig).length === 0 ? {} : { thinkingConfig };
}

/** A caller who asks for thinking without setting its display comes from a format that shows it by default. */
function isShown({ mode, summary }: Thinking): boolean {
  return summary !== undefined || mode === 'on' || mode === 'adaptive';
}

/**
 * The request is fitted to a known model already (`fitToModel`); any other accepts budgets, as all but the newest do.
 */
function writeAmount(
  { maxOutputTokens }: TextRequest,
  thinking: Thinking,
  rule: ThinkingRule | undefined,
  losses: LossList,
): Tree {
  const { mode, effort, budgetTokens } = thinking;
  switch (rule?.kind) {
    case 'effort':
      return defined('thinkingLevel', effort?.toUpperCase());
    case 'budget':
      return defined(
        'thinkingBudget',
        mode === 'off' ? 0 : (budgetTokens ?? (mode === 'adaptive' ? dynamicBudget : undefined)),
      );
    case 'never':
    case 'always':
      return {};
    default:
      return defined('thinkingBudget', budgetFor(thinking, maxOutputTokens, losses));
  }
}

function budgetFor(
  { mode, effort, budgetTokens }: Thinking,
  limit: number | undefined,
  losses: LossList,
): number | undefined {
  if (mode === 'off') return 0;
  const requested = budgetTokens ?? (effort === undefined ? undefined : budgetOfEffort(effort));
  if (requested === undefined) {
    if (effort !== undefined) losses.add(`thinking effort ${effort}`, 'has no known budget');
    return mode === undefined ? undefined : dynamicBudget;
  }
  const most = Math.min(thinkingBudgetMax, roomFor(budgetTokens !== undefined, limit));
  if (requested <= most) return requested;
  losses.add('thinking budget', `of ${requested} tokens is more than there is room for; ${most} is sent`);
  return most;
}

/** Thinking counts against the reply's limit. */
function roomFor(isCallers: boolean, limit = Number.POSITIVE_INFINITY): number {
  return Math.max(0, isCallers ? limit - 1 : roomForWords(limit));
}
