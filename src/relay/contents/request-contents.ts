/**
 * Contents of requests and replies, where the operator stores them: taken from the bytes that pass, encrypted for their
 * request, expiring. Switched off it costs the reading of one property; a reply never waits for it, nor fails with it.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { type Reply, type ReplySource, StreamedReply, WholeReply } from '../../http/reply.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { ContentStorageConfig } from '../../settings/config.ts';
import type { Call } from '../admission/call.ts';
import { BoundedPieces, type BoundedText, boundedText } from './bounded-text.ts';

export interface ContentRow {
  readonly requestId: string;
  readonly tokenId: string;
  readonly content: string;
  readonly atMs: number;
  readonly expiresAtMs: number;
}

export interface ContentTable {
  put(row: ContentRow): Promise<void>;
  /** Nothing where there is none, and where it expired. */
  get(requestId: string, nowMs: number): Promise<ContentRow | undefined>;
  expire(nowMs: number): Promise<void>;
  /** Removes the oldest beyond so many. */
  trim(most: number): Promise<void>;
}

interface RequestContentsOptions {
  readonly table: ContentTable;
  readonly sealing: Sealing;
  /** Read for every request. */
  readonly settings: Pick<ContentStorageConfig, 'requests' | 'requestDays' | 'requestsMax' | 'bytesMax'>;
  wallMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** One request's content as it was kept. */
interface FoundContent extends Omit<ContentRow, 'content'> {
  readonly request: BoundedText;
  readonly reply: BoundedText;
}

/** Gets the call that a request became; nothing is stored of a request that never became one. */
export type OnCall = (call: Call) => void;

const dayMs = 24 * 60 * 60 * 1_000;
/** What may wait for the database; what comes beyond that is not kept, so that a slow disk costs no memory. */
const waitingBytesMax = 67_108_864;
/** Their number is looked at after so many, and every hour: looking costs more than keeping one. */
const trimEvery = 1_000;
const requestIdShape = /^[\x21-\x7e]{1,200}$/;

export class RequestContents {
  readonly #options: RequestContentsOptions;
  #waitingBytes = 0;
  #isBehind = false;
  #written = 0;

  constructor(options: RequestContentsOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#options.settings.requests;
  }

  /** Answers as `answer` does, and stores both sides. `asked` returns what the caller sent, up to a bound. */
  async keep(asked: (bytesMax: number) => BoundedText, answer: (onCall: OnCall) => Promise<Reply>): Promise<Reply> {
    const { bytesMax } = this.#options.settings;
    // Read before the answer: an upload is disposed of once it was answered.
    const request = asked(bytesMax);
    let call: Call | undefined;
    try {
      const response = await answer((made) => {
        call = made;
      });
      return call === undefined ? response : await this.#watch(call, request, response, bytesMax);
    } catch (error) {
      if (call !== undefined) this.#write(call, request, refusalOf(call, error));
      throw error;
    }
  }

  async find(requestId: string): Promise<FoundContent | undefined> {
    if (!requestIdShape.test(requestId)) return undefined;
    const row = await this.#options.table.get(requestId, this.#options.wallMs());
    if (row === undefined) return undefined;
    const { content, ...rest } = row;
    const text = await this.#options.sealing.open(requestContentPlace(row.tokenId, row.requestId), content);
    if (text === undefined) throw new Error('A kept content cannot be opened with the secret key of this Weir.');
    return { ...rest, ...(JSON.parse(text) as Pick<FoundContent, 'request' | 'reply'>) };
  }

  async expire(): Promise<void> {
    const { table, settings, wallMs } = this.#options;
    await table.expire(wallMs());
    await table.trim(settings.requestsMax);
  }

  async #watch(call: Call, request: BoundedText, response: Reply, bytesMax: number): Promise<Reply> {
    const type = response.headers.get('content-type') ?? '';
    if (!isText(type)) {
      this.#write(call, request, { text: `(${type || 'a body without a type'}; not text, not kept)`, isCut: false });
      return response;
    }
    const { status, headers, body } = response;
    if (call.facts.stream && body !== null) {
      const keep = (reply: BoundedText): void => this.#write(call, request, reply);
      return new StreamedReply(tapped(body, bytesMax, keep, heldBy(response)), Object.fromEntries(headers), status);
    }
    const bytes = await response.bytes();
    this.#write(call, request, boundedText(bytes, bytesMax));
    return new WholeReply(bytes, Object.fromEntries(headers), undefined, status);
  }

  /** Not awaited: the reply is already being sent. */
  #write(call: Call, request: BoundedText, reply: BoundedText): void {
    const { table, sealing, wallMs, settings, warn } = this.#options;
    call.trace?.contents(request, reply);
    const place = { requestId: call.requestId, tokenId: call.caller.tokenId };
    const text = JSON.stringify({ request, reply });
    if (this.#waitingBytes + text.length > waitingBytesMax) {
      if (!this.#isBehind) warn('Contents of requests come faster than they can be written; some are not kept.', {});
      this.#isBehind = true;
      return;
    }
    this.#waitingBytes += text.length;
    const atMs = wallMs();
    table
      .put({
        ...place,
        content: sealing.seal(requestContentPlace(place.tokenId, place.requestId), text),
        atMs,
        expiresAtMs: atMs + settings.requestDays * dayMs,
      })
      .then(() => (++this.#written % trimEvery === 0 ? table.trim(settings.requestsMax) : undefined))
      .catch((cause: unknown) =>
        warn('The content of a request could not be kept.', { requestId: call.requestId, cause }),
      )
      .finally(() => {
        this.#waitingBytes -= text.length;
        if (this.#waitingBytes === 0) this.#isBehind = false;
      });
  }
}

export function requestContentPlace(tokenId: string, requestId: string): readonly string[] {
  return ['request content', tokenId, requestId];
}

function isText(type: string): boolean {
  return /^text\/|^application\/(?:[\w.+-]*\+)?(?:json|xml)|^application\/x-ndjson/i.test(type);
}

/** The error as the client got it, in its own envelope. */
function refusalOf({ format, requestId }: Call, error: unknown): BoundedText {
  const known = error instanceof GatewayError ? error : new GatewayError('internal_error', 'Internal error.');
  return { text: format.errorBody(known, { requestId, ownLibrary: false }), isCut: false };
}

const heldBy = (reply: Reply) => (): number => (reply instanceof StreamedReply ? reply.source.heldBytes() : 0);

/** The same stream, pulled as before; what passes is noted up to its bound. */
function tapped(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
  keep: (reply: BoundedText) => void,
  heldBytes: () => number,
): ReplySource {
  const reader = body.getReader();
  const pieces = new BoundedPieces(bytesMax);
  let isKept = false;
  const end = (): void => {
    if (!isKept) keep(pieces.text());
    isKept = true;
  };
  return {
    heldBytes,
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          end();
          controller.close();
          return;
        }
        pieces.add(value);
        controller.enqueue(value);
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  };
}
