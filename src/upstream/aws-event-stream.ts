/**
 * Reads the binary framing that some providers put around a stream's events, and shows it as the event stream that everything
 * behind it reads. Checksums are verified, messages may be split at any byte, and nothing is read ahead.
 */

import { FrameTooLargeError } from './frame-reader.ts';
import { ReplyTooLargeError, type UpstreamReply } from './transport.ts';

const contentType = 'application/vnd.amazon.eventstream';
/** Total length, length of the headers, checksum of both. */
const preludeBytes = 12;
const checksumBytes = 4;

/** The bytes are not what the framing says they are. */
export class EventStreamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EventStreamError';
  }
}

/** The reply with its messages as events. One of another content type, such as an error's body, is passed as it is. */
export function decodeEventStream(reply: UpstreamReply, messageBytesMax = 33_554_432): UpstreamReply {
  if (reply.header('content-type')?.toLowerCase().startsWith(contentType) !== true) return reply;
  const reader = new MessageReader(messageBytesMax);
  async function next(): Promise<Uint8Array | undefined> {
    for (let piece = await reply.read(); piece !== undefined; piece = await reply.read()) {
      const text = reader.push(piece);
      if (text !== '') return Buffer.from(text);
    }
    reader.end();
    return undefined;
  }
  const read = (): Promise<Uint8Array | undefined> =>
    next().catch((error: unknown) => {
      // The rest of a malformed stream is not needed.
      reply.cancel();
      throw error;
    });
  return {
    status: reply.status,
    header(name) {
      if (name === 'content-type') return 'text/event-stream';
      return name === 'content-length' ? undefined : reply.header(name);
    },
    read,
    async whole(bytesMax) {
      const pieces: Uint8Array[] = [];
      let total = 0;
      for (let piece = await read(); piece !== undefined; piece = await read()) {
        total += piece.length;
        if (total > bytesMax) {
          reply.cancel();
          throw new ReplyTooLargeError(bytesMax);
        }
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    },
    cancel: () => reply.cancel(),
  };
}

class MessageReader {
  readonly #messageBytesMax: number;
  #pieces: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Length of the message that is open; 0 while its prelude is not whole. */
  #messageBytes = 0;

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax;
  }

  /** The events of all messages that became whole. */
  push(piece: Uint8Array): string {
    // Pieces are joined only when a length is reached, so that a large message in small reads costs linear time.
    this.#pieces.push(piece.slice());
    this.#pendingBytes += piece.length;
    let text = '';
    while (this.#pendingBytes >= (this.#messageBytes || preludeBytes)) {
      const bytes = this.#pieces.length === 1 ? (this.#pieces[0] ?? piece) : Buffer.concat(this.#pieces);
      if (this.#messageBytes === 0) {
        this.#pieces = [bytes];
        this.#messageBytes = this.#readPrelude(bytes);
        continue;
      }
      text += eventOf(bytes.subarray(0, this.#messageBytes));
      const rest = bytes.subarray(this.#messageBytes);
      this.#pieces = rest.length === 0 ? [] : [rest];
      this.#pendingBytes = rest.length;
      this.#messageBytes = 0;
    }
    return text;
  }

  end(): void {
    if (this.#pendingBytes > 0) throw new EventStreamError('The provider’s stream ended inside a message.');
  }

  #readPrelude(bytes: Uint8Array): number {
    const view = viewOf(bytes);
    const messageBytes = view.getUint32(0);
    if (view.getUint32(8) !== checksum(bytes.subarray(0, 8))) {
      throw new EventStreamError('The checksum of a message’s beginning is wrong.');
    }
    if (messageBytes > this.#messageBytesMax) throw new FrameTooLargeError(this.#messageBytesMax);
    if (messageBytes < preludeBytes + checksumBytes + view.getUint32(4)) {
      throw new EventStreamError('A message is shorter than its headers.');
    }
    return messageBytes;
  }
}

/** One message as an event; empty for those that carry nothing for a client. */
function eventOf(message: Uint8Array): string {
  const view = viewOf(message);
  const end = message.length - checksumBytes;
  if (view.getUint32(end) !== checksum(message.subarray(0, end))) {
    throw new EventStreamError('The checksum of a message is wrong.');
  }
  const headersEnd = preludeBytes + view.getUint32(4);
  const headers = readHeaders(message.subarray(preludeBytes, headersEnd));
  const payload = Buffer.from(message.buffer, message.byteOffset + headersEnd, end - headersEnd).toString('utf8');
  const type = headers.get(':message-type');
  if (type === 'exception') return faultEvent(headers.get(':exception-type') ?? '', messageOf(payload));
  if (type === 'error') return faultEvent(headers.get(':error-code') ?? '', headers.get(':error-message') ?? '');
  return headers.get(':event-type') === 'chunk' ? chunkEvent(payload) : '';
}

const typeFirst = /^\{"type":"(\w+)"/;

/** The provider's own event, wrapped in base64 and JSON. */
function chunkEvent(payload: string): string {
  const bytes = fieldOf(payload, 'bytes');
  if (bytes === undefined) throw new EventStreamError('A chunk holds no bytes.');
  // Line breaks can only occur between JSON tokens, where any whitespace is valid; in an event they would end a line.
  const data = Buffer.from(bytes, 'base64')
    .toString('utf8')
    .replace(/[\r\n]+/g, ' ');
  const type = typeFirst.exec(data)?.[1] ?? fieldOf(data, 'type');
  return `${type === undefined || !/^\w+$/.test(type) ? '' : `event: ${type}\n`}data: ${data}\n\n`;
}

/** The framing's errors as errors of the format whose events it wraps. */
const faultTypes: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  serviceUnavailableException: 'overloaded_error',
  validationException: 'invalid_request_error',
  modelTimeoutException: 'timeout_error',
};

function faultEvent(name: string, message: string): string {
  const type = (Object.hasOwn(faultTypes, name) && faultTypes[name]) || 'api_error';
  const error = { type, message: message || name || 'The stream failed.', ...(name !== '' && { code: name }) };
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
}

function messageOf(payload: string): string {
  return fieldOf(payload, 'message') ?? fieldOf(payload, 'Message') ?? '';
}

function fieldOf(json: string, name: string): string | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(json);
  } catch {
    return undefined;
  }
  const value: unknown = typeof tree === 'object' && tree !== null ? Reflect.get(tree, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Bytes of a value by its type's number; texts and byte arrays (7, 6) carry their own length. */
const valueBytes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const byteArrayType = 6;
const textType = 7;

/** The text headers; others are skipped. */
function readHeaders(block: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  let at = 0;
  const take = (count: number): number => {
    if (at + count > bytes.length) throw new EventStreamError('A message’s header reaches beyond its block.');
    at += count;
    return at - count;
  };
  while (at < bytes.length) {
    const nameBytes = bytes.readUInt8(take(1));
    const nameAt = take(nameBytes);
    const type = bytes.readUInt8(take(1));
    const counted = type === textType || type === byteArrayType;
    const length = counted ? bytes.readUInt16BE(take(2)) : valueBytes[type];
    if (length === undefined) throw new EventStreamError(`A message’s header is of the unknown type ${type}.`);
    const valueAt = take(length);
    if (type !== textType) continue;
    headers.set(bytes.toString('utf8', nameAt, nameAt + nameBytes), bytes.toString('utf8', valueAt, valueAt + length));
  }
  return headers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checksum(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes);
}
