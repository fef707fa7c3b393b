/** How many rows one statement sums: as many as the database sums in a moment, since others use it too and its time is limited. */

export interface SliceSize {
  readonly rows: number;
  /** Waits for a slice and follows what it took. */
  measured<Result>(work: Promise<Result>): Promise<Result>;
  /** Waits for something that is faster than a slice: only its failure counts. */
  watched<Result>(work: Promise<Result>): Promise<Result>;
}

const rowsLeast = 1_000;
const rowsMost = 50_000;
/** Well below any time limit of a statement; the next slice is smaller above it, and larger below a quarter of it. */
const sliceMsMax = 600;

export function createSliceSize(
  first = 10_000,
  [least, most] = [Math.min(first, rowsLeast), rowsMost],
  nowMs: () => number = () => performance.now(),
): SliceSize {
  let rows = first;
  const follow = (tookMs: number): void => {
    if (tookMs > sliceMsMax) rows = Math.max(least, Math.floor(rows / 2));
    else if (tookMs < sliceMsMax / 4) rows = Math.min(most, rows * 2);
  };
  const watched = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      follow(Number.POSITIVE_INFINITY);
      throw error;
    });
  return {
    get rows() {
      return rows;
    },
    async measured(work) {
      const startedMs = nowMs();
      const result = await watched(work);
      follow(nowMs() - startedMs);
      return result;
    },
    watched,
  };
}
