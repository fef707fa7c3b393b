/** Finds objects in a body that name a key twice: the parser keeps the last one, and a provider may read the first. */

import type { JsonBody } from './json-body.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Those of the top-level fields that hold a doubled key anywhere inside, as they were parsed; undefined where none does. */
export function doubledFields(body: JsonBody, names: readonly string[]): Map<string, string> | undefined {
  // Without positions the whole body is printed again in any case.
  if (body.fields === undefined) return undefined;
  let doubled: Map<string, string> | undefined;
  for (const name of names) {
    const range = body.fields.get(name);
    const value = body.tree[name];
    if (range === undefined || membersIn(body.bytes, range.start, range.end) === membersOf(value)) continue;
    doubled ??= new Map();
    doubled.set(name, JSON.stringify(value));
  }
  return doubled;
}

/** Each colon outside of strings is one member. */
function membersIn(bytes: Uint8Array, start: number, end: number): number {
  let members = 0;
  let inside = false;
  for (let index = start; index < end; index++) {
    const byte = bytes[index];
    if (byte === quote) inside = !inside;
    else if (inside && byte === backslash) index++;
    else if (!inside && byte === colon) members++;
  }
  return members;
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) members += membersOf(element);
    return members;
  }
  for (const name in value) members += 1 + membersOf((value as Record<string, unknown>)[name]);
  return members;
}
