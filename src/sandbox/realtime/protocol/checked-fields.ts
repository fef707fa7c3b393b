/** Reads fields of a client's event. Errors name the field. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { invalid, missing, shown, unknownParameter } from './faults.ts';

/** Libraries send null for absent fields. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function objectIn(value: unknown, param: string): Tree {
  if (isAbsent(value)) throw missing(param);
  if (!isObject(value)) throw invalid(param, 'expected an object.');
  return value;
}

export function listIn(value: unknown, param: string, lengthMax: number): readonly unknown[] {
  if (isAbsent(value)) throw missing(param);
  if (!Array.isArray(value)) throw invalid(param, 'expected a list.');
  if (value.length > lengthMax) throw invalid(param, `at most ${lengthMax} entries are taken.`);
  return value;
}

export function textIn(value: unknown, param: string): string {
  if (isAbsent(value)) throw missing(param);
  if (typeof value !== 'string') throw invalid(param, 'expected a string.');
  return value;
}

export function flagIn(value: unknown, param: string): boolean {
  if (typeof value !== 'boolean') throw invalid(param, 'expected true or false.');
  return value;
}

export function numberIn(value: unknown, param: string, [min, max]: readonly [number, number]): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw invalid(param, `expected a number from ${min} to ${max}, got ${shown(value)}.`);
}

export function wholeIn(value: unknown, param: string, range: readonly [number, number]): number {
  const number = numberIn(value, param, range);
  if (!Number.isInteger(number)) throw invalid(param, `expected a whole number, got ${number}.`);
  return number;
}

export function oneOf<const Word extends string>(value: unknown, words: readonly Word[], param: string): Word {
  if (isAbsent(value)) throw missing(param);
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  const known = words.map((name) => `'${name}'`).join(', ');
  throw invalid(param, `'${shown(value)}' is none of ${known}.`);
}

export function refuseOthers(tree: Tree, known: ReadonlySet<string>, param: string): void {
  for (const name of Object.keys(tree)) if (!known.has(name)) throw unknownParameter(`${param}.${shown(name)}`);
}
