/**
 * Every official client on every provider format: the matrix is run, printed, and compared with docs/compatibility.md.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { calls } from '../fake-upstream/wire/scenes.ts';
import { providerNames } from '../fake-upstream/wire/start-all.ts';
import { callers } from './cells.ts';
import { documentFile, documentOf } from './document.ts';
import { type MatrixRun, nameOf, runMatrix } from './run-matrix.ts';

const runTimeoutMs = 600_000;
let run: MatrixRun;

beforeAll(async () => {
  run = await runMatrix();
}, runTimeoutMs);

afterAll(() => {
  const table = documentOf(run.cells)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  console.log(`\n${table.join('\n')}\n`);
  console.log(
    `${run.requests} requests checked by the providers, ${run.validated} replies and events held against schemas`,
  );
});

describe.each(callers.map((caller) => [caller.name, caller] as const))('%s', (_, caller) => {
  test.each([...providerNames])('on a provider of the format %s', (provider) => {
    const own = run.cells.filter((cell) => cell.caller === caller && cell.provider === provider);
    expect(own).toHaveLength(caller.scenes.length * 2);
    expect(own.flatMap((cell) => (cell.failure === undefined ? [] : [`${nameOf(cell)}: ${cell.failure}`]))).toEqual([]);
  });
});

test('the providers found nothing wrong with any request', () => {
  expect(run.refused).toEqual([]);
  // One request a cell and a second one in every scene with tools; every scene is played once in each mode.
  const loops = run.cells.filter(({ scene }) => calls[scene] !== undefined).length;
  expect(run.requests).toBe(run.cells.length + loops);
  expect(run.streamed * 2).toBe(run.requests);
});

test('docs/compatibility.md is what this run shows', async () => {
  const written = await Bun.file(documentFile).text();
  const own = documentOf(run.cells);
  expect(written.slice(0, own.length), 'node bin/weir.js --run scripts/write-compatibility.ts rewrites it').toBe(own);
});
