/** Delivers what is due: a batch is one message, retried with growing waits until it is accepted or given up. */

import { createHash } from 'node:crypto';
import type { ChannelRecord, ClaimedDelivery } from '../store/alerts/alert-records.ts';
import type { AlertStore } from '../store/alerts/alert-store.ts';
import type { Message } from './channels/message.ts';
import type { Send } from './channels/send.ts';

interface DeliverParts {
  readonly store: Pick<AlertStore, 'claim' | 'endTry' | 'channels'>;
  readonly send: Send;
  /** Where people look at alerts, if Weir's public URL is known. */
  readonly pageUrl: string | undefined;
  /** The first wait. */
  readonly retryMs: number;
  nowMs(): number;
  random(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/**
 * The waits between tries, in units of the first one. The first retries come quickly, the last ones hours apart: with
 * 30 s, eight tries over nine hours.
 */
const waits: readonly number[] = [1, 4, 20, 60, 120, 360, 480];
/** Longer than a try takes: should this replica end, another one sends it after that. */
const leaseMs = 60_000;
const batchesMax = 16;

/** How many messages were sent or failed. */
export type Deliver = (signal: AbortSignal) => Promise<number>;

export function createDeliver(parts: DeliverParts): Deliver {
  const { store, send, nowMs, random, warn } = parts;

  async function deliverOne(
    batch: string,
    claimed: readonly ClaimedDelivery[],
    channel: ChannelRecord | undefined,
    signal: AbortSignal,
  ) {
    const tries = claimed[0]?.delivery.tries ?? 0;
    if (channel === undefined || channel.disabled) {
      const error = channel === undefined ? 'The channel was deleted.' : 'The channel is disabled.';
      return store.endTry(batch, tries, { state: 'failed', atMs: nowMs(), error });
    }
    const sent = await send(channel, messageOf(batch, claimed, parts), signal);
    // A try that the shutdown cut off is repeated when its lease is over.
    if (signal.aborted && !sent.ok) return;
    if (sent.ok) return store.endTry(batch, tries, { state: 'delivered', atMs: nowMs() });
    const wait = waits[tries - 1];
    if (wait === undefined) {
      warn('An alert could not be delivered and was given up.', { channel: channel.name, tries, reason: sent.answer });
      return store.endTry(batch, tries, { state: 'failed', atMs: nowMs(), error: sent.answer });
    }
    const dueAtMs = nowMs() + Math.max(wait * parts.retryMs * (1 + random() / 4), sent.retryAfterMs ?? 0);
    return store.endTry(batch, tries, { state: 'pending', dueAtMs, error: sent.answer });
  }

  return async (signal) => {
    const claimed = await store.claim(nowMs(), leaseMs, batchesMax);
    if (claimed.length === 0) return 0;
    const channels = new Map((await store.channels.list()).map((channel) => [channel.id, channel]));
    const batches = Map.groupBy(claimed, ({ delivery }) => delivery.batch);
    await Promise.all(
      [...batches].map(([batch, of]) => deliverOne(batch, of, channels.get(of[0]?.delivery.channelId ?? ''), signal)),
    );
    return batches.size;
  };
}

function messageOf(batch: string, claimed: readonly ClaimedDelivery[], { nowMs, pageUrl }: DeliverParts): Message {
  const items = claimed
    .map(({ delivery, alert }) => ({ notice: delivery.notice, alert }))
    .toSorted((one, other) => one.alert.raisedAtMs - other.alert.raisedAtMs);
  const isDigest = claimed.some(({ delivery }) => delivery.batch !== delivery.id);
  const id = `msg_${createHash('sha256').update(batch).digest('hex').slice(0, 32)}`;
  return { id, items, isDigest, isTest: false, atMs: nowMs(), url: pageUrl };
}
