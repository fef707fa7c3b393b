/** Where each attempt of a request lies on its time line, as shares of the whole. */

import type { RequestDetailView } from '../../../admin/contracts/analytics-contract.ts';
import type { AttemptView } from '../../../admin/contracts/contract.ts';

export interface Bar {
  readonly attempt: AttemptView;
  readonly startMs: number;
  /** Absent while it is open. */
  readonly totalMs: number | undefined;
  /** 0 to 1. */
  readonly left: number;
  readonly width: number;
  /** When the first event left for the caller, where this attempt served it. */
  readonly firstEvent: { readonly ms: number; readonly left: number } | undefined;
}

interface Waterfall {
  readonly spanMs: number;
  readonly bars: readonly Bar[];
}

/** A bar that took no time at all must still be seen. */
const widthMin = 0.006;

export function waterfallOf({ row, attempts }: RequestDetailView, nowMs: number): Waterfall {
  const first = attempts[0];
  const beginMs = Date.parse(row?.at ?? first?.at ?? '');
  if (first === undefined || Number.isNaN(beginMs)) return { spanMs: row?.totalMs ?? 0, bars: [] };
  const endOf = ({ at, totalMs }: AttemptView) =>
    totalMs === undefined ? Math.max(nowMs, Date.parse(at)) : Date.parse(at) + totalMs;
  const isOpen = row === undefined && attempts.some(({ totalMs }) => totalMs === undefined);
  const lastMs = Math.max(...attempts.filter((one) => isOpen || one.totalMs !== undefined).map(endOf), beginMs);
  const spanMs = Math.max(row?.totalMs ?? 0, lastMs - beginMs, 1);
  const servedId = attempts.findLast(({ verdict }) => verdict === '' || verdict === undefined)?.id;
  const bars = attempts.map((attempt): Bar => {
    // The clock on the wall may be set back while a request runs; a bar never leaves its track.
    const startMs = within(Date.parse(attempt.at) - beginMs, spanMs);
    const durationMs = Math.min(attempt.totalMs ?? spanMs - startMs, spanMs - startMs);
    const firstMs = attempt.id === servedId ? row?.firstEventMs : undefined;
    return {
      attempt,
      startMs,
      totalMs: attempt.totalMs,
      left: Math.min(startMs / spanMs, 1 - widthMin),
      width: Math.max(durationMs / spanMs, widthMin),
      firstEvent: firstMs === undefined ? undefined : { ms: firstMs, left: within(firstMs, spanMs) / spanMs },
    };
  });
  return { spanMs, bars };
}

const within = (ms: number, spanMs: number): number => Math.max(0, Math.min(spanMs, ms));
