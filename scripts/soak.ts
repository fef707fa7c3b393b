/**
 * The soak tests: the suites about cost, streams, faults and limits, for many rounds. What fails once in a hundred
 * times fails here. Before them the measurements of `test/measures`, once each: figures of time, memory, frames and
 * processor time, which depend on the machine and are therefore judged here and not by `npm test`. Then the suites of
 * `test/soak`, once each, which take minutes. After all others the suite `pgbouncer`: every store test through PgBouncer.
 */

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { scanFiles } from '../test/harness/import-graph.ts';
import { pgbouncerProgram } from '../test/harness/pgbouncer.ts';
import { bunTest, endChildrenOnSignals, seconds, startServices, type Totals, wasInterrupted } from './bun-test.ts';

const root = join(import.meta.dir, '..');
const storePlaces = join(root, 'test/harness/store-places.ts');

interface Proof {
  readonly file: string;
  /** The suite it belongs to, where the same file is also run in another way. */
  readonly suite?: string;
  /** The environment that turns the file's short run in CI into a long one. */
  readonly env?: Readonly<Record<string, string>>;
  /** The most rounds of a file whose single run is already long. */
  readonly roundsMax?: number;
}

/** Another one each time; the tests print it, so that a failure can be repeated. */
const seed = `${Date.now() % 1_000_000}`;

/** Each in its own process: memory of another file would be measured too. */
const onlyHere: readonly Proof[] = ['test/measures', 'test/soak'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => ({ file: `${folder}/${name}`, roundsMax: 1 })),
);

const fuzzed: readonly Proof[] = ['provider-replies', 'websocket-client', 'websocket-relay'].map((name) => ({
  file: `test/end-to-end/fuzz/${name}.test.ts`,
  env: { WEIR_FUZZ_EXCHANGES: '20000', WEIR_FUZZ_SEED: seed },
  roundsMax: 1,
}));

const proofs: readonly Proof[] = [
  ...onlyHere,
  { file: 'test/end-to-end/money.test.ts' },
  { file: 'test/end-to-end/streams.test.ts' },
  { file: 'test/contract/store-faults.test.ts' },
  { file: 'test/contract/ledger-model.test.ts' },
  { file: 'test/contract/limiter.test.ts' },
  { file: 'test/end-to-end/chaos/table.test.ts' },
  {
    file: 'test/end-to-end/chaos/random.test.ts',
    env: { WEIR_CHAOS_REQUESTS: '20000', WEIR_CHAOS_SEED: seed },
    roundsMax: 3,
  },
  ...fuzzed,
  ...['money', 'ended-by-weir', 'named-models', 'hosted-tools'].map((name) => ({
    file: `test/adversary/${name}.test.ts`,
    suite: 'adversary-replicas',
    env: { WEIR_TEST_REPLICAS: '4', WEIR_TEST_SIZE: 'usual' },
    roundsMax: 1,
  })),
  { file: 'test/end-to-end/chaos/kill.test.ts', roundsMax: 5 },
  { file: 'test/contract/usage-crowd.test.ts', env: { WEIR_TEST_USAGE_ROWS: '1000000' }, roundsMax: 1 },
  { file: 'test/console/playground-stream.test.ts', roundsMax: 3 },
  {
    file: 'test/end-to-end/realtime-crowd.test.ts',
    env: { WEIR_CROWD_SECONDS: '60', WEIR_CROWD_SOCKETS: '500' },
    roundsMax: 1,
  },
  {
    file: 'test/end-to-end/video-chaos.test.ts',
    env: { WEIR_CHAOS_TASKS: '1000', WEIR_CHAOS_KILL_MS: '10000' },
    roundsMax: 1,
  },
];

/** What `npm test` keeps small is here of its full size: every suite that reaches the size by its imports. */
const sizedProofs: readonly Proof[] = testsReaching(join(root, 'test/harness/size.ts'))
  .filter((file) => !proofs.some((proof) => proof.file === file))
  .map((file) => ({ file, roundsMax: 1 }));
