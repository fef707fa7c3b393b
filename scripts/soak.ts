/** The long proofs: the suites about money, streams, faults and limits, many rounds over. What fails once in a hundred times fails here. */

import { parseArgs } from 'node:util';
import { bunTest, endChildrenOnSignals, seconds, startServices, type Totals, wasInterrupted } from './bun-test.ts';

const files = [
  'test/end-to-end/money.test.ts',
  'test/end-to-end/streams.test.ts',
  'test/contract/store-faults.test.ts',
  'test/contract/ledger-model.test.ts',
  'test/contract/limiter.test.ts',
] as const;
const roundsDefault = 20;
const roundsMax = 10_000;
/** More than any file takes on a slow machine; a round that hangs must not hang the run. */
const roundTimeoutMs = 5 * 60_000;

interface Row extends Totals {
  readonly file: string;
  readonly durationMs: number;
}

endChildrenOnSignals();
let exitCode = 1;
try {
  exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed');
}
// The services' own exit hooks end them.
process.exit(exitCode);

async function main(words: string[]): Promise<number> {
  const rounds = readRounds(words);
  const env = await startServices();
  const rows: Row[] = [];
  for (const [index, file] of files.entries()) {
    if (wasInterrupted()) break;
    console.log(`\n[${index + 1}/${files.length}] ${file}, ${roundsText(rounds)}`);
    const startedAt = performance.now();
    const totals = await bunTest([`--rerun-each=${rounds}`, `./${file}`], env, rounds * roundTimeoutMs);
    rows.push({ file, ...totals, durationMs: performance.now() - startedAt });
  }
  show(rows, rounds);
  return rows.every(({ passed, failed }) => passed > 0 && failed === 0) && !wasInterrupted() ? 0 : 1;
}

function readRounds(words: string[]): number {
  const { values } = parseArgs({ args: words, options: { rounds: { type: 'string' } } });
  const rounds = values.rounds === undefined ? roundsDefault : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > roundsMax)
    throw new Error(`--rounds is a whole number from 1 to ${roundsMax}, not "${values.rounds}".`);
  return rounds;
}

function roundsText(rounds: number): string {
  return rounds === 1 ? '1 round' : `${rounds} rounds`;
}

function show(rows: readonly Row[], rounds: number): void {
  const width = Math.max(...files.map((file) => file.length));
  console.log('');
  for (const { file, passed, failed, durationMs } of rows)
    console.log(
      `${file.padEnd(width)}  ${roundsText(rounds)}, ${passed} passed, ${failed} failed, ${seconds(durationMs)}`,
    );
  if (wasInterrupted()) console.log('Interrupted.');
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  console.log(`${sum((row) => row.passed)} passed, ${sum((row) => row.failed)} failed`);
}
