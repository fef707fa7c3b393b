/** Webhooks to callers when a task has ended: signed, sent through the egress guard, and retried until accepted. */

import { createHash, createHmac } from 'node:crypto';
import type { PurposeKeys } from '../../secrets/key-ring.ts';
import type { Egress } from '../../upstream/egress/fetch-from-caller.ts';
import type { Callback, TaskStore } from '../task-store.ts';

interface CallbackParts {
  readonly store: Pick<TaskStore, 'claimCallbacks' | 'endCallback' | 'postponeCallback'>;
  readonly egress: Pick<Egress, 'open'>;
  readonly keys: PurposeKeys;
  wallMs(): number;
  random(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

const deliveryTimeoutMs = 10_000;
const leaseMs = 30_000;
const atOnceMax = 16;
/** The first retries come quickly, the last ones hours apart: the caller's server may be down for a night. */
const waitsMs: readonly number[] = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 14_400_000, 28_800_000];

/** The secret with which a token's callbacks are signed, in the form that verifying libraries take. */
export function callbackSecret(key: Uint8Array, tokenId: string): string {
  return `whsec_${createHmac('sha256', key).update(`callback\n${tokenId}`).digest('base64')}`;
}

/** The same for every delivery of one message; a corrected end is another message about the same task. */
function messageId(taskId: string, body: string): string {
  return `msg_${createHash('sha256').update(`${taskId}\n${body}`).digest('hex').slice(0, 32)}`;
}

/**
 * The three headers that a receiver verifies; the time in them keeps an old delivery from being played again. One signature for each
 * secret: while keys are exchanged, a receiver that knows the old secret and one that knows the new both find theirs.
 */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

export class Callbacks {
  readonly #parts: CallbackParts;
  readonly #stopping = new AbortController();
  #delivering: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
  }

  start(tickMs: number): void {
    this.#timer = setInterval(() => this.deliver(), tickMs);
  }

  /** Delivers what is due; never twice at a time. */
  deliver(): Promise<void> {
    this.#delivering ??= this.#deliverDue()
      .catch((cause: unknown) => this.#parts.warn('Due callbacks could not be read; retrying.', { cause }))
      .finally(() => {
        this.#delivering = undefined;
      });
    return this.#delivering;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort(new Error('Weir is shutting down.'));
    await this.#delivering;
  }

  async #deliverDue(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const due = await this.#parts.store.claimCallbacks(this.#parts.wallMs(), leaseMs, atOnceMax);
    await Promise.all(due.map((callback) => this.#deliverOne(callback)));
  }

  async #deliverOne(callback: Callback): Promise<void> {
    const { store, wallMs, random, warn } = this.#parts;
    const failure = await this.#send(callback);
    if (this.#stopping.signal.aborted) return;
    if (failure === undefined) return store.endCallback(callback.taskId);
    const waitMs = waitsMs[callback.tries];
    if (waitMs === undefined) {
      warn('A callback was given up.', { task: callback.taskId, tries: callback.tries + 1, reason: failure });
      return store.endCallback(callback.taskId);
    }
    return store.postponeCallback(callback.taskId, Math.round(wallMs() + waitMs * (1 + random() / 4)));
  }

  /** Undefined where it was accepted; else why not. */
  async #send({ taskId, tokenId, url, body }: Callback): Promise<string | undefined> {
    const { egress, keys, wallMs } = this.#parts;
    const secrets = keys.current().map(({ bytes }) => callbackSecret(bytes, tokenId));
    const signed = signedHeaders(secrets, messageId(taskId, body), body, wallMs());
    const headers = { ...signed, 'content-type': 'application/json' };
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(deliveryTimeoutMs)]);
    try {
      const reply = await egress.open({ url, method: 'POST', headers, body, redirectsMax: 0, signal });
      reply.cancel();
      return reply.status >= 200 && reply.status < 300 ? undefined : `status ${reply.status}`;
    } catch (cause) {
      return cause instanceof Error ? cause.message : String(cause);
    }
  }
}
