/**
 * Finds the `"usage":null` that a provider writes into every chunk once usage was requested: a client that did not ask
 * must not get it.
 */

import type { ByteRange } from '../../format.ts';

const member = Buffer.from('"usage":null');
const key = Buffer.from('"usage"');
const nothing = Buffer.from('null');
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const opening = 0x7b;
const closing = 0x7d;
const openingList = 0x5b;
const closingList = 0x5d;

/**
 * The bytes of the member with its comma; undefined where the chunk has none at its top level. Quotes inside a text are escaped,
 * so the bytes of the member never occur inside one.
 */
export function nullUsageIn(raw: Uint8Array): ByteRange | undefined {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const at = bytes.lastIndexOf(member);
  if (at !== -1) {
    const end = at + member.length;
    // No object ends between the member and the chunk's own end, so it is a member of the chunk itself.
    if (bytes.indexOf(closing, end) === lastByte(bytes)) return withComma(bytes, at, end);
  }
  return searched(bytes);
}

/** The place of the last byte that is no white space. */
function lastByte(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && isSpace(bytes[at])) at -= 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** A member takes the comma before it along; the first one takes the comma after it. */
function withComma(bytes: Buffer, start: number, end: number): ByteRange {
  let before = start - 1;
  while (isSpace(bytes[before])) before -= 1;
  if (bytes[before] === comma) return { start: before, end };
  let after = end;
  while (isSpace(bytes[after])) after += 1;
  return { start, end: bytes[after] === comma ? after + 1 : end };
}

/** Walks the chunk member by member, for spellings with white space and for nested members of the same name. */
function searched(bytes: Buffer): ByteRange | undefined {
  let depth = 0;
  let mayBeKey = false;
  for (let at = bytes.indexOf(opening); at !== -1 && at < bytes.length; at++) {
    switch (bytes[at]) {
      case opening:
      case openingList:
        depth += 1;
        mayBeKey = true;
        break;
      case closing:
      case closingList:
        depth -= 1;
        break;
      case comma:
        mayBeKey = true;
        break;
      case quote: {
        const end = endOfText(bytes, at);
        const value = depth === 1 && mayBeKey ? endOfNull(bytes, at, end) : undefined;
        if (value !== undefined) return withComma(bytes, at, value);
        mayBeKey = false;
        at = end - 1;
      }
    }
  }
  return undefined;
}

function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}

/** Where the value ends, if the text is the name of the member and the value is null. */
function endOfNull(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start !== key.length || bytes.compare(key, 0, key.length, start, end) !== 0) return undefined;
  let at = end;
  while (isSpace(bytes[at])) at += 1;
  if (bytes[at] !== colon) return undefined;
  at += 1;
  while (isSpace(bytes[at])) at += 1;
  const last = at + nothing.length;
  return last <= bytes.length && bytes.compare(nothing, 0, nothing.length, at, last) === 0 ? last : undefined;
}
