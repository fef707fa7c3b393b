/**
 * Reads when a provider's list says that a model ends: `shutdown_date` (https://developers.openai.com/api/docs/deprecations, a
 * day or null), `expiration_date` (https://openrouter.ai/docs/api/api-reference/models), `deprecation` (https://docs.mistral.ai/api:
 * the values are the days that its model pages call the retirement), `deprecated_at` in seconds (https://vercel.com/docs/ai-gateway),
 * `deprecation_date` as Weir itself writes it (all read 2026-11-16).
 */

import { defined, type Tree } from '../conversation/json-tree.ts';
import type { ListedModel } from '../conversation/model-profile.ts';

export function datesIn(row: Tree): Pick<ListedModel, 'deprecatedAt' | 'shutdownAt'> {
  return {
    ...defined('deprecatedAt', firstDay(row['deprecation_date'], row['deprecated_at'])),
    ...defined('shutdownAt', firstDay(row['shutdown_date'], row['expiration_date'], row['deprecation'])),
  };
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;
/** What lies outside of these years is no date of a model. */
const earliestMs = Date.UTC(2020, 0, 1);
const latestMs = Date.UTC(2100, 0, 1);
/** As seconds this is the year 5138. */
const secondsMax = 100_000_000_000;

/** In UTC. */
function firstDay(...values: readonly unknown[]): string | undefined {
  const found = values.map(timeOf).find((atMs) => atMs !== undefined && atMs >= earliestMs && atMs < latestMs);
  return found === undefined ? undefined : new Date(found).toISOString().slice(0, 10);
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) {
    return Math.round(value < secondsMax ? value * 1_000 : value);
  }
  if (typeof value !== 'string' || !(day.test(value) || instant.test(value))) return undefined;
  const atMs = Date.parse(value.replace(' ', 'T'));
  return Number.isNaN(atMs) ? undefined : atMs;
}
