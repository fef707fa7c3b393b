/**
 * Reads a JSON body once: the parsed tree for checks, and where each top-level value lies in the bytes, so that a field can be
 * replaced later without printing the rest again. Nesting is bounded here, before the parser recurses.
 */

import { GatewayError } from '../conversation/gateway-error.ts';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface JsonBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tree: Readonly<Record<string, unknown>>;
  /** Where each top-level value lies; absent when the keys cannot be trusted byte by byte (escapes, duplicates). */
  readonly fields: ReadonlyMap<string, ByteRange> | undefined;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const colon = 0x3a;
const comma = 0x2c;

export function readJsonBody(bytes: Uint8Array<ArrayBuffer>, depthMax: number): JsonBody {
  if (bytes.length === 0) throw new GatewayError('json_malformed', 'The body is empty; send a JSON object.');
  const fields = scanFields(bytes, depthMax);
  const tree = parseObject(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return { bytes, tree, fields };
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^JSON Parse error: /, '') : 'unreadable';
    throw new GatewayError('json_malformed', `The body is not valid JSON: ${reason.slice(0, 200)}.`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('json_malformed', 'The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/**
 * One pass over the structure: strings are skipped by a native search, so the cost follows the number of values, not of bytes.
 * Malformed text is not diagnosed here (the parser does that); the pass only has to end and never to count too little depth.
 */
function scanFields(bytes: Uint8Array, depthMax: number): ReadonlyMap<string, ByteRange> | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<string, ByteRange>();
  let trusted = true;
  let depth = 0;
  let key: string | undefined;
  let valueStart = -1;
  let index = 0;
  const length = bytes.length;
  const closeValue = (end: number): void => {
    if (key !== undefined && valueStart >= 0) {
      if (fields.has(key)) trusted = false;
      fields.set(key, { start: valueStart, end: trimEnd(bytes, end) });
    }
    key = undefined;
    valueStart = -1;
  };
  while (index < length) {
    const byte = bytes[index];
    if (byte === quote) {
      const end = stringEnd(text, index);
      if (depth === 1 && key === undefined) {
        const name = text.toString('utf8', index + 1, end);
        if (name.includes('\\')) trusted = false;
        key = name;
      } else if (valueStart === -1) valueStart = index;
      index = end + 1;
      continue;
    }
    if (byte === openBrace || byte === openBracket) {
      if (depth === 1 && valueStart === -1) valueStart = index;
      depth++;
      if (depth > depthMax) {
        throw new GatewayError('json_malformed', `The body nests deeper than ${depthMax} levels.`);
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 1) closeValue(index);
      depth--;
    } else if (depth === 1) {
      if (byte === comma) closeValue(index);
      else if (byte !== colon && valueStart === -1 && !isSpace(byte)) valueStart = index;
    }
    index++;
  }
  return trusted ? fields : undefined;
}

function stringEnd(text: Buffer, open: number): number {
  let from = open + 1;
  for (;;) {
    const end = text.indexOf(quote, from);
    if (end === -1) return text.length;
    let slashes = 0;
    while (text[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function trimEnd(bytes: Uint8Array, end: number): number {
  while (end > 0 && isSpace(bytes[end - 1])) end--;
  return end;
}

/** What a request needs changed: a JSON text for a field to set, or `undefined` to leave the field out. */
export type FieldEdits = ReadonlyMap<string, string | undefined>;

/** Applies edits to the body. Everything that is not edited keeps its very bytes. */
export function editFields(body: JsonBody, edits: FieldEdits): Uint8Array<ArrayBuffer> {
  // Doubled or escaped keys are printed anew even without edits: a provider that takes the first of two `model` keys would
  // otherwise serve another model than the one that was checked.
  if (body.fields === undefined) return printEdited(body.tree, edits);
  if (edits.size === 0) return body.bytes;
  const pieces: Uint8Array[] = [];
  let from = 0;
  const inPlace = [...edits].filter(([name]) => body.fields?.has(name)).sort(byPlace(body.fields));
  for (const [name, text] of inPlace) {
    const range = body.fields.get(name);
    if (range === undefined) continue;
    if (text === undefined) return rebuilt(body.bytes, body.fields, edits);
    pieces.push(body.bytes.subarray(from, range.start), encoder.encode(text));
    from = range.end;
  }
  const added = [...edits].filter(([name, text]) => text !== undefined && !body.fields?.has(name));
  const close = body.bytes.lastIndexOf(closeBrace);
  pieces.push(body.bytes.subarray(from, close));
  const comma = body.fields.size > 0 ? ',' : '';
  if (added.length > 0) {
    pieces.push(encoder.encode(comma + added.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')));
  }
  pieces.push(body.bytes.subarray(close));
  return join(pieces);
}

const encoder = new TextEncoder();

/** Puts the body together anew where a field goes away: the commas move, every value that stays keeps its very bytes. */
function rebuilt(
  bytes: Uint8Array,
  fields: ReadonlyMap<string, ByteRange>,
  edits: FieldEdits,
): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const add = (name: string, value: Uint8Array): void => {
    pieces.push(encoder.encode(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`), value);
  };
  for (const [name, { start, end }] of fields) {
    const text = edits.get(name);
    if (text !== undefined) add(name, encoder.encode(text));
    else if (!edits.has(name)) add(name, bytes.subarray(start, end));
  }
  for (const [name, text] of edits) if (text !== undefined && !fields.has(name)) add(name, encoder.encode(text));
  pieces.push(encoder.encode(pieces.length === 0 ? '{}' : '}'));
  return join(pieces);
}

function byPlace(fields: ReadonlyMap<string, ByteRange>) {
  return (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
    (fields.get(a[0])?.start ?? 0) - (fields.get(b[0])?.start ?? 0);
}

/** The slow way, for bodies whose keys are escaped or doubled: what is printed is exactly what was checked. */
function printEdited(tree: Readonly<Record<string, unknown>>, edits: FieldEdits): Uint8Array<ArrayBuffer> {
  const fields = Object.keys(tree)
    .filter((name) => !edits.has(name))
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(tree[name])}`);
  for (const [name, text] of edits) {
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return encoder.encode(`{${fields.join(',')}}`);
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
