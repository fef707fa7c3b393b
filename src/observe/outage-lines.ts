/** While the database is unavailable every request logs it: one line for each kind, then how often it was repeated. */

import type { Details, LearningLogger } from './logger.ts';

interface OutageLineOptions {
  readonly periodMs?: number;
  /** Calls back once, after so long. */
  readonly later?: (work: () => void, afterMs: number) => void;
}

const defaultPeriodMs = 10_000;
/** The most kinds of lines that are counted at a time; in practice there are few. */
const kindsMax = 200;

const unreferenced = (work: () => void, afterMs: number): void => void setTimeout(work, afterMs).unref();

/** Recognized by the error's name: this layer does not import the store. */
const isOutage = ({ cause }: Details): boolean => cause instanceof Error && cause.name === 'StoreUnavailableError';

type Write = (message: string, details?: Details) => void;

export function countOutageLines(logger: LearningLogger, options: OutageLineOptions = {}): LearningLogger {
  const { periodMs = defaultPeriodMs, later = unreferenced } = options;
  /** How often each kind came since its line was written. */
  const counts = new Map<string, number>();

  const counting =
    (write: Write): Write =>
    (message, details = {}) => {
      if (!isOutage(details)) return write(message, details);
      const count = counts.get(message);
      if (count !== undefined) return void counts.set(message, count + 1);
      write(message, details);
      if (counts.size >= kindsMax) return;
      counts.set(message, 0);
      later(() => close(message, write, details), periodMs);
    };

  function close(message: string, write: Write, { cause }: Details): void {
    const again = counts.get(message) ?? 0;
    counts.delete(message);
    if (again > 0) write(message, { again, seconds: periodMs / 1_000, cause });
  }

  return { ...logger, warn: counting(logger.warn), error: counting(logger.error) };
}
