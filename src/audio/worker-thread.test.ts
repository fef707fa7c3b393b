/** Worker threads: a bounded queue, and every fault an error that says what happened. */

import { afterEach, expect, test } from 'bun:test';
import { type ThreadOptions, WorkerThread } from './worker-thread.ts';

/** A worker that does what the task says. */
const obedient = `
let count = 0;
self.onmessage = ({ data }) => {
  if (data === 'silent') return;
  if (data === 'throw') throw new Error('broken');
  if (data === 'fault') return postMessage({ kind: 'error', code: 'internal_error', message: 'abort(7)', param: '' });
  if (data === 'refuse') return postMessage({ kind: 'error', code: 'field_invalid', message: 'no', param: 'size' });
  postMessage({ kind: 'progress', percent: 50 });
  postMessage({ kind: 'result', result: ++count });
};`;
const workerUrl = URL.createObjectURL(new Blob([obedient], { type: 'application/javascript' }));

let thread: WorkerThread<string, number>;
function start(options: Partial<ThreadOptions> = {}): WorkerThread<string, number> {
  thread = new WorkerThread({ name: "the test's thread", workerUrl, ...options });
  return thread;
}
afterEach(() => thread.stop());

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

test('jobs run one after the other on one thread, with progress', async () => {
  start();
  const percents: number[] = [];
  const onProgress = (percent: number): void => void percents.push(percent);
  expect(await Promise.all([thread.run('a', { onProgress }), thread.run('b'), thread.run('c')])).toEqual([1, 2, 3]);
  expect(percents).toEqual([50]);
});

test('the queue is bounded, and an aborted job leaves it', async () => {
  start({ waitingMax: 1 });
  const controller = new AbortController();
  const silent = failure(thread.run('silent'));
  const waiting = failure(thread.run('a', { signal: controller.signal }));
  expect(thread.hasRoom).toBe(false);
  expect(await failure(thread.run('b'))).toMatchObject({ code: 'gateway_overloaded' });
  controller.abort(new Error('left'));
  expect(await waiting).toMatchObject({ message: 'left' });
  expect(await failure(thread.run('c', { signal: controller.signal }))).toMatchObject({ message: 'left' });
  expect(thread.hasRoom).toBe(true);
  thread.stop();
  expect(await silent).toMatchObject({ code: 'shutting_down' });
});

test('an aborted job in flight ends the thread where the options say so', async () => {
  start({ endsOnAbort: true });
  const controller = new AbortController();
  const first = await thread.run('a');
  const silent = failure(thread.run('silent', { signal: controller.signal }));
  const after = thread.run('b');
  controller.abort(new Error('left'));
  expect(await silent).toMatchObject({ message: 'left' });
  // A new thread counts from 1 again.
  expect([first, await after]).toEqual([1, 1]);
});

test('a refusal is an error of the job alone', async () => {
  start();
  expect(await thread.run('a')).toBe(1);
  expect(await failure(thread.run('refuse'))).toMatchObject({ code: 'field_invalid', param: 'size', status: 400 });
  expect(await thread.run('b')).toBe(2);
});

test('a fault of the program ends the thread', async () => {
  start();
  expect(await thread.run('a')).toBe(1);
  expect(await failure(thread.run('fault'))).toMatchObject({ code: 'internal_error', message: 'abort(7)' });
  expect(await failure(thread.run('throw'))).toMatchObject({ code: 'provider_unavailable' });
  expect(await thread.run('b')).toBe(1);
});

test('a job that is silent for too long ends with its thread', async () => {
  start({ silentMsMax: 20 });
  const [silent, next] = [failure(thread.run('silent')), failure(thread.run('silent'))];
  expect(await silent).toMatchObject({ code: 'upstream_timeout' });
  expect(await next).toMatchObject({ code: 'upstream_timeout' });
  expect(thread.hasRoom).toBe(true);
});

test('a thread that cannot start is an error, each time', async () => {
  start({ workerUrl: 'file:///nowhere/worker.ts' });
  for (const task of ['a', 'b']) {
    expect(await failure(thread.run(task))).toMatchObject({ code: 'provider_unavailable', status: 503 });
  }
});

test('a hold keeps the thread, and its jobs fail on another one', async () => {
  start({ idleMs: 0 });
  const hold = thread.hold();
  expect(await hold.run('a')).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await hold.run('b')).toBe(2);
  const [silent, next] = [failure(thread.run('fault')), failure(hold.run('c'))];
  expect(await silent).toMatchObject({ code: 'internal_error' });
  expect(await next).toMatchObject({ code: 'provider_unavailable' });
  hold.release();
  hold.release();
  expect(await thread.run('d')).toBe(1);
});
