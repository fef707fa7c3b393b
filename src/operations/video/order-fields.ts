/** One view of an order for a video, whether it came as JSON or as a form, so that both are held to the same rules. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { invalid } from '../field-checks.ts';
import type { FormField, FormFile, WireBody } from '../wire.ts';

export interface OrderFields {
  readonly isForm: boolean;
  /** Every name with a value, in the order of the body; `null` is no value, and in a form neither is an empty text. */
  readonly names: readonly string[];
  value(name: string): unknown;
}

/** Nested texts of a form did not pass the body's own limit of depth. */
const nestedDepthMax = 16;
const nestedCharactersMax = 32_768;

export function orderFieldsOf(body: WireBody): OrderFields {
  if (body.kind === 'file') throw new GatewayError('content_type_unsupported', 'Send JSON or a form.');
  const values = body.kind === 'json' ? jsonValues(body.tree) : formValues(body.fields);
  return { isForm: body.kind === 'form', names: [...values.keys()], value: (name) => values.get(name) };
}

function jsonValues(tree: unknown): Map<string, unknown> {
  if (!isObject(tree)) throw new GatewayError('json_malformed', 'The body must be a JSON object.');
  return new Map(Object.entries(tree).filter(([, value]) => value !== null && value !== undefined));
}

/**
 * Libraries write a list as `images[]` or `images[0]` and an object as `metadata[key]`. What is there twice becomes a list, and
 * a field that must be there once then refuses it.
 */
function formValues(fields: readonly FormField[]): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const objects = new Map<string, Map<string, unknown>>();
  for (const { name, value } of fields) {
    if (value === '') continue;
    const [, stem = name, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    if (inner === undefined) add(values, name, value);
    else if (/^\d{0,3}$/.test(inner)) addListed(values, stem, value);
    else {
      const object = objects.get(stem) ?? new Map<string, unknown>();
      objects.set(stem, object);
      add(object, inner, value);
    }
  }
  // From entries, for a key may bear the name of something that every object inherits.
  for (const [stem, object] of objects) add(values, stem, Object.fromEntries(object));
  return values;
}

function add(values: Map<string, unknown>, name: string, value: unknown): void {
  const known = values.get(name);
  if (known === undefined) values.set(name, value);
  else if (Array.isArray(known)) known.push(value);
  else values.set(name, [known, value]);
}

function addListed(values: Map<string, unknown>, name: string, value: unknown): void {
  if (values.has(name)) add(values, name, value);
  else values.set(name, [value]);
}

export function isFile(value: unknown): value is FormFile {
  return isObject(value) && typeof value['open'] === 'function' && typeof value['bytes'] === 'number';
}

/** A text of at most so many characters. */
export function textOf(fields: OrderFields, name: string, charactersMax: number): string | undefined {
  const value = fields.value(name);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) throw invalid(name, fields.isForm ? 'must be there once' : 'must be text');
  if (typeof value !== 'string') throw invalid(name, 'must be text');
  if (value.length > charactersMax) throw invalid(name, `must not have more than ${charactersMax} characters`);
  return value;
}

export function wholeOf(fields: OrderFields, name: string, least: number, most: number): number | undefined {
  const value = fields.value(name);
  if (value === undefined) return undefined;
  const isSpelled = fields.isForm && typeof value === 'string' && /^-?\d{1,16}$/.test(value);
  const number = isSpelled ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < least || number > most) {
    throw invalid(name, `must be a whole number from ${least} to ${most}`);
  }
  return number;
}

/** More than nothing, at most so much. Libraries write lengths as texts in JSON too. */
export function amountOf(fields: OrderFields, name: string, most: number): number | undefined {
  const value = fields.value(name);
  if (value === undefined) return undefined;
  const isSpelled = typeof value === 'string' && /^\d{1,6}(\.\d{1,6})?$/.test(value);
  const number = isSpelled ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0 || number > most) {
    throw invalid(name, `must be a number above 0 and not above ${most}`);
  }
  return number;
}

/** The object that a field holds. A form may write it as JSON. Undefined where it holds none. */
export function objectIn(fields: OrderFields, name: string): Readonly<Record<string, unknown>> | undefined {
  const value = fields.value(name);
  if (isFile(value)) return undefined;
  if (isObject(value)) return value;
  if (!fields.isForm || typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  if (value.length > nestedCharactersMax)
    throw invalid(name, `must not have more than ${nestedCharactersMax} characters`);
  if (depthOf(value) > nestedDepthMax) throw invalid(name, `must not nest deeper than ${nestedDepthMax} levels`);
  try {
    const tree: unknown = JSON.parse(value);
    return isObject(tree) ? tree : undefined;
  } catch {
    throw invalid(name, 'must be valid JSON');
  }
}

/** Brackets inside texts count too: too deep is then said too early, never too late. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const sign of text) {
    if (sign === '{' || sign === '[') deepest = Math.max(deepest, ++depth);
    else if (sign === '}' || sign === ']') depth--;
  }
  return deepest;
}
