/** Writes how much to think, and the reply's limit, which the format ties to it. */

import type { LossList } from '../../../conversation/loss-list.ts';
import type { Message } from '../../../conversation/parts.ts';
import type { TextRequest, Thinking } from '../../../conversation/text-request.ts';
import type { WriteTarget } from '../../codec.ts';
import { forcesCall } from './tools.ts';

/** The limit for a model whose largest reply is unknown. */
const defaultOutputTokens = 8_192;
/** The smallest budget that the format accepts. */
const budgetTokensMin = 1_024;
/** The format requires a budget also for models whose thinking is only on or off. */
const switchBudgetTokens = 8_192;

const efforts: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

interface WrittenThinking {
  readonly maxTokens: number;
  readonly thinking?: object;
  readonly effort?: string;
  /** The reply will hold thinking, which forbids most sampling parameters. */
  readonly thinks: boolean;
}

export function writeThinking(request: TextRequest, target: WriteTarget, losses: LossList): WrittenThinking {
  const { thinking } = request;
  const { thinking: rule } = target.profile;
  if (thinking === undefined || (rule !== undefined && isOnlyShown(thinking))) {
    if (thinking !== undefined) losses.add('thinking visibility', 'is not a setting of the model');
    return { maxTokens: writeLimit(request, target, 0, losses), thinks: rule?.kind === 'always' };
  }
  if (thinking.summary !== undefined && thinking.summary !== 'auto') {
    losses.add('thinking summary', 'has one length only in the format');
  }
  if (thinking.mode === 'off' || thinking.effort === 'none' || thinking.budgetTokens === 0) {
    const effort = thinking.effort === 'none' ? undefined : writeEffort(thinking.effort, losses);
    const maxTokens = writeLimit(request, target, 0, losses);
    return { maxTokens, thinking: { type: 'disabled' }, ...(effort !== undefined && { effort }), thinks: false };
  }
  const budget = budgetOf(thinking, target);
  const effort = writeEffort(thinking.effort, losses);
  const chosenEffort = effort === undefined ? {} : { effort };
  const obstacle = obstacleOf(request, budget !== undefined);
  const limit = writeLimit(request, target, obstacle === undefined ? (budget ?? 0) : 0, losses);
  if (obstacle !== undefined) {
    losses.add('thinking', obstacle);
    return { maxTokens: limit, ...chosenEffort, thinks: false };
  }
  const display = writeDisplay(thinking);
  if (budget === undefined) {
    return { maxTokens: limit, thinking: { type: 'adaptive', ...display }, ...chosenEffort, thinks: true };
  }
  return { ...chosenEffort, ...writeBudget(budget, limit, thinking.budgetTokens !== undefined, display, losses) };
}

/** A known model is asked to think only where the request, fitted to it, still asks. */
function isOnlyShown({ mode, effort, budgetTokens }: Thinking): boolean {
  return mode === undefined && effort === undefined && budgetTokens === undefined;
}

/**
 * The model's own largest where the caller set none. If it is unknown, a limit is assumed and reported as a loss; it
 * has room for the thinking beside the answer.
 */
function writeLimit(
  { maxOutputTokens }: TextRequest,
  { profile, outputTokensMax }: WriteTarget,
  budget: number,
  losses: LossList,
): number {
  if (maxOutputTokens !== undefined) return maxOutputTokens;
  const largest = profile.outputTokensMax ?? outputTokensMax;
  if (largest !== undefined) return largest;
  const made = budget < defaultOutputTokens ? defaultOutputTokens : budget + defaultOutputTokens;
  losses.add(
    'no max_tokens',
    `the format insists on a limit and the model's largest reply is not known; ${made} is sent`,
  );
  return made;
}

/** A caller who set a budget gets one; a model whose thinking is only on or off accepts any. */
function budgetOf({ budgetTokens }: Thinking, { profile }: WriteTarget): number | undefined {
  if (budgetTokens !== undefined && budgetTokens > 0) return budgetTokens;
  return profile.thinking?.kind === 'switch' ? switchBudgetTokens : undefined;
}

function writeEffort(effort: string | undefined, losses: LossList): string | undefined {
  if (effort === undefined || efforts.has(effort)) return effort;
  if (effort === 'minimal') {
    losses.add('thinking effort minimal', 'is not supported by the format; `low` is sent');
    return 'low';
  }
  losses.add(`thinking effort ${effort}`, 'is not supported by the format');
  return undefined;
}

/** What the format refuses to combine with thinking; the calls matter more than the thinking. */
function obstacleOf(request: TextRequest, byBudget: boolean): string | undefined {
  if (forcesCall(request)) return 'cannot be combined with a demanded call of a tool';
  if (byBudget && isLoopWithoutThoughts(request.messages)) {
    return 'cannot continue after calls whose thinking is missing';
  }
  return undefined;
}

/** Between a call and the answer to its result the turn is still the same, and must begin with its signed thinking. */
function isLoopWithoutThoughts(messages: readonly Message[]): boolean {
  if (messages.at(-1)?.parts.some((part) => part.type === 'tool-result') !== true) return false;
  const turn = messages.findLast((message) => message.role === 'assistant');
  const [first] = turn?.parts ?? [];
  return !(first?.type === 'thinking' && first.seal !== undefined);
}

function writeDisplay({ visible, summary }: Thinking): { readonly display?: string } {
  if (visible === undefined) return summary === undefined ? {} : { display: 'summarized' };
  return { display: visible ? 'summarized' : 'omitted' };
}

/** The budget is a part of the limit and must be smaller. */
function writeBudget(
  asked: number,
  limit: number,
  isCallers: boolean,
  display: object,
  losses: LossList,
): WrittenThinking {
  const budget = Math.min(Math.max(Math.trunc(asked), budgetTokensMin), limit - 1);
  if (budget < budgetTokensMin) {
    losses.add('thinking', `needs ${budgetTokensMin} tokens, more than the reply's limit leaves`);
    return { maxTokens: limit, thinks: false };
  }
  if (budget !== asked && isCallers) {
    losses.add('thinking budget', `of ${asked} tokens does not fit; ${budget} is sent`);
  }
  return { maxTokens: limit, thinking: { type: 'enabled', budget_tokens: budget, ...display }, thinks: true };
}
