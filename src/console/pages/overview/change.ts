/** How a figure compares with the same stretch of time before. */

export type Change =
  /** There was nothing to compare with. */
  { readonly kind: 'none' } | { readonly kind: 'same' } | { readonly kind: 'more' | 'less'; readonly share: number };

/** Less than this nobody calls a change. */
const noticeable = 0.0005;

export function changeOf(now: number, before: number): Change {
  if (before === 0) return now === 0 ? { kind: 'same' } : { kind: 'none' };
  const share = (now - before) / before;
  if (Math.abs(share) < noticeable) return { kind: 'same' };
  return { kind: share > 0 ? 'more' : 'less', share: Math.abs(share) };
}

/** Shares are compared by their difference: from 1 to 2 percent is one point more, and not twice as many. */
export function pointsBetween(now: number, before: number | undefined): Change {
  if (before === undefined) return { kind: 'none' };
  const points = now - before;
  if (Math.abs(points) < noticeable) return { kind: 'same' };
  return { kind: points > 0 ? 'more' : 'less', share: Math.abs(points) };
}

export function errorShare({ requests, failures }: { readonly requests: number; readonly failures: number }): number {
  return requests === 0 ? 0 : failures / requests;
}
