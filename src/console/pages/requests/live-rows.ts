/** The newest requests, and those that arrive while someone looks: asked for from where the last answer ended. */

import type { AnalyzedRowView, RequestsView } from '../../../admin/contracts/analytics-contract.ts';

export interface LivePage extends RequestsView {
  /** How often it was asked on since it was read as a whole. */
  readonly asked: number;
}

/**
 * Rows are ordered by when a request began and written when it ended, so one that took long arrives below others. Every so often the page
 * is read as a whole, which finds those too.
 */
export const askedBeforeWholeMax = 4;

/** What to ask next: on from the newest, or the whole page anew. */
export function cursorFor(page: LivePage | undefined): string | undefined {
  return page === undefined || page.asked >= askedBeforeWholeMax ? undefined : page.newer;
}

/** `undefined` where so much came in between that the page must be read as a whole. */
export function withArrived(page: LivePage, fresh: RequestsView, limit: number): LivePage | undefined {
  if (fresh.items.length >= limit) return undefined;
  const arrived = new Set(fresh.items.map(({ requestId }) => requestId));
  const kept = page.items.filter(({ requestId }) => !arrived.has(requestId));
  const items = [...fresh.items, ...kept].slice(0, limit);
  const newer = fresh.newer ?? page.newer;
  const { older } = page;
  return {
    items,
    isComplete: page.isComplete,
    asked: page.asked + 1,
    ...(older !== undefined && { older }),
    ...(newer !== undefined && { newer }),
  };
}

/** How many of the rows at the top someone who reads the held ones has not seen. */
export function arrivedSince(held: readonly AnalyzedRowView[], rows: readonly AnalyzedRowView[]): number {
  const known = new Set(held.map(({ requestId }) => requestId));
  return rows.filter(({ requestId }) => !known.has(requestId)).length;
}