/** Every store test again, with PgBouncer in transaction mode between the stores and PostgreSQL. Its size is the usual one. */
const pgbouncerProofs: readonly Proof[] = (pgbouncerProgram() === undefined ? [] : storeTests()).map((file) => ({
  file,
  suite: 'pgbouncer',
  env: { WEIR_TEST_PGBOUNCER: '1', WEIR_TEST_SIZE: 'usual' },
  roundsMax: 1,
}));
const nameOf = ({ file, suite }: Proof): string => (suite === undefined ? file : `${suite}: ${file}`);
const roundsDefault = 20;
const roundsMax = 10_000;
/** More than any file takes on a slow machine; a round that hangs must not hang the run. */
const roundTimeoutMs = 20 * 60_000;

interface Row extends Totals {
  readonly name: string;
  readonly rounds: number;
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
  const { rounds: roundsAsked, only } = readWords(words);
  const chosen = [...proofs, ...sizedProofs, ...pgbouncerProofs].filter((proof) => nameOf(proof).includes(only));
  const env = { ...(await startServices()), WEIR_TEST_SIZE: 'full' };
  const rows: Row[] = [];
  for (const [index, proof] of chosen.entries()) {
    if (wasInterrupted()) break;
    const { env: own, roundsMax: most = roundsAsked } = proof;
    const name = nameOf(proof);
    const rounds = Math.min(roundsAsked, most);
    console.log(`\n[${index + 1}/${chosen.length}] ${name}, ${roundsText(rounds)}`);
    const startedAt = performance.now();
    const options = [`--rerun-each=${rounds}`, `./${proof.file}`];
    const totals = await bunTest(options, { ...env, ...own }, rounds * roundTimeoutMs, showPrinted);
    rows.push({ name, rounds, ...totals, durationMs: performance.now() - startedAt });
  }
  show(rows);
  const isGood = rows.length > 0 && rows.every(({ passed, failed }) => passed > 0 && failed === 0);
  return isGood && !wasInterrupted() ? 0 : 1;
}

/** The contract tests that run on every engine. */
function storeTests(): string[] {
  return scanFiles([join(root, 'test/contract')])
    .filter(({ path, imports }) => path.endsWith('.test.ts') && imports.get(storePlaces)?.has('engines') === true)
    .map(({ path }) => relative(root, path))
    .sort();
}

/** The tests that import this file, or a file that does, and so on. */
function testsReaching(target: string): string[] {
  const files = scanFiles([join(root, 'src'), join(root, 'test')]);
  const reaching = new Set([target]);
  for (let before = 0; before < reaching.size; ) {
    before = reaching.size;
    for (const { path, imports } of files)
      if ([...imports.keys()].some((name) => reaching.has(name))) reaching.add(path);
  }
  return [...reaching]
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => relative(root, path))
    .sort();
}

/** `--rounds N`, and `--only TEXT` for the proofs whose suite or path contains it. */
function readWords(words: string[]): { readonly rounds: number; readonly only: string } {
  const { values } = parseArgs({ args: words, options: { rounds: { type: 'string' }, only: { type: 'string' } } });
  const rounds = values.rounds === undefined ? roundsDefault : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > roundsMax)
    throw new Error(`--rounds is a whole number from 1 to ${roundsMax}, not "${values.rounds}".`);
  return { rounds, only: values.only ?? '' };
}

/** Figures and failures: all that the tests printed, without the summary of the runner. */
function showPrinted(output: string): void {
  const summary = /^(bun test v|test\/\S+:$| *\d+ (pass|fail|skip|filtered out|expect\(\) calls)$|Ran \d+ tests?)/;
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !summary.test(line));
  if (lines.length > 0) console.log(lines.join('\n'));
}

function roundsText(rounds: number): string {
  return rounds === 1 ? '1 round' : `${rounds} rounds`;
}

function show(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log('');
  for (const { name, rounds, passed, failed, durationMs } of rows)
    console.log(
      `${name.padEnd(width)}  ${roundsText(rounds)}, ${passed} passed, ${failed} failed, ${seconds(durationMs)}`,
    );
  if (wasInterrupted()) console.log('Interrupted.');
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  console.log(`${sum((row) => row.passed)} passed, ${sum((row) => row.failed)} failed`);
}
