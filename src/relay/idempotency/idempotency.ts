/**
 * `Idempotency-Key`: a request that is sent twice is done and charged once. The store remembers which keys were used; the
 * replies themselves are content: they are kept in memory, and sealed in the database where replicas share one, for a while
 * and up to a size.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Reply } from '../../http/reply.ts';
import { BoundedMemory } from '../memory/bounded-memory.ts';
import { type RememberedReply, readReplyBytes, replyBytes } from './remembered-reply.ts';

export interface KeyStore {
  begin(claim: {
    readonly tokenId: string;
    readonly key: string;
    readonly requestId: string;
    readonly fingerprint: string;
    readonly atMs: number;
    readonly lifetimeMs: number;
  }): Promise<
    | { readonly begun: true }
    | {
        readonly begun: false;
        readonly requestId: string;
        readonly fingerprint: string;
        readonly state: 'running' | 'finished' | 'lost';
      }
  >;
  finish(tokenId: string, key: string, requestId: string): Promise<void>;
  forget(tokenId: string, key: string, requestId: string): Promise<void>;
  expire(beforeMs: number): Promise<void>;
}

/** A claimed key. The lanes add what they send; the end decides whether the key stays used. */
export interface Claim {
  /** Asked before anything is sent. Throws where the key may be another request's by now, because this process was suspended. */
  confirm(): void;
  add(bytes: Uint8Array): void;
  /** The reply was sent whole: the same key gets it again. */
  finish(headers: Readonly<Record<string, string>>): Promise<void>;
  /** Something may have been spent but there is no reply to repeat. */
  spend(): Promise<void>;
  /** Nothing was spent: the key may be used again. */
  forget(): Promise<void>;
}

export type Recall = (requestId: string) => Promise<Reply | undefined>;

/** Where the other replicas find a reply. */
interface SharedReplies {
  /** Never rejects. */
  put(tokenId: string, requestId: string, reply: Uint8Array): Promise<void>;
  get(tokenId: string, requestIds: readonly string[]): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
}

const keyLengthMax = 255;
const lifetimeMs = 24 * 60 * 60 * 1_000;
const replyBytesMax = 1_048_576;
/** In this process's memory, and once more in the database that replicas share. */
export const replyLimits = {
  lifetimeMs: 10 * 60 * 1_000,
  tokenBytesMax: 8_388_608,
  bytesMax: 33_554_432,
} as const;

/** What a reply costs beside its body. */
const replyOverheadBytes = 500;

interface IdempotencyOptions {
  readonly store: KeyStore;
  wallMs(): number;
  /** Was this process alive since then, as the other replicas see it? If not they may have taken its keys. */
  livedSince(atMs: number): boolean;
  /** Absent where this is the only process. */
  readonly shared?: SharedReplies | undefined;
}

export class IdempotentReplies {
  readonly #options: IdempotencyOptions;
  readonly #kept = new BoundedMemory<RememberedReply>(replyLimits, ({ body }) => body.length + replyOverheadBytes);

  constructor(options: IdempotencyOptions) {
    this.#options = options;
  }

  /** A claim to work under, or the reply that the key's first request got. */
  async begin(given: {
    readonly key: string;
    readonly tokenId: string;
    readonly requestId: string;
    readonly endpoint: string;
    readonly body: Uint8Array;
    /** The reply to an earlier request again, where something durable remembers it. */
    readonly recall?: Recall | undefined;
  }): Promise<Claim | Reply> {
    const { key, tokenId, requestId } = given;
    if (key.length === 0 || key.length > keyLengthMax || !/^[\x21-\x7e]+$/.test(key)) {
      throw new GatewayError(
        'header_invalid',
        `An Idempotency-Key has 1 to ${keyLengthMax} visible ASCII characters.`,
        {
          param: 'idempotency-key',
        },
      );
    }
    const fingerprint = new Bun.CryptoHasher('sha256')
      .update(given.endpoint)
      .update('\n')
      .update(given.body)
      .digest('hex');
    const atMs = this.#options.wallMs();
    const claimed = await this.#options.store.begin({ tokenId, key, requestId, fingerprint, atMs, lifetimeMs });
    if (claimed.begun) return this.#claim(tokenId, key, requestId, atMs);
    if (claimed.fingerprint !== fingerprint) throw reused('This Idempotency-Key was used for another request.');
    const recalled = await given.recall?.(claimed.requestId);
    if (recalled !== undefined) {
      recalled.headers.set('x-request-id', requestId);
      recalled.headers.set('x-weir-replayed', claimed.requestId);
      return recalled;
    }
    if (claimed.state === 'lost') throw lost(claimed.requestId);
    if (claimed.state === 'finished') {
      const kept = await this.#find(tokenId, claimed.requestId);
      if (kept === undefined) throw reused('This Idempotency-Key was used and its reply is no longer kept.');
      return new Response(kept.body, {
        headers: { ...kept.headers, 'x-request-id': requestId, 'x-weir-replayed': claimed.requestId },
      });
    }
    throw new GatewayError('idempotency_in_progress', 'A request with this Idempotency-Key is still running.', {
      retryAfterMs: 1000,
    });
  }

  /** Removes keys that have expired. */
  expire(): Promise<void> {
    return this.#options.store.expire(this.#options.wallMs() - lifetimeMs);
  }

  async #find(tokenId: string, requestId: string): Promise<RememberedReply | undefined> {
    const near = this.#kept.get(tokenId, requestId, this.#options.wallMs());
    if (near !== undefined) return near;
    const bytes = (await this.#options.shared?.get(tokenId, [requestId]))?.get(requestId);
    return bytes && readReplyBytes(bytes);
  }

  #claim(tokenId: string, key: string, requestId: string, begunAtMs: number): Claim {
    let pieces: Uint8Array[] | undefined = [];
    let bytes = 0;
    const { store, livedSince } = this.#options;
    return {
      confirm: () => {
        if (!livedSince(begunAtMs)) throw stoodStill();
      },
      add(piece) {
        bytes += piece.length;
        if (bytes > replyBytesMax) pieces = undefined;
        // A copy: pieces are views of memory that is used again or of reads that are much larger.
        pieces?.push(new Uint8Array(piece));
      },
      finish: async (headers) => {
        // Before the key is marked finished: a request that sees the mark finds the reply.
        if (pieces !== undefined) await this.#keep(tokenId, requestId, { body: Buffer.concat(pieces), headers });
        await store.finish(tokenId, key, requestId);
      },
      spend: () => store.finish(tokenId, key, requestId),
      forget: () => store.forget(tokenId, key, requestId),
    };
  }

  #keep(tokenId: string, requestId: string, reply: RememberedReply): Promise<void> | undefined {
    const { shared, wallMs } = this.#options;
    this.#kept.put(tokenId, requestId, reply, wallMs());
    return shared?.put(tokenId, requestId, replyBytes(reply));
  }
}

function reused(message: string): GatewayError {
  return new GatewayError('idempotency_key_reused', `${message} Use a new one.`);
}

function lost(requestId: string): GatewayError {
  return new GatewayError(
    'idempotency_outcome_unknown',
    `Weir ended while it worked on the first request with this Idempotency-Key (${requestId}), after a provider may have begun to. Its reply is lost, and it may have been charged. Use a new key to retry.`,
  );
}

function stoodStill(): GatewayError {
  const message = 'This Weir process was suspended, so the Idempotency-Key may be in use elsewhere. Nothing was sent.';
  return new GatewayError('store_unavailable', message, { retryAfterMs: 1000 });
}
