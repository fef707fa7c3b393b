/**
 * What an attempt costs that ended before its reply was whole, for any cause: the client, a clock, a bound, a reply that
 * cannot be read, a connection that broke. Providers bill what they were sent, so it is free only where nothing was sent, or
 * where the provider answered with an error of its own. An unforeseen cause is charged.
 */

import type { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { Consumption } from '../../operations/consumption.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';
import { FrameTooLargeError } from '../../upstream/frame-reader.ts';
import { ReplyTooLargeError } from '../../upstream/transport.ts';
import type { Call } from '../admission/call.ts';
import type { PriceBounds } from '../cost-bounds/price-bounds.ts';
import { estimatedUsage, isExact } from '../cost-bounds/usage-estimate.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';

/** Assumed of a target none of whose replies was measured: what large models write, reasoning included. */
export const tokensPerSecondAssumed = 100;
const bytesPerToken = 4;

interface EndedExchange {
  /** The request's head was written to the provider. */
  readonly sent: boolean;
  /** Of the reply, once its head arrived. */
  readonly status: number | undefined;
  readonly verdict: Pick<Verdict, 'kind' | 'error' | 'answered' | 'unsettled'>;
}

/** May the provider bill it? */
export function isOwed({ sent, status = 200, verdict }: EndedExchange): boolean {
  if (!sent || verdict.answered === true) return false;
  if (verdict.unsettled === true) return true;
  if (status < 200 || status > 299) return false;
  // A connection that was opened again after it broke, and could not be.
  return verdict.kind !== 'target-down' || verdict.error.row.cost !== 'never';
}

/** What came and was too large to be read. */
export function unreadBytes({ error: { cause } }: Pick<Verdict, 'error'>): number {
  return cause instanceof ReplyTooLargeError || cause instanceof FrameTooLargeError ? cause.bytesMax : 0;
}

/** What was read of a reply so far. */
export interface ReplyProgress {
  readonly usage: Usage;
  readonly usageIsFinal: boolean;
  readonly written: WrittenText;
}

export interface EndedWork {
  readonly bounds: PriceBounds;
  /** What a conversation is charged for this usage. */
  charge(usage: Usage): { readonly units: Consumption | undefined; readonly costNano: bigint };
  readonly call: Pick<Call, 'facts' | 'repeatable'>;
  readonly isOwed: boolean;
  readonly progress: ReplyProgress | undefined;
  /** Since its dispatch. */
  readonly elapsedMs: number;
  /** Of one reply of the target, as measured. */
  readonly tokensPerSecond: number | undefined;
  /** Of a reply that is taken whole, or of what was too large. */
  readonly bytesRead: number;
  countTokens(text: string): Promise<number>;
}

export interface EndedUse {
  readonly usage: Usage;
  /** Absent for a conversation that used nothing but tokens. */
  readonly units: Consumption | undefined;
  readonly costNano: bigint;
  readonly estimated: boolean;
}

/** By the usage that was reported, else by what was written, else by what the time since its dispatch allows. */
export async function endedUse(work: EndedWork): Promise<EndedUse> {
  const { progress, call, bounds } = work;
  // An operation is charged for what was ordered.
  const usage = call.facts.most === undefined && progress ? await readUsage(work, progress) : undefined;
  if (usage === undefined) return { ...bounds.leftUse(call.repeatable, tokensSince(work)), estimated: true };
  return useOf(work, usage, progress === undefined || !isWhole(progress));
}

/** A passage's fields may be getters, so they are named. */
function isWhole({ usage, usageIsFinal }: ReplyProgress): boolean {
  return isExact({ usage, usageIsFinal, code: '' });
}

function useOf({ charge }: EndedWork, usage: Usage, estimated: boolean): EndedUse {
  const { units, costNano } = charge(usage);
  return { usage, units, costNano, estimated };
}

/** A conversation whose usage was not reported in full, also one that came whole. */
export function unreportedUse(
  work: EndedWork,
  { code, served, usage, written }: Pick<AttemptOutcome, 'code' | 'served' | 'usage' | 'written'>,
): EndedUse | Promise<EndedUse> {
  const { bounds, call } = work;
  if (call.facts.runsOn === true) return useOf(work, bounds.mostUsage, true);
  if (code !== '' && work.isOwed) return endedUse(work);
  if (!served) return useOf(work, unknownUsage, false);
  return writtenUsage(work, { usage, written }).then((known) => useOf(work, known, true));
}

async function writtenUsage(
  { bounds, bytesRead, countTokens }: EndedWork,
  { usage, written }: Pick<ReplyProgress, 'usage' | 'written'>,
): Promise<Usage> {
  const counted = Math.round((await countTokens(written.sample)) * written.scale);
  const unread = Math.min(Math.ceil(bytesRead / bytesPerToken), bounds.mostUsage.output.total ?? 0);
  return estimatedUsage(usage, bounds.inputLikely, counted + unread);
}

/** Undefined where nothing was read that says anything. */
async function readUsage(work: EndedWork, progress: ReplyProgress): Promise<Usage | undefined> {
  const { usage, written } = progress;
  if (isWhole(progress)) return usage;
  if (written.characters > 0) return writtenUsage(work, progress);
  if (usage.input.total === undefined) return undefined;
  const { output } = work.bounds.leftUse(work.call.repeatable, tokensSince(work)).usage;
  return estimatedUsage(usage, work.bounds.inputLikely, output.total ?? 0);
}

function tokensSince({ elapsedMs, tokensPerSecond, call, bytesRead }: EndedWork): number {
  const perSecond = (tokensPerSecond ?? tokensPerSecondAssumed) * call.facts.candidates;
  return Math.ceil(Math.max((elapsedMs * perSecond) / 1_000, bytesRead / bytesPerToken));
}
