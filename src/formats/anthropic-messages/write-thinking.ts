/** Writes how much to think, and the reply's limit that goes with it: the format ties the two together. */

import type { LossList } from '../../conversation/loss-list.ts';
import type { Message } from '../../conversation/parts.ts';
import type { TextRequest, Thinking } from '../../conversation/text-request.ts';
import type { WriteTarget } from '../codec.ts';
import { forcesCall } from './write-tools.ts';

/** Asked for where nobody knows how much the model can write. */
const defaultOutputTokens = 8_192;
/** The least that the format takes as a budget. */
const budgetTokensMin = 1_024;

const efforts: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

export interface WrittenThinking {
  readonly maxTokens: number;
  readonly thinking?: object;
  readonly effort?: string;
  /** The reply will hold thoughts, which forbids most settings of sampling. */
  readonly thinks: boolean;
}

export function writeThinking(request: TextRequest, target: WriteTarget, losses: LossList): WrittenThinking {
  const limit = writeLimit(request, target, losses);
  const { thinking } = request;
  if (thinking === undefined) return { maxTokens: limit, thinks: false };
  if (thinking.summary !== undefined && thinking.summary !== 'auto') {
    losses.add('thinking summary', 'has one length only in the format');
  }
  if (thinking.mode === 'off' || thinking.effort === 'none' || thinking.budgetTokens === 0) {
    const effort = thinking.effort === 'none' ? undefined : writeEffort(thinking.effort, losses);
    return { maxTokens: limit, thinking: { type: 'disabled' }, ...(effort !== undefined && { effort }), thinks: false };
  }
  const { budgetTokens, effort } = measureOf(thinking, losses);
  const spoken = effort === undefined ? {} : { effort };
  const obstacle = obstacleOf(request, budgetTokens !== undefined);
  if (obstacle !== undefined) {
    losses.add('thinking', obstacle);
    return { maxTokens: limit, ...spoken, thinks: false };
  }
  const display = writeDisplay(thinking);
  if (budgetTokens === undefined) {
    return { maxTokens: limit, thinking: { type: 'adaptive', ...display }, ...spoken, thinks: true };
  }
  return { ...spoken, ...writeBudget(budgetTokens, limit, request, target, display, losses) };
}

/** The model's own largest where the caller set none; where nobody knows it, the caller is told of the limit that was made up. */
function writeLimit({ maxOutputTokens }: TextRequest, { profile }: WriteTarget, losses: LossList): number {
  if (maxOutputTokens !== undefined) return maxOutputTokens;
  if (profile.outputTokensMax !== undefined) return profile.outputTokensMax;
  losses.add(
    'no max_tokens',
    `the format insists on a limit and the model's largest reply is not known; ${defaultOutputTokens} are asked for`,
  );
  return defaultOutputTokens;
}

/** A caller who spoke of a budget is answered with one, who spoke of an effort with that. */
function measureOf(
  thinking: Thinking,
  losses: LossList,
): { readonly budgetTokens?: number | undefined; readonly effort?: string | undefined } {
  const effort = writeEffort(thinking.effort, losses);
  const budget = thinking.budgetTokens !== undefined && thinking.budgetTokens > 0 ? thinking.budgetTokens : undefined;
  return { budgetTokens: budget, effort };
}

function writeEffort(effort: string | undefined, losses: LossList): string | undefined {
  if (effort === undefined || efforts.has(effort)) return effort;
  if (effort === 'minimal') {
    losses.add('thinking effort minimal', 'is unknown to the format; `low` is asked for');
    return 'low';
  }
  losses.add(`thinking effort ${effort}`, 'is unknown to the format');
  return undefined;
}

/** What the format refuses to combine with thinking; the calls matter more than the thoughts. */
function obstacleOf(request: TextRequest, byBudget: boolean): string | undefined {
  if (forcesCall(request)) return 'cannot be combined with a demanded call of a tool';
  if (byBudget && isLoopWithoutThoughts(request.messages)) {
    return 'cannot go on after calls whose thoughts are not there any more';
  }
  return undefined;
}

/** Between a call and the answer to its result the turn is still the same, and must begin with its signed thoughts. */
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

/** The budget is a part of the limit and must be smaller; a limit that the caller did not set makes room for it. */
function writeBudget(
  asked: number,
  limit: number,
  request: TextRequest,
  target: WriteTarget,
  display: object,
  losses: LossList,
): WrittenThinking {
  const room =
    request.maxOutputTokens === undefined && asked >= limit
      ? Math.min(asked + defaultOutputTokens, target.profile.outputTokensMax ?? Number.MAX_SAFE_INTEGER)
      : limit;
  const budget = Math.min(Math.max(Math.trunc(asked), budgetTokensMin), room - 1);
  if (budget < budgetTokensMin) {
    losses.add('thinking', `needs ${budgetTokensMin} tokens, more than the reply's limit leaves`);
    return { maxTokens: room, thinks: false };
  }
  if (budget !== asked) losses.add('thinking budget', `of ${asked} tokens does not fit; ${budget} are asked for`);
  return { maxTokens: room, thinking: { type: 'enabled', budget_tokens: budget, ...display }, thinks: true };
}
