/** Reads the attempts of the last hour from the store, at most every other second, and reports health. */

import type { AttemptHealthStore } from '../../store/health/attempt-health-store.ts';
import { HealthReport, type HealthSources, type Moment } from './health-report.ts';
import { minuteMs, minutesShown, WindowFigures } from './health-window.ts';

/** Pages ask every few seconds, several at a time. */
const freshMs = 2_000;

interface HealthReaderOptions extends HealthSources {
  readonly store: Pick<AttemptHealthStore, 'since'>;
  /** Writes what this process has not written yet, so that a reading includes it. */
  flush(): Promise<void>;
  /** Monotonic. */
  nowMs(): number;
  wallMs(): number;
}

export interface HealthReader {
  read(): Promise<HealthReport>;
  /** The same without the database: what was last read of it, and what routing knows now. */
  known(): HealthReport;
}

export function createHealthReader(options: HealthReaderOptions): HealthReader {
  const { store, flush, nowMs, wallMs } = options;
  let last = new WindowFigures({ sums: [], minutes: [], ends: [] }, windowFrom(wallMs()));
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const moment = (): Moment => ({ nowMs: nowMs(), wallMs: wallMs() });

  async function readWindow(): Promise<void> {
    const startedAtMs = nowMs();
    await flush();
    const fromMs = windowFrom(wallMs());
    last = new WindowFigures(await store.since(fromMs), fromMs);
    readAtMs = startedAtMs;
  }

  return {
    async read() {
      if (nowMs() - readAtMs >= freshMs) {
        reading ??= readWindow().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return new HealthReport(options, last, moment());
    },
    known: () => new HealthReport(options, last, moment()),
  };
}

/** The start of the first of the minutes that are shown; the last one runs. */
function windowFrom(wallMs: number): number {
  return wallMs - (wallMs % minuteMs) - (minutesShown - 1) * minuteMs;
}
