/**
 * Reads a JSON body once: the parsed tree for checks, and where each top-level value lies in the bytes, so that a field can be
 * replaced later without printing the rest again. Nesting, values and keys are bounded before the parser sees them.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { utf8Text } from '../../conversation/texts/utf8-text.ts';
import type { SlicedBytes, Slices } from './in-slices.ts';
import { JoinedBytes } from './joined-bytes.ts';
import { type ByteRange, type JsonLimits, JsonScan, jsonBytes } from './json-scan.ts';

export interface JsonBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tree: Readonly<Record<string, unknown>>;
  /** Positions of the top-level values; absent if the keys cannot be trusted byte by byte (escapes, duplicates). */
  readonly fields: ReadonlyMap<string, ByteRange> | undefined;
}

/**
 * What is read in one go takes a few milliseconds within these, whatever it is made of. Larger bodies of requests are read in
 * slices, with the limits of the settings.
 */
export const countsAtOnce = { valuesMax: 100_000, keysMax: 25_000 } as const;

export function readJsonBody(
  bytes: Uint8Array<ArrayBuffer>,
  depthMax: number,
  counts: Pick<JsonLimits, 'valuesMax' | 'keysMax'> = countsAtOnce,
): JsonBody {
  if (bytes.length === 0) throw emptyBody();
  const scan = new JsonScan(bytes, { depthMax, valuesMax: counts.valuesMax, keysMax: counts.keysMax });
  scan.run();
  const tree = parseObject(bytes);
  return { bytes, tree, fields: scan.fields };
}

export function emptyBody(): GatewayError {
  return new GatewayError('json_malformed', 'The body is empty; send a JSON object.');
}

export function untrustedKeys(bytesMax: number): GatewayError {
  const message = `The top-level keys of a body of more than ${bytesMax} bytes must differ and have no escapes.`;
  return new GatewayError('json_malformed', message);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8Text(bytes));
  } catch (cause) {
    throw notJson(cause);
  }
  return objectOf(value);
}

export function notJson(cause: unknown): GatewayError {
  const reason = cause instanceof Error ? cause.message.replace(/^JSON Parse error: /, '') : 'unreadable';
  return new GatewayError('json_malformed', `The body is not valid JSON: ${reason.slice(0, 200)}.`, { cause });
}

export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('json_malformed', 'The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Edits of a body: a JSON text for a field to set, or `undefined` to omit the field. */
export type FieldEdits = ReadonlyMap<string, string | undefined>;

/** Applies edits to the body. Everything that is not edited keeps its exact bytes. */
export function editFields(body: JsonBody, edits: FieldEdits): Uint8Array<ArrayBuffer> {
  // A body with doubled or escaped keys is printed again even without edits: a provider that reads the first of two
  // `model` keys would otherwise serve another model than the one that was checked.
  if (body.fields === undefined) return printEdited(body.tree, edits);
  if (edits.size === 0) return body.bytes;
  return join(editedPieces(body.bytes, body.fields, edits));
}

/** The same for a large body, put together in slices. */
export function editingInSlices(body: JsonBody, edits: FieldEdits): SlicedBytes {
  const { bytes, fields } = body;
  const isCopied = fields !== undefined && edits.size > 0;
  return new JoinedBytes(isCopied ? editedPieces(bytes, fields, edits) : [editFields(body, edits)]);
}

function editedPieces(bytes: Uint8Array, fields: ReadonlyMap<string, ByteRange>, edits: FieldEdits): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  const inPlace = [...edits].filter(([name]) => fields.has(name)).sort(byPlace(fields));
  for (const [name, text] of inPlace) {
    const range = fields.get(name);
    if (range === undefined) continue;
    if (text === undefined) return layOut(bytes, fields, edits).pieces;
    pieces.push(bytes.subarray(from, range.start), encoder.encode(text));
    from = range.end;
  }
  const added = [...edits].filter(([name, text]) => text !== undefined && !fields.has(name));
  const close = bytes.lastIndexOf(jsonBytes.closeBrace);
  pieces.push(bytes.subarray(from, close));
  const comma = fields.size > 0 ? ',' : '';
  if (added.length > 0) {
    pieces.push(encoder.encode(comma + added.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')));
  }
  pieces.push(bytes.subarray(close));
  return pieces;
}

const encoder = new TextEncoder();

/** The body with its edits, as if the result had been read again: large ones are not. */
export function editBody(body: JsonBody, edits: FieldEdits): JsonBody {
  const { fields } = body;
  if (fields === undefined)
    return readJsonBody(editFields(body, edits), Infinity, { valuesMax: Infinity, keysMax: Infinity });
  const { pieces, places } = layOut(body.bytes, fields, edits);
  return { tree: editedTree(body.tree, edits), bytes: join(pieces), fields: places };
}

/** The same for a large body, put together in slices. */
export async function editBodyInSlices(body: JsonBody, edits: FieldEdits, slices: Slices): Promise<JsonBody> {
  const { fields } = body;
  if (fields === undefined) return editBody(body, edits);
  const { pieces, places } = layOut(body.bytes, fields, edits);
  const joined = new JoinedBytes(pieces);
  await slices.run(joined);
  return { tree: editedTree(body.tree, edits), bytes: joined.bytes, fields: places };
}

function editedTree(before: JsonBody['tree'], edits: FieldEdits): Record<string, unknown> {
  const tree: Record<string, unknown> = { ...before };
  for (const [name, text] of edits) {
    if (text === undefined) delete tree[name];
    else Object.defineProperty(tree, name, { ...plainField, value: JSON.parse(text) });
  }
  return tree;
}

const plainField = { writable: true, enumerable: true, configurable: true } as const;

/** Reassembles the body without the omitted fields: the commas move, every other value keeps its exact bytes. */
function layOut(
  bytes: Uint8Array,
  fields: ReadonlyMap<string, ByteRange>,
  edits: FieldEdits,
): { readonly pieces: Uint8Array[]; readonly places: ReadonlyMap<string, ByteRange> } {
  const pieces: Uint8Array[] = [];
  const places = new Map<string, ByteRange>();
  let length = 0;
  const add = (name: string, value: Uint8Array): void => {
    const before = encoder.encode(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    pieces.push(before, value);
    const start = length + before.length;
    length = start + value.length;
    places.set(name, { start, end: length });
  };
  for (const [name, { start, end }] of fields) {
    const text = edits.get(name);
    if (text !== undefined) add(name, encoder.encode(text));
    else if (!edits.has(name)) add(name, bytes.subarray(start, end));
  }
  for (const [name, text] of edits) if (text !== undefined && !fields.has(name)) add(name, encoder.encode(text));
  pieces.push(encoder.encode(pieces.length === 0 ? '{}' : '}'));
  return { pieces, places };
}

function byPlace(fields: ReadonlyMap<string, ByteRange>) {
  return (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
    (fields.get(a[0])?.start ?? 0) - (fields.get(b[0])?.start ?? 0);
}

/** The slow path, for bodies whose keys are escaped or doubled: what is printed is exactly what was checked. */
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
