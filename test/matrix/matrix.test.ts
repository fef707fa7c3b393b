/**
 * Every official client on every provider format: the matrix is run, printed, and compared with docs/compatibility.md.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { calls } from '../fake-upstream/wire/scenes.ts';
import { providerNames } from '../fake-upstream/wire/start-all.ts';
import { isFullSize } from '../harness/size.ts';
import { type Cell, callers } from './cells.ts';
import { documentFile, documentOf } from './document.ts';
import { everyCell, type MatrixRun, nameOf, runMatrix, usualCells } from './run-matrix.ts';

const runTimeoutMs = 600_000;
const played = isFullSize ? everyCell() : usualCells();
let run: MatrixRun;

beforeAll(async () => {
  run = await runMatrix(played);
}, runTimeoutMs);

afterAll(() => {
  const table = documentOf(run.cells)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  console.log(`\n${table.join('\n')}\n`);
  console.log(`${run.requests} requests checked by the providers, ${run.judged} replies by the oracles`);
});

describe.each(callers.map((caller) => [caller.name, caller] as const))('%s', (_, caller) => {
  test.each([...providerNames])('on a provider of the format %s', (provider) => {
    const own = run.cells.filter((cell) => cell.caller === caller && cell.provider === provider);
    expect(own).toHaveLength(played.filter((cell) => cell.caller === caller && cell.provider === provider).length);
    expect(own.length).toBeGreaterThanOrEqual(caller.scenes.length);
    expect(own.flatMap((cell) => (cell.failure === undefined ? [] : [`${nameOf(cell)}: ${cell.failure}`]))).toEqual([]);
  });
});

test('the providers found nothing wrong with any request', () => {
  expect(run.refused).toEqual([]);
  expect(run.requests).toBe(requestsOf(run.cells));
  expect(run.streamed).toBe(requestsOf(run.cells.filter(({ stream }) => stream)));
  expect(run.judged).toBe(requestsOf(run.cells.filter(({ caller }) => caller.name !== '`@google/genai`')));
});

/** One for each cell, and a second one in every scene with tools. */
function requestsOf(cells: readonly Cell[]): number {
  return cells.length + cells.filter(({ scene }) => calls[scene] !== undefined).length;
}

test('every scene is played in both manners of reply between any two formats', () => {
  const between = (cells: readonly Cell[]) =>
    [...new Set(cells.map((cell) => [cell.caller.format, cell.provider, cell.scene, cell.stream].join()))].toSorted();
  expect(between(run.cells)).toEqual(between(everyCell()));
});

test('docs/compatibility.md is what this run shows', async () => {
  const written = await Bun.file(documentFile).text();
  // What this size leaves out counts as passed: the soak plays it.
  const names = new Set(run.cells.map(nameOf));
  const own = documentOf([...run.cells, ...everyCell().filter((cell) => !names.has(nameOf(cell)))]);
  expect(written.slice(0, own.length), 'node bin/weir.js --run scripts/write-compatibility.ts rewrites it').toBe(own);
});
