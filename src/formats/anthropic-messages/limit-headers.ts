/**
 * Anthropic Messages API: what is left of rate limits, under the names that its libraries and agents read.
 * https://docs.anthropic.com/en/api/rate-limits (read 2026-11-17)
 */

const kinds = ['requests', 'tokens'] as const;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** `1m0.25s`, `8.5s` or `120ms`. */
function durationMs(text: string): number {
  let sum = 0;
  for (const [, count = '0', unit = 'ms'] of text.matchAll(/([\d.]+)(ms|s|m)/g))
    sum += Number(count) * (unitMs[unit] ?? 0);
  return sum;
}

/** Beside the headers of the other format, which several agents read from any server. */
export function limitHeaders(given: Readonly<Record<string, string>>, nowMs: number): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const kind of kinds) {
    const limit = given[`x-ratelimit-limit-${kind}`];
    if (limit === undefined) continue;
    const resetMs = nowMs + durationMs(given[`x-ratelimit-reset-${kind}`] ?? '');
    headers[`anthropic-ratelimit-${kind}-limit`] = limit;
    headers[`anthropic-ratelimit-${kind}-remaining`] = given[`x-ratelimit-remaining-${kind}`] ?? '0';
    headers[`anthropic-ratelimit-${kind}-reset`] = `${new Date(resetMs).toISOString().slice(0, 19)}Z`;
  }
  return headers;
}
