/** The CPU time of a process includes threads that have ended: a sum over running threads decreases at low rates. */

import { expect, test } from 'bun:test';
import { cpuMicros } from './processes.ts';

const burn = 'const end = performance.now() + 150; while (performance.now() < end);';

test('the time of an ended thread stays', async () => {
  const before = cpuMicros([process.pid]);
  const worker = new Worker(URL.createObjectURL(new Blob([`${burn} postMessage(undefined);`])));
  await new Promise((resolve) => worker.addEventListener('message', resolve));
  const running = cpuMicros([process.pid]);
  const closed = new Promise((resolve) => worker.addEventListener('close', resolve));
  worker.terminate();
  await closed;
  expect(running).toBeGreaterThan(before);
  expect(cpuMicros([process.pid])).toBeGreaterThanOrEqual(running);
});
