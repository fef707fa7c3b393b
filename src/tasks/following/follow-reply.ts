/** One poll of a reply in the background by the worker that holds its lease: its usage settles it, its caller asks the provider for the rest. */

import { isObject } from '../../conversation/json-tree.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { BackgroundState, FormatName } from '../../formats/format.ts';
import { conversationUnits, guessesCost, totalCostOf } from '../../ledger/cost.ts';
import { readPrice } from '../../prices/price-text.ts';
import { addressOf } from '../../providers/address.ts';
import type { Provider } from '../../providers/assemble.ts';
import { tokensPerSecondAssumed } from '../../relay/attempts/ended-use.ts';
import {
  type AskParts,
  askTimeoutMs,
  type Fault,
  fault,
  faultOf,
  isFault,
  keyFor,
  put,
  withoutReply,
} from '../provider/ask-provider.ts';
import { isOpen, type Task } from '../task.ts';
import type { TaskEnd, TaskStore } from '../task-store.ts';
import { nextStep } from './next-step.ts';
import { noCost, type TaskCost } from './task-charge.ts';
import { closingOf, type Ending, type EndingPolicy } from './task-ending.ts';
import { type TaskErrorName, taskErrors } from './task-errors.ts';

export interface ReplyParts extends AskParts {
  readonly store: TaskStore;
  readonly policy: EndingPolicy;
  readonly correctionMs: number;
  readonly askEveryMs: number | undefined;
  /** Undefined where it is no longer configured. */
  providerOf(task: Task): Provider | undefined;
  stateOf(format: FormatName, reply: Readonly<Record<string, unknown>>): BackgroundState;
  random(): number;
  ended(task: Task, ending: Ending): void;
}

/** Where no setting gives an interval. */
const replyAskEveryMs = 2_000;

export async function followReply(parts: ReplyParts, task: Task, signal: AbortSignal): Promise<void> {
  const state = await stateAtProvider(parts, task, signal);
  // Stopped while it was asking: the answer says nothing about the reply.
  if (signal.aborted) return;
  const pace = { everyMs: parts.askEveryMs ?? replyAskEveryMs, random: parts.random };
  if ('runs' in state && !state.runs) {
    await end(parts, task, endedReply(task, state, parts));
    return;
  }
  if (!isOpen(task)) return lookAgain(parts, task);
  const answer = 'runs' in state ? ({ kind: 'progress', progress: progressOf(state) } as const) : state;
  const decision = nextStep(task, answer, parts.wallMs(), pace);
  if (decision.kind === 'step') await parts.store.step(task.id, task.version, decision.step);
  else if (decision.kind === 'failure') await end(parts, task, lostReply(task, decision.name, parts));
}

/** The usage came with the reply itself. Returns false where a worker changed the task meanwhile. */
export async function endReported(parts: ReplyParts, id: string, usage: Usage): Promise<boolean> {
  const task = await parts.store.find(id);
  if (task === undefined || !isOpen(task)) return true;
  return end(parts, task, endedReply(task, { usage, failed: false }, parts));
}

const progressOf = ({ begun }: BackgroundState) => ({ state: begun ? 'in_progress' : 'queued' }) as const;

async function stateAtProvider(parts: ReplyParts, task: Task, signal: AbortSignal): Promise<BackgroundState | Fault> {
  const { ticket, terms } = task;
  const provider = parts.providerOf(task);
  const id = ticket?.['id'];
  if (id === undefined || terms.reply === undefined) return fault('unsent', '');
  if (provider?.addresses[terms.reply] === undefined) return fault('provider-removed', '');
  const key = keyFor(provider, task);
  if (key === undefined) return fault('key-refused', `The provider ${provider.name} has no key.`);
  const url = new URL(addressOf(provider, terms.reply, '', false));
  url.pathname += `/${encodeURIComponent(id)}`;
  const places = { create: url.href, base: provider.baseUrl };
  try {
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]);
    const reply = await put(parts, { provider, places }, key, { method: 'GET', url: url.href }, waiting);
    if (isFault(reply)) return withoutReply(reply);
    if (!isObject(reply.tree)) throw new SyntaxError('the reply is no object');
    return parts.stateOf(terms.reply, reply.tree);
  } catch (cause) {
    return faultOf(cause, provider);
  }
}

/** A guessed end is corrected by the provider's own, for a while. */
async function lookAgain({ store, policy, correctionMs, wallMs }: ReplyParts, task: Task): Promise<void> {
  const nowMs = wallMs();
  if (nowMs - task.deadlineAtMs > correctionMs) await store.settleGuess(task.id, task.version);
  else await store.renew(task.id, task.version, nowMs + policy.lookAgainMs);
}

async function end(parts: ReplyParts, task: Task, ending: Ending): Promise<boolean> {
  const { store } = parts;
  const change = isOpen(task) ? store.end : store.correct;
  const done = await change(task.id, task.version, ending.end, ending.closing, undefined);
  if (done && isOpen(task)) parts.ended(task, ending);
  return done;
}

const endOf = (state: TaskEnd['state'], atMs: number): TaskEnd => ({
  state,
  guessed: false,
  percent: 100,
  facts: {},
  results: [],
  error: undefined,
  atMs,
  expiresAtMs: undefined,
  dueAtMs: undefined,
});

type Ended = Pick<BackgroundState, 'usage' | 'failed'>;

/** Without a usage the provider's failure is free, and what was cancelled is charged by its time. */
function endedReply(task: Task, { usage, failed }: Ended, { wallMs }: ReplyParts): Ending {
  const atMs = wallMs();
  const cost = usage !== undefined ? costOfReply(task, usage, false) : failed ? noCost : costSoFar(task, atMs);
  const closing = closingOf(task, cost, atMs, { status: 200, code: '', verdict: '' });
  return { end: endOf('completed', atMs), closing, verdict: '' };
}

/** Nothing more can be learned of it: the provider finishes it in any case, so all that was reserved is charged. */
function lostReply(task: Task, name: TaskErrorName, { wallMs, policy }: ReplyParts): Ending {
  const atMs = wallMs();
  const { tokens } = task.terms.most;
  const cost = policy.unknownOutcome === 'free' || tokens === undefined ? noCost : costOfReply(task, tokens, true);
  const isAskable = task.ticket !== undefined;
  const error = { code: taskErrors[name].code, message: taskErrors[name].meaning };
  const ending = endOf('failed', atMs);
  return {
    end: { ...ending, guessed: isAskable, error, dueAtMs: isAskable ? atMs + policy.lookAgainMs : undefined },
    closing: closingOf(task, cost, atMs, { status: 502, code: 'upstream_failed', verdict: 'uncertain' }),
    verdict: 'uncertain',
  };
}

function costSoFar(task: Task, atMs: number): TaskCost {
  const { tokens } = task.terms.most;
  if (tokens === undefined) return noCost;
  const written = Math.ceil(((atMs - task.createdAtMs) * tokensPerSecondAssumed) / 1_000);
  return costOfReply(task, { ...tokens, output: { total: Math.min(written, tokens.output.total ?? 0) } }, true);
}

function costOfReply({ terms }: Task, usage: Usage, isBound: boolean): TaskCost {
  const price = terms.price === undefined ? undefined : readPrice(terms.price);
  const units = conversationUnits(price, usage);
  return {
    costNano: totalCostOf(price, usage, units),
    estimated: isBound || guessesCost(price, usage),
    usage,
    used: units ?? {},
    ...(price === undefined && { unpriced: true }),
  };
}
