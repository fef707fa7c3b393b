/** Names of fields as callers read them: in a header, or in a comment of a stream. */

import type { Loss } from '../../conversation/parts.ts';

const lossNamesMax = 1_000;

/** The names alone; the log has the reasons. */
export const lossNames = (losses: readonly Loss[]): string => fieldNames(losses.map(({ what }) => what));

/** Each once, in characters that a header may hold. */
export function fieldNames(fields: readonly string[]): string {
  const names = new Set(fields.map((what) => what.replace(/[^\x21-\x7e]+/g, '-')));
  const text = [...names].join(', ');
  return text.length > lossNamesMax ? `${text.slice(0, lossNamesMax)}...` : text;
}
