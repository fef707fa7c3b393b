/** Losses as callers read them: in a header, or in a comment of a stream. */

import type { Loss } from '../../conversation/parts.ts';

const lossNamesMax = 1_000;

/** The names alone, each once, in characters that a header may hold; the log has the reasons. */
export function lossNames(losses: readonly Loss[]): string {
  const names = new Set(losses.map(({ what }) => what.replace(/[^\x21-\x7e]+/g, '-')));
  const text = [...names].join(', ');
  return text.length > lossNamesMax ? `${text.slice(0, lossNamesMax)}...` : text;
}
