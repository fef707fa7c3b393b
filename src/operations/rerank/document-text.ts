/** A document as one text, for wires that rank texts only and for callers who are given their documents back. */

import { isObject } from '../../conversation/json-tree.ts';
import type { RankedDocument, RerankRequest } from '../rerank.ts';

export function documentText(document: RankedDocument, { rankFields }: Pick<RerankRequest, 'rankFields'>): string {
  if (typeof document === 'string') return document;
  if (rankFields === undefined) {
    const { text } = document;
    return typeof text === 'string' ? text : lines(document, Object.keys(document));
  }
  return lines(document, rankFields);
}

/** One field a line under its name, which is how models of this kind were taught to read structure. */
function lines(document: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  return names
    .filter((name) => Object.hasOwn(document, name) && document[name] !== null && document[name] !== undefined)
    .map((name) => `${name}: ${plain(document[name])}`)
    .join('\n');
}

function plain(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}
