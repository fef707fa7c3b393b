/** What a thing of one format calls itself, so that the report of its loss says what was lost. */

import { isObject } from './json-tree.ts';

/** Its type, else its name, else its only or first field; undefined where it is no object or an empty one. */
export function nativeName(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  for (const word of [value['type'], value['name'], Object.keys(value)[0]]) {
    if (typeof word === 'string' && word !== '') return word;
  }
  return undefined;
}
