/** How a figure compares with the period of the same length before. */

import type { Words } from '../words/en.ts';

export type Change =
  /** There is nothing to compare with. */
  | { readonly kind: 'none' }
  /** There was nothing of it before. */
  | { readonly kind: 'new' }
  | { readonly kind: 'same' }
  /** More than ten times as much: a percentage would not be read. */
  | { readonly kind: 'times'; readonly factor: number }
  /** A share of what was before; negative where it is less. */
  | { readonly kind: 'share'; readonly share: number }
  /** The difference of two shares. */
  | { readonly kind: 'points'; readonly points: number };

/** Less than this is not called a change. */
const noticeable = 0.0005;
const timesFrom = 10;

/** `hasEarlier`: there were requests before, even if they had nothing of this. */
export function changeOf(now: number, before: number, hasEarlier: boolean): Change {
  if (before === 0) return { kind: now !== 0 ? 'new' : hasEarlier ? 'same' : 'none' };
  if (now / before > timesFrom) return { kind: 'times', factor: now / before };
  const share = (now - before) / before;
  return Math.abs(share) < noticeable ? { kind: 'same' } : { kind: 'share', share };
}

/** Shares are compared by their difference: from 1 to 2 percent is one point more, and not twice as many. */
export function pointsBetween(now: number, before: number | undefined): Change {
  if (before === undefined) return { kind: 'none' };
  const points = now - before;
  return Math.abs(points) < noticeable ? { kind: 'same' } : { kind: 'points', points };
}

export function errorShare({ requests, failures }: { readonly requests: number; readonly failures: number }): number {
  return requests === 0 ? 0 : failures / requests;
}

export function changeText(change: Change, words: Words['usage']['change'], tag: string): string {
  switch (change.kind) {
    case 'none':
      return words.none;
    case 'new':
      return words.new;
    case 'same':
      return words.same;
    case 'times':
      return words.versus(`×${numberText(change.factor, tag, 0)}`);
    case 'share':
      return words.versus(signed(change.share, percentText(Math.abs(change.share), tag)));
    case 'points':
      return words.versus(signed(change.points, words.points(numberText(Math.abs(change.points) * 100, tag, 1))));
  }
}

const signed = (value: number, text: string): string => `${value < 0 ? '−' : '+'}${text}`;

function numberText(value: number, tag: string, decimals: number): string {
  return new Intl.NumberFormat(tag, { maximumFractionDigits: decimals }).format(value);
}

/** Small changes are worth a decimal. */
function percentText(share: number, tag: string): string {
  const decimals = share < 0.1 ? 1 : 0;
  return new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: decimals }).format(share);
}
