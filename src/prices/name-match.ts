/** Rules of a table for the names of a model. They come from outside, so each is bounded before it is used. */

import { fieldsOf, listOf, shown, TableError, type TablePath } from './tables/table-error.ts';

export type NameMatch = (name: string) => boolean;

const depthMax = 6;
const rulesMax = 200;
const patternLengthMax = 200;
/** Two open repetitions take at most the square of a name's length in steps. */
const openRepetitionsMax = 2;
const nameLengthMax = 300;

/** Names are given in lower case. */
export function nameMatch(value: unknown, path: TablePath, depth = 0): NameMatch {
  const [kind, rule, ...others] = Object.entries(fieldsOf(value, path)).flat();
  if (typeof kind !== 'string' || others.length > 0) throw new TableError(path, 'A rule for names says one thing.');
  const at = [...path, kind];
  if (kind === 'or' || kind === 'and') {
    if (depth >= depthMax) throw new TableError(at, `Rules for names are nested deeper than ${depthMax}.`);
    const rules = listOf(rule, at, rulesMax).map((one, index) => nameMatch(one, [...at, index], depth + 1));
    return kind === 'or' ? (name) => rules.some((is) => is(name)) : (name) => rules.every((is) => is(name));
  }
  if (typeof rule !== 'string' || rule.length > nameLengthMax) throw new TableError(at, `${shown(rule)} is no name.`);
  const text = rule.toLowerCase();
  if (kind === 'equals') return (name) => name === text;
  if (kind === 'starts_with') return (name) => name.startsWith(text);
  if (kind === 'ends_with') return (name) => name.endsWith(text);
  if (kind === 'contains') return (name) => name.includes(text);
  if (kind === 'regex') return patternMatch(rule, at);
  throw new TableError(at, 'This kind of rule for names is not known.');
}

/** Only patterns that cannot run for long, whatever name they are tried on. */
function patternMatch(pattern: string, path: TablePath): NameMatch {
  const plain = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  const open = plain.match(/[*+]|\{\d*,\}/g) ?? [];
  const isBounded = !/\)[*+{]/.test(plain) && !/\\[1-9k]/.test(pattern) && open.length <= openRepetitionsMax;
  if (pattern.length > patternLengthMax || !isBounded)
    throw new TableError(path, `${shown(pattern)} is a pattern that could run for long.`);
  try {
    const expression = new RegExp(pattern, 'i');
    return (name) => name.length <= nameLengthMax && expression.test(name);
  } catch {
    throw new TableError(path, `${shown(pattern)} is no pattern.`);
  }
}
