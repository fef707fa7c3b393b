/** Reads the head of a reply: at once what the framing of its body needs, any other header only on demand. */

import { bodyUntilClose, chunkedBody } from '../../framing/body-framing.ts';
import { FramingError } from '../../framing/framing-error.ts';

export interface ReplyHead {
  readonly status: number;
  /** The body's bytes, or `chunkedBody`, or `bodyUntilClose`. */
  readonly length: number;
  /** Whether the connection may carry another request after this reply. */
  readonly reusable: boolean;
  /** The content coding in lower case, `''` if the body is not encoded. */
  readonly encoding: string;
}

const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;
const lowerC = 0x63;
const lowerT = 0x74;
/** More digits than any body has, and few enough that a number holds them exactly. */
const lengthDigitsMax = 15;
/** Statuses beyond these classes are invalid. */
const statusMax = 599;
const bareReturn = /\r(?!\n)/;

interface FramingFields {
  length: string | undefined;
  transfer: string | undefined;
  connection: string;
  encoding: string;
}

/**
 * `text` is the head without the empty line that ends it. A head that another parser might read differently is either
 * refused or, where the reply itself is clear, the last one on its connection.
 */
export function readReplyHead(text: string, bodiless: boolean): ReplyHead {
  const status = readStatus(text);
  const fields = scanFields(text);
  const reusable = !closesAfter(text, fields.connection) && status <= statusMax && !bareReturn.test(text);
  const encoding = fields.encoding === 'identity' ? '' : fields.encoding;
  const { length, transfer } = fields;
  if (bodiless || status === 204 || status === 304 || status < 200) {
    // A body that is announced may still be sent: on a connection used again it would be the next request's reply.
    const announced = transfer !== undefined || (length !== undefined && length !== '0');
    return { status, length: 0, reusable: reusable && !announced, encoding: '' };
  }
  if (transfer !== undefined) {
    if (transfer.toLowerCase() !== 'chunked') {
      throw new FramingError('The reply uses a transfer coding other than chunked.');
    }
    // A length together with chunks is how replies are smuggled: the chunks count, and the connection is not reused.
    return { status, length: chunkedBody, reusable: reusable && length === undefined && status !== 205, encoding };
  }
  if (length === undefined) return { status, length: bodyUntilClose, reusable: false, encoding };
  const bytes = readLength(length);
  const unclear = length.includes(',') || (status === 205 && bytes > 0);
  return { status, length: bytes, reusable: reusable && !unclear, encoding };
}

function readStatus(text: string): number {
  const minor = text.charCodeAt(7) - 0x30;
  const fitting = text.startsWith('HTTP/1.') && minor >= 0 && minor <= 9 && text.charCodeAt(8) === space;
  const status = fitting ? threeDigits(text) : 0;
  const after = text.length > 12 ? text.charCodeAt(12) : space;
  if (status < 100 || (after !== space && after !== carriageReturn)) {
    throw new FramingError('The server did not answer in HTTP/1.1.');
  }
  return status;
}

function threeDigits(text: string): number {
  let value = 0;
  for (let at = 9; at < 12; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return 0;
    value = value * 10 + digit;
  }
  return value;
}

function scanFields(text: string): FramingFields {
  const fields: FramingFields = { length: undefined, transfer: undefined, connection: '', encoding: '' };
  let lineFeed = text.indexOf('\n');
  if (lineFeed >= 0) requireLineEnd(text, lineFeed);
  while (lineFeed >= 0) {
    const start = lineFeed + 1;
    lineFeed = text.indexOf('\n', start);
    if (lineFeed >= 0) requireLineEnd(text, lineFeed);
    const end = lineFeed < 0 ? text.length : lineFeed - 1;
    const colon = text.indexOf(':', start);
    const before = text.charCodeAt(colon - 1);
    const first = text.charCodeAt(start);
    if (colon <= start || colon >= end || before === space || before === tab || first === space || first === tab) {
      throw new FramingError('A line of the reply’s head is not a header.');
    }
    const initial = first | 0x20;
    if (initial === lowerC || initial === lowerT) takeField(fields, text, start, colon, end);
  }
  return fields;
}

function requireLineEnd(text: string, lineFeed: number): void {
  if (text.charCodeAt(lineFeed - 1) !== carriageReturn) {
    throw new FramingError('A line of the reply’s head ends without a carriage return.');
  }
}

function takeField(fields: FramingFields, text: string, start: number, colon: number, end: number): void {
  const nameLength = colon - start;
  // Lengths of connection, content-length, content-encoding, transfer-encoding.
  if (nameLength !== 10 && nameLength !== 14 && nameLength !== 16 && nameLength !== 17) return;
  const name = text.slice(start, colon).toLowerCase();
  const value = text.slice(colon + 1, end).trim();
  if (name === 'content-length') {
    fields.length = fields.length === undefined ? value : `${fields.length},${value}`;
  } else if (name === 'transfer-encoding') {
    fields.transfer = fields.transfer === undefined ? value : `${fields.transfer},${value}`;
  } else if (name === 'connection') {
    fields.connection += `${value.toLowerCase()},`;
  } else if (name === 'content-encoding') {
    fields.encoding = fields.encoding === '' ? value.toLowerCase() : `${fields.encoding},${value.toLowerCase()}`;
  }
}

/**
 * HTTP/1.0 servers do not support chunks, and proxies before them do not support `keep-alive`: one reply per
 * connection.
 */
function closesAfter(text: string, connection: string): boolean {
  if (text.charCodeAt(7) !== 0x31) return true;
  return connection !== '' && connection.split(',').some((word) => word.trim() === 'close');
}

/** Several lengths are allowed as long as they agree. */
function readLength(value: string): number {
  if (value.includes(',')) {
    const lengths = new Set(value.split(',').map((word) => readLength(word.trim())));
    const [length] = lengths;
    if (lengths.size !== 1 || length === undefined)
      throw new FramingError('The reply announces two different lengths.');
    return length;
  }
  if (value.length === 0 || value.length > lengthDigitsMax) throw badLength();
  let length = 0;
  for (let at = 0; at < value.length; at += 1) {
    const digit = value.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) throw badLength();
    length = length * 10 + digit;
  }
  return length;
}

function badLength(): FramingError {
  return new FramingError('The reply’s content-length is not a number.');
}

/** A header's value by its lower-case name; several of one name are joined. Stray carriage returns count as spaces. */
export function headerOf(text: string, name: string): string | undefined {
  let found: string | undefined;
  let lineFeed = text.indexOf('\n');
  while (lineFeed >= 0) {
    const start = lineFeed + 1;
    lineFeed = text.indexOf('\n', start);
    const colon = start + name.length;
    if (text.charCodeAt(colon) !== 0x3a || text.slice(start, colon).toLowerCase() !== name) continue;
    let value = text.slice(colon + 1, lineFeed < 0 ? text.length : lineFeed).trim();
    if (value.includes('\r')) value = value.replaceAll('\r', ' ');
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}
