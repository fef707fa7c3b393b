/**
 * Reads the head of a request. A head that another parser might read differently is refused: that is how requests are
 * smuggled past a proxy. https://www.rfc-editor.org/rfc/rfc9112 (read 2026-11-18).
 */

import { ownText } from '../../conversation/texts/own-text.ts';
import { chunkedBody } from '../../framing/body-framing.ts';
import { FramingError, HeadTooLargeError } from '../../framing/framing-error.ts';
import { ReceivedHeaders } from '../request-headers.ts';

export interface RequestHead {
  readonly method: string;
  /** Path and query, as the client wrote them. */
  readonly target: string;
  readonly headers: ReceivedHeaders;
  /** The body's bytes, or `chunkedBody`. */
  readonly length: number;
  /** HTTP/1.0: no chunks, and one request for a connection unless both sides say otherwise. */
  readonly isOld: boolean;
  readonly keepsAlive: boolean;
  /** The client sends the body only after the status 100. */
  readonly expectsContinue: boolean;
}

/** The request uses a version of HTTP that is not spoken here. */
export class VersionError extends FramingError {}

const headersMax = 200;
/** More digits than any body has, and few enough that a number holds them exactly. */
const lengthDigitsMax = 15;
const space = 0x20;
const tab = 0x09;

const unfitForToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
/** Controls but for tabs and the ends of lines, and a carriage return that ends none. */
const unfitForHead = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;
const unfitForTarget = /[\0-\x20\x7f]/;
const absolute = /^https?:\/\/[^/?]*/i;
/** A name or an address, and a port. */
const unfitForHost = /[^\w.\-:[\]%~!$&'()*+;=]/;
const notAscii = /[\x80-\xff]/;

/** Names as clients spell them, in lower case. The same few come with every request, so that each is checked once. */
const knownNames = new Map<string, string>();
const knownNamesMax = 1_000;
const knownNameLengthMax = 100;

/** `text` is the head, in Latin-1, without the empty line that ends it. Throws a FramingError. */
export function readRequestHead(text: string): RequestHead {
  if (unfitForHead.test(text)) throw new FramingError('The head of the request has a character that is not allowed.');
  const lineFeed = text.indexOf('\n');
  const line = lineFeed < 0 ? text : text.slice(0, endOfLine(text, lineFeed));
  const afterMethod = line.indexOf(' ');
  const beforeVersion = line.lastIndexOf(' ');
  const isOld = readVersion(line, beforeVersion);
  const method = line.slice(0, afterMethod);
  if (afterMethod <= 0 || beforeVersion === afterMethod || unfitForToken.test(method)) throw badLine();
  const list = lineFeed < 0 ? [] : readLines(text, lineFeed + 1);
  const headers = new ReceivedHeaders(list);
  const connection = headers.get('connection')?.toLowerCase() ?? '';
  checkHost(headers.get('host'), isOld);
  return {
    method,
    target: readTarget(line.slice(afterMethod + 1, beforeVersion)),
    headers,
    length: readBodyLength(headers, isOld),
    isOld,
    keepsAlive: connection === '' ? !isOld : !names(connection, 'close') && (!isOld || names(connection, 'keep-alive')),
    expectsContinue: !isOld && headers.get('expect')?.toLowerCase() === '100-continue',
  };
}

/** True for HTTP/1.0. */
function readVersion(line: string, beforeVersion: number): boolean {
  if (line.endsWith(' HTTP/1.1')) return false;
  if (line.endsWith(' HTTP/1.0')) return true;
  if (/^ HTTP\/\d+(?:\.\d+)?$/.test(line.slice(beforeVersion))) {
    throw new VersionError('The request is not of HTTP/1.1 or HTTP/1.0.');
  }
  throw badLine();
}

function readTarget(given: string): string {
  if (given === '' || unfitForTarget.test(given)) throw badLine();
  // As a client writes it that takes Weir for a proxy.
  const target = given.startsWith('/') || given === '*' ? given : given.replace(absolute, '');
  if (target === given && !given.startsWith('/') && given !== '*') throw badLine();
  const path = target.startsWith('/') || target === '*' ? target : `/${target}`;
  return notAscii.test(path) ? Buffer.from(path, 'latin1').toString('utf8') : path;
}

/** Name, value, name, value. */
function readLines(text: string, first: number): string[] {
  const list: string[] = [];
  let start = first;
  for (;;) {
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed < 0 ? text.length : endOfLine(text, lineFeed);
    const colon = text.indexOf(':', start);
    if (colon <= start || colon >= end) throw notAHeader();
    list.push(readName(text.slice(start, colon)), readValue(text, colon + 1, end));
    if (list.length > headersMax * 2) throw new HeadTooLargeError(`The request has more than ${headersMax} headers.`);
    if (lineFeed < 0) return list;
    start = lineFeed + 1;
  }
}

function endOfLine(text: string, lineFeed: number): number {
  if (text.charCodeAt(lineFeed - 1) !== 0x0d) {
    throw new FramingError('A line of the request’s head ends without a carriage return.');
  }
  return lineFeed - 1;
}

function readName(given: string): string {
  const known = knownNames.get(given);
  if (known !== undefined) return known;
  // Also a line that continues the one before, and a space before the colon.
  if (unfitForToken.test(given)) throw notAHeader();
  const name = given.toLowerCase();
  if (knownNames.size < knownNamesMax && given.length <= knownNameLengthMax)
    knownNames.set(ownText(given), ownText(name));
  return name;
}

function readValue(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}

function names(connection: string, word: string): boolean {
  return connection === word || connection.split(',').some((each) => each.trim() === word);
}

function checkHost(host: string | null, isOld: boolean): void {
  if (host === null && !isOld) throw new FramingError('The request has no `Host` header.');
  if (host === null) return;
  if (host.includes(',')) throw new FramingError('The request has more than one host.');
  if (unfitForHost.test(host)) throw new FramingError('The `Host` header is not a host.');
}

function readBodyLength(headers: ReceivedHeaders, isOld: boolean): number {
  const length = headers.get('content-length');
  const transfer = headers.get('transfer-encoding');
  if (transfer !== null) {
    if (isOld || length !== null || transfer.toLowerCase() !== 'chunked') {
      throw new FramingError('The length of the request’s body is ambiguous.');
    }
    return chunkedBody;
  }
  if (length === null) return 0;
  if (length.length === 0 || length.length > lengthDigitsMax) throw badLength();
  let bytes = 0;
  for (let at = 0; at < length.length; at += 1) {
    const digit = length.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) throw badLength();
    bytes = bytes * 10 + digit;
  }
  return bytes;
}

function badLine(): FramingError {
  return new FramingError('The first line of the request is not `METHOD /path HTTP/1.1`.');
}

function notAHeader(): FramingError {
  return new FramingError('A line of the request’s head is not a header.');
}

function badLength(): FramingError {
  return new FramingError('The request’s content-length is not a number.');
}
