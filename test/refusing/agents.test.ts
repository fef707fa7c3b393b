/** Every agent on every model that refuses: the rows are run, printed, and compared with docs/compatibility.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isFullSize } from '../harness/size.ts';
import { documentFile } from '../matrix/document.ts';
import { agentsSection } from './document.ts';
import { refusingModels } from './models.ts';
import { toolRounds } from './refusing-provider.ts';
import { type AgentRun, agents, cellName, runAgents } from './run-agents.ts';

const runTimeoutMs = 300_000;
let run: AgentRun;

beforeAll(async () => {
  run = await runAgents('', !isFullSize);
}, runTimeoutMs);

afterAll(() => {
  const table = agentsSection(run.cells)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  console.log(`\n${table.join('\n')}\n${run.requests} requests judged by the refusing provider`);
});

describe.each(agents.map((agent) => [agent.name, agent] as const))('%s', (_, agent) => {
  test.each([...refusingModels])('on %s/%s', (kind, model) => {
    const own = run.cells.filter((cell) => cell.agent === agent && cell.model[0] === kind && cell.model[1] === model);
    expect(own).toHaveLength(isFullSize ? 2 : 1);
    expect(own.flatMap((cell) => (cell.failure === undefined ? [] : [`${cellName(cell)}: ${cell.failure}`]))).toEqual(
      [],
    );
  });
});

test('nothing was refused on the way to an answer, and nothing was asked twice', () => {
  expect(run.refused).toEqual([]);
  const loops = run.cells.filter(({ agent }) => agent.callsTools).length;
  expect(run.requests).toBe(run.cells.length + loops * toolRounds);
});

test('docs/compatibility.md is what this run shows', async () => {
  const written = await Bun.file(documentFile).text();
  // The document counts whole and streamed; of each pair one was asked here, and both in the full size.
  const cells = isFullSize ? run.cells : run.cells.flatMap((cell) => [cell, { ...cell, stream: !cell.stream }]);
  const section = agentsSection(cells);
  expect(written.slice(-section.length), 'node bin/weir.js --run scripts/write-compatibility.ts rewrites it').toBe(
    section,
  );
});
