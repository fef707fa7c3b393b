/**
 * `npm run demo`: a scratch instance of Weir with a month of realistic data, made through its public API with scripted
 * providers, to look at and to take screenshots of.
 *
 * `--days 3` makes less, `--keep FOLDER` keeps the data in an empty folder, `--shots FOLDER` takes screenshots of every
 * page (`--pages tokens,home` of those whose names contain one of these), `--docs` takes those of the documentation,
 * `--exit` ends after that.
 */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Demo, makeDemo, type StatusCounts } from './demo/make-data.ts';
import { ownerName, password } from './demo/people.ts';
import { takeDocumentShots, takeShots } from './demo/shots/take.ts';

const documentFolder = join(import.meta.dir, '../docs/console');
const daysMax = 120;
/** More than a slow machine takes; a run that hangs must end. */
const runTimeoutMs = 20 * 60_000;

interface Words {
  readonly days: number;
  readonly exit: boolean;
  /** Absent: a temporary folder, which is removed. */
  readonly keep: string | undefined;
  /** Where screenshots of every page go. */
  readonly shots: string | undefined;
  readonly pages: readonly string[];
  /** Take the screenshots of the documentation again. */
  readonly docs: boolean;
}

let exitCode = 1;
const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    console.log(`Ended by ${signal}.`);
    interrupt();
  });
}
try {
  exitCode = await main(readWords(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
// What still runs, such as the instance where it was interrupted, ends with the process.
process.exit(exitCode);

async function main(words: Words): Promise<number> {
  const { days, exit, keep } = words;
  const place = keep ?? temporaryFolder();
  const startedAt = performance.now();
  const timeout = setTimeout(() => {
    console.error('The demo data took too long.');
    interrupt();
  }, runTimeoutMs);
  const demo = await Promise.race([makeDemo({ days, folder: place, report: console.log }), interrupted]);
  clearTimeout(timeout);
  if (demo === undefined) return 130;
  try {
    const isComplete = report(demo, performance.now() - startedAt);
    await Promise.race([takeScreenshots(demo, words), interrupted]);
    if (!exit) {
      console.log(`\n${demo.weir.url}/console   name: ${ownerName}   password: ${password}\nCtrl-C ends it.`);
      await interrupted;
    }
    return isComplete ? 0 : 1;
  } finally {
    await demo.end();
  }
}

async function takeScreenshots(demo: Demo, { shots, pages, docs }: Words): Promise<void> {
  if (shots !== undefined) await takeShots(demo, { folder: shots, only: pages, report: console.log });
  if (docs) await takeDocumentShots(demo, documentFolder, console.log);
}

/** Returns whether the instance recorded what was sent. */
function report({ sent, recorded }: Demo, durationMs: number): boolean {
  const text = (counts: StatusCounts): string => `${counts['2']} × 2xx, ${counts['4']} × 4xx, ${counts['5']} × 5xx`;
  console.log(`Done in ${(durationMs / 1_000).toFixed(0)} s: ${text(sent)}`);
  const isComplete = text(sent) === text(recorded);
  if (!isComplete) console.error(`The console says ${text(recorded)}.`);
  return isComplete;
}

function readWords(words: string[]): Words {
  const { values } = parseArgs({
    args: words,
    options: {
      days: { type: 'string' },
      exit: { type: 'boolean', default: false },
      keep: { type: 'string' },
      shots: { type: 'string' },
      pages: { type: 'string', default: '' },
      docs: { type: 'boolean', default: false },
    },
  });
  const days = Number(values.days ?? 30);
  if (!Number.isInteger(days) || days < 1 || days > daysMax)
    throw new Error(`--days is a whole number from 1 to ${daysMax}, not "${values.days}".`);
  const keep = values.keep === undefined ? undefined : emptyFolder(values.keep);
  const pages = values.pages.split(',').filter((name) => name !== '');
  return { days, exit: values.exit, keep, shots: values.shots, pages, docs: values.docs };
}

/** Removed with this process, however it ends. */
function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-demo-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

function emptyFolder(path: string): string {
  if (existsSync(path) && readdirSync(path).length > 0) throw new Error(`--keep ${path}: the folder is not empty.`);
  mkdirSync(path, { recursive: true });
  return resolve(path);
}
