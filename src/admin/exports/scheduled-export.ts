/**
 * Requests as files on a schedule, one file for each hour or day, in one replica at a time. A row is in the file of its time
 * and in no other; a row that comes late, or whose cost is corrected, makes the file be written again in place of the old one.
 */

import type { UsageRow } from '../../ledger/ledger.ts';
import type { RequestExportStore } from '../../store/requests/request-exports.ts';
import type { ResultStore } from '../../store/results/result-store.ts';
import type { UsageStore } from '../../store/usage/usage-store.ts';
import type { RequestExportParts } from '../usage/request-export.ts';
import { exportFile, type FileFormat, mediaTypes } from './export-file.ts';

interface ScheduledExportOptions extends RequestExportParts {
  readonly exports: RequestExportStore;
  readonly usage: Pick<UsageStore, 'list'>;
  /** Writes whole files only. */
  readonly place: Pick<ResultStore, 'write' | 'remove'>;
  /** Names the place and the format: another one starts from the first row. */
  readonly target: string;
  readonly format: FileFormat;
  readonly every: 'hour' | 'day';
  readonly retentionDays: number;
  nowMs(): number;
  readonly onFault: (error: unknown) => void;
  readonly periodMs?: number;
}

export interface ScheduledExport {
  /** How many files were written; undefined where it is another replica's turn. */
  pass(): Promise<number | undefined>;
  start(): void;
  /** Resolves after the file that is being written. */
  stop(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const pageRows = 500;
const filesPerPass = 100;
/** While a large file is written, no other replica begins; should this one die, another begins after so many periods. */
const longTurns = 10;
/** Only a bound against an endless source: the rows of a period are in the database already. */
const fileBytesMax = 1_000_000_000_000;

export function createScheduledExport(options: ScheduledExportOptions): ScheduledExport {
  const { exports, place, target, format, every, nowMs, periodMs = 60_000 } = options;
  const grainMs = every === 'hour' ? hourMs : dayMs;
  let timer: Timer | undefined;
  let running: Promise<unknown> | undefined;
  let stopped = false;

  const nameOf = (startMs: number): string => {
    const [date = '', time = ''] = new Date(startMs).toISOString().split('T');
    return `requests-${date}${every === 'hour' ? `-${time.slice(0, 2)}` : ''}.${format}`;
  };
  /** Somewhat before the next tick, so that a timer that is early by a moment still finds its turn. */
  const turnMs = periodMs * 0.9;
  /** Only the holder of the claim changes when it ends. */
  const prolong = (forMs: number): Promise<boolean> => exports.claim(Number.MAX_SAFE_INTEGER, nowMs() + forMs);

  async function write(startMs: number, fingerprint: string): Promise<void> {
    const file = exportFile(options, pagesOf(options.usage, startMs, startMs + grainMs), format);
    await place.write(nameOf(startMs), mediaTypes[format], file.pieces, fileBytesMax);
    // Should it end before this, the next pass writes the same file again.
    await exports.put({ target, grainMs, startMs, fingerprint, rowCount: file.rowCount(), exportedAtMs: nowMs() });
  }

  async function writeDue(fromMs: number): Promise<number> {
    let written = 0;
    while (written < filesPerPass && !stopped) {
      const [next] = await exports.due(target, grainMs, 1, fromMs);
      if (next === undefined) break;
      await prolong(longTurns * periodMs);
      await write(next.startMs, next.fingerprint);
      written++;
    }
    return written;
  }

  async function removeOld(beforeMs: number): Promise<void> {
    for (const startMs of await exports.before(target, grainMs, beforeMs, filesPerPass)) {
      await place.remove(nameOf(startMs));
      await exports.forget(target, grainMs, startMs);
    }
  }

  async function pass(): Promise<number | undefined> {
    if (!(await exports.claim(nowMs(), nowMs() + turnMs))) return undefined;
    const fromMs = nowMs() - options.retentionDays * dayMs;
    try {
      const written = await writeDue(fromMs);
      await removeOld(fromMs - grainMs);
      return written;
    } finally {
      await prolong(turnMs);
    }
  }

  function tick(): void {
    running ??= pass()
      .catch(options.onFault)
      .finally(() => {
        running = undefined;
      });
  }

  return {
    pass,
    start() {
      timer ??= setInterval(tick, periodMs);
      tick();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Newest first. */
async function* pagesOf(
  usage: Pick<UsageStore, 'list'>,
  fromMs: number,
  toMs: number,
): AsyncGenerator<readonly UsageRow[]> {
  let after: { readonly atMs: number; readonly id: string } | undefined;
  do {
    const { items, next } = await usage.list({ fromMs, toMs }, { limit: pageRows, after });
    if (items.length > 0) yield items;
    after = next;
  } while (after !== undefined);
}
