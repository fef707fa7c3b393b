/**
 * `Idempotency-Key` of the admin API: a write that is sent twice is done once, and its reply is given again for a day. The
 * request's digest and the reply are sealed, because both may hold a secret.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { type Reply, WholeReply } from '../../http/reply.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { IdempotentWriteStore } from '../../store/admin-keys/admin-key-store.ts';
import { adminKeyBounds } from '../contracts/admin-key-contract.ts';

/** What a sealed row is bound to. */
export const idempotentWritePlace = (adminKeyId: string, key: string): readonly string[] => [adminKeyId, key];

interface WriteReply {
  readonly status: number;
  readonly contentType?: string;
  /** Absent where the reply had none, or was too large to be kept. */
  readonly body?: string;
  readonly isTooLarge?: boolean;
}

interface Content {
  readonly fingerprint: string;
  readonly reply?: WriteReply;
}

interface WriteRequest {
  readonly adminKeyId: string;
  readonly key: string;
  /** Method, path and body: decides whether a later request is the same one. */
  readonly request: readonly string[];
}

export interface IdempotentWrites {
  /** Runs the write, or gives the reply that the first one with this key got. */
  once(request: WriteRequest, run: () => Promise<Reply>): Promise<Reply>;
  tidy(): Promise<void>;
}

interface IdempotentWritesOptions {
  readonly table: IdempotentWriteStore;
  readonly sealing: Sealing;
  readonly nowMs: () => number;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

const keyLengthMax = 255;
const { repliesKeptMs, repliesMax, replyBytesMax, writeMsMax } = adminKeyBounds;

export function createIdempotentWrites({ table, sealing, nowMs, warn }: IdempotentWritesOptions): IdempotentWrites {
  const seal = ({ adminKeyId, key }: WriteRequest, content: Content): string =>
    sealing.seal(idempotentWritePlace(adminKeyId, key), JSON.stringify(content));

  async function contentOf({ adminKeyId, key }: WriteRequest, sealed: string): Promise<Content | undefined> {
    const text = await sealing.open(idempotentWritePlace(adminKeyId, key), sealed);
    return text === undefined ? undefined : (JSON.parse(text) as Content);
  }

  return {
    async once(request, run) {
      const { adminKeyId, key } = request;
      if (key.length === 0 || key.length > keyLengthMax || !/^[\x21-\x7e]+$/.test(key)) throw badKey();
      const fingerprint = new Bun.CryptoHasher('sha256').update(JSON.stringify(request.request)).digest('hex');
      const atMs = Math.round(nowMs());
      const claim = { adminKeyId, key, content: seal(request, { fingerprint }), atMs };
      const held = await table.claim(claim, atMs - repliesKeptMs, repliesMax);
      if (held === 'full') throw full();
      if (held !== 'claimed') {
        const content = await contentOf(request, held.content);
        if (content !== undefined && content.fingerprint !== fingerprint) throw reused();
        if (content?.reply !== undefined) return replayed(content.reply);
        throw held.state === 'running' && atMs - held.atMs < writeMsMax ? stillRuns() : unknownOutcome();
      }
      const response = await run();
      const bytes = await response.bytes();
      const reply = replyOf(response, bytes);
      // The write was done: without its reply, a repetition is refused rather than done again.
      await table.finish({ ...claim, content: seal(request, { fingerprint, reply }) }).catch((cause: unknown) => {
        warn('The reply to a write with an Idempotency-Key could not be stored.', { cause });
      });
      return new WholeReply(bytes, Object.fromEntries(response.headers), undefined, response.status);
    },
    tidy: () => table.expire(nowMs() - repliesKeptMs),
  };
}

function replyOf(response: Reply, bytes: Uint8Array): WriteReply {
  const body = new TextDecoder().decode(bytes);
  const contentType = response.headers.get('content-type');
  const isTooLarge = bytes.length > replyBytesMax;
  return {
    status: response.status,
    ...(contentType !== null && { contentType }),
    ...(body !== '' && !isTooLarge && { body }),
    ...(isTooLarge && { isTooLarge }),
  };
}

function replayed({ status, contentType, body, isTooLarge }: WriteReply): Reply {
  if (isTooLarge === true) {
    const message = 'The write with this Idempotency-Key was done. Its reply was too large to be kept.';
    throw new GatewayError('idempotency_key_reused', message);
  }
  const headers = { 'idempotent-replayed': 'true', ...(contentType !== undefined && { 'content-type': contentType }) };
  return new Response(body ?? null, { status, headers });
}

const badKey = (): GatewayError =>
  new GatewayError('header_invalid', `An Idempotency-Key has 1 to ${keyLengthMax} visible ASCII characters.`, {
    param: 'idempotency-key',
  });

const reused = (): GatewayError =>
  new GatewayError('idempotency_key_reused', 'This Idempotency-Key was used for another request. Use a new key.', {
    status: 422,
    param: 'idempotency-key',
  });

const stillRuns = (): GatewayError =>
  new GatewayError('idempotency_in_progress', 'A request with this Idempotency-Key is still running.', {
    retryAfterMs: 1_000,
  });

const unknownOutcome = (): GatewayError =>
  new GatewayError(
    'idempotency_outcome_unknown',
    'The first request with this Idempotency-Key has no reply: Weir ended while it ran. See whether it took effect, then use a new key.',
  );

const full = (): GatewayError =>
  new GatewayError('storage_limited', `This admin key used ${repliesMax} Idempotency-Keys in a day. Send none.`, {
    retryAfterMs: 60_000,
  });
