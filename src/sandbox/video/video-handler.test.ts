/** The sandbox's video tasks over its own transport: every state, every model, a restart, and every bound. */

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { encodePng } from '../images/png.ts';
import { emptyBitmap } from '../images/raster/bitmap.ts';
import type { SandboxRequest } from '../options.ts';
import { createSandbox } from '../transport/transport.ts';
import { createVideoHandler } from './video-handler.ts';
import { createVideoThread } from './video-thread.ts';

/** Videos share the processor with everything else that is tested. */
setDefaultTimeout(30_000);

const path = '/video/generations';
const forever = new AbortController().signal;

interface Task {
  readonly task_id: string;
  readonly status: string;
  readonly progress?: number;
  readonly url?: string;
}

/** One process: a sandbox with a clock that the test sets. */
function newProcess(clock = { ms: 1_000_000 }) {
  let ids = 0;
  const sandbox = createSandbox({
    paceMs: 0,
    nowMs: () => clock.ms,
    newId() {
      ids += 1;
      return `id-${ids}`;
    },
    wait: () => Promise.reject(new Error('nothing waits here')),
  });
  const call = (method: SandboxRequest['method'], below = '', body?: unknown): Promise<Response> =>
    sandbox.answer({
      method,
      url: `sandbox://local/v1${path}${below}`,
      headers: { 'content-type': 'application/json' },
      signal: forever,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const create = async (fields: Record<string, unknown> = {}): Promise<Task> => {
    const reply = await call('POST', '', { ...options, ...fields });
    if (reply.status !== 200) throw new Error(await reply.text());
    return (await reply.json()) as Task;
  };
  const look = async ({ task_id }: Task): Promise<Task> => (await (await call('GET', `/${task_id}`)).json()) as Task;
  const content = ({ task_id }: Task): Promise<Response> => call('GET', `/${task_id}/content`);
  const cancel = async ({ task_id }: Task): Promise<Task> =>
    (await (await call('DELETE', `/${task_id}`)).json()) as Task;
  /** Looks until the drawing is over. */
  const ended = async (task: Task): Promise<Task> => {
    for (;;) {
      const now = await look(task);
      if (now.status === 'completed' || now.status === 'failed') return now;
      await Bun.sleep(2);
    }
  };
  return { clock, call, create, look, content, cancel, ended };
}

const options = { model: 'sandbox-video', prompt: 'a boat on a lake', width: 64, height: 36, duration: 1, fps: 10 };

test('a task from its order to its file', async () => {
  const { clock, create, look, content, ended } = newProcess();
  const task = await create();
  expect(task).toEqual({ task_id: expect.stringMatching(/^sandbox-video_/), status: 'queued' });
  expect((await content(task)).status).toBe(404);
  clock.ms += 199;
  expect((await look(task)).status).toBe('queued');
  clock.ms += 1;
  expect(['in_progress', 'completed']).toContain((await look(task)).status);
  expect(await ended(task)).toEqual({
    task_id: task.task_id,
    status: 'completed',
    url: `sandbox://local/v1${path}/${task.task_id}/content`,
    format: 'mp4',
    metadata: { duration: 1, fps: 10, width: 64, height: 36, seed: expect.any(Number) },
  } as never);
  const reply = await content(task);
  const file = await reply.bytes();
  expect(reply.headers.get('content-type')).toBe('video/mp4');
  expect(reply.headers.get('content-length')).toBe(String(file.length));
  expect(Buffer.from(file.subarray(4, 8)).toString()).toBe('ftyp');
});

test('progress grows while it is drawn', async () => {
  const { clock, create, look, ended } = newProcess();
  const task = await create({ width: 320, height: 180, duration: 3, fps: 24, prompt: 'a slow cloud' });
  clock.ms += 200;
  const seen: number[] = [];
  while (seen.length < 1_000) {
    const now = await look(task);
    if (now.status !== 'in_progress') break;
    if (seen.at(-1) !== now.progress) seen.push(now.progress ?? -1);
    await Bun.sleep(2);
  }
  expect(await ended(task)).toMatchObject({ status: 'completed' });
  expect(seen).toEqual([...seen].sort((one, other) => one - other));
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.every((percent) => percent >= 0 && percent < 100)).toBe(true);
});

test('after a restart, and in another process, the same id gives the same bytes', async () => {
  const first = newProcess();
  const png = Buffer.from(encodePng({ ...emptyBitmap(50, 30), pixels: new Uint8Array(6_000).fill(180) }, {}));
  const image = `data:image/png;base64,${png.toString('base64')}`;
  const task = await first.create({ image, last_frame: image, seed: 5, negative_prompt: 'cloud' });
  first.clock.ms += 500;
  const done = await first.ended(task);
  const file = await (await first.content(task)).bytes();
  const second = newProcess(first.clock);
  expect((await second.look(task)).status).toBe('in_progress');
  expect(await second.ended(task)).toEqual(done);
  expect(Buffer.compare(await (await second.content(task)).bytes(), file)).toBe(0);
  // One who has seen it finished asks for the file at once.
  const third = newProcess(first.clock);
  expect(Buffer.compare(await (await third.content(task)).bytes(), file)).toBe(0);
});

test('two orders of one video are two tasks', async () => {
  const { clock, create, cancel, ended } = newProcess();
  const [one, other] = [await create(), await create()];
  expect(one.task_id).not.toBe(other.task_id);
  expect(await cancel(one)).toMatchObject({ status: 'failed', error: { code: 1003 } } as never);
  clock.ms += 200;
  expect((await ended(other)).status).toBe('completed');
  expect((await ended(one)).status).toBe('failed');
});

describe('models', () => {
  test('sandbox-video-fail takes the order and fails later', async () => {
    const { clock, create, look, content } = newProcess();
    const task = await create({ model: 'sandbox-video-fail' });
    expect(task.status).toBe('queued');
    clock.ms += 500;
    expect(await look(task)).toEqual({ task_id: task.task_id, status: 'in_progress', progress: 50 });
    clock.ms += 500;
    expect(await look(task)).toEqual({
      task_id: task.task_id,
      status: 'failed',
      error: { code: 1001, message: expect.stringContaining('on purpose') },
    } as never);
    expect((await content(task)).status).toBe(404);
  });

  test('sandbox-video-slow creeps for twenty seconds', async () => {
    const { clock, create, look, content, ended } = newProcess();
    const quick = await create({ prompt: 'a slow boat' });
    const task = await create({ prompt: 'a slow boat', model: 'sandbox-video-slow' });
    clock.ms += 1_000;
    await ended(quick);
    expect(await look(task)).toMatchObject({ status: 'in_progress', progress: 5 });
    clock.ms += 9_000;
    expect(await look(task)).toMatchObject({ status: 'in_progress', progress: 50 });
    clock.ms += 9_999;
    expect(await look(task)).toMatchObject({ status: 'in_progress', progress: 99 });
    expect((await content(task)).status).toBe(404);
    clock.ms += 1;
    expect(await look(task)).toMatchObject({ status: 'completed' });
    expect(Buffer.compare(await (await content(task)).bytes(), await (await content(quick)).bytes())).toBe(0);
  });
});

describe('cancelling', () => {
  test('stops the drawing, once', async () => {
    const { clock, create, look, cancel, content } = newProcess();
    const task = await create({ width: 1_280, height: 720, duration: 20, prompt: 'a long way' });
    const gone = {
      task_id: task.task_id,
      status: 'failed',
      error: { code: 1003, message: 'The video was cancelled.' },
    };
    expect(await cancel(task)).toEqual(gone as never);
    expect(await cancel(task)).toEqual(gone as never);
    clock.ms += 1_000;
    expect(await look(task)).toEqual(gone as never);
    expect((await content(task)).status).toBe(404);
  });

  test('what is finished stays finished', async () => {
    const { clock, create, cancel, ended, content } = newProcess();
    const task = await create();
    clock.ms += 200;
    await ended(task);
    expect((await cancel(task)).status).toBe('completed');
    expect((await content(task)).status).toBe(200);
  });
});

describe('refusals', () => {
  test.each([
    [{ model: 'sandbox-chat' }, 404, 'model'],
    [{ model: 'no-such-model' }, 404, 'model'],
    [{ model: undefined }, 400, 'model'],
    [{ prompt: '' }, 400, 'prompt'],
    [{ duration: -1 }, 400, 'duration'],
    [{ n: 2 }, 400, 'n'],
    [{ image: 'https://images.example/a.png' }, 400, 'image'],
    [{ last_frame: 'data:image/png;base64,AAAA' }, 400, 'last_frame'],
  ])('%p', async (fields, status, param) => {
    const reply = await newProcess().call('POST', '', { ...options, ...fields });
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: { param, message: expect.any(String) } });
  });

  test.each([['no JSON'], ['[]'], ['']])('a body that is no object: %p', async (body) => {
    expect((await newProcess().call('POST', '', body)).status).toBe(400);
  });

  test('an unknown or damaged id, for every question', async () => {
    const { call, create, cancel } = newProcess();
    const task = await create();
    await cancel(task);
    for (const id of ['x', `${task.task_id}A`, '%00', 'sandbox-video_']) {
      for (const [method, below] of [
        ['GET', ''],
        ['GET', '/content'],
        ['DELETE', ''],
      ] as const) {
        const reply = await call(method, `/${id}${below}`);
        expect(reply.status).toBe(404);
        expect(await reply.json()).toMatchObject({ error: { message: expect.any(String) } });
      }
    }
  });

  test('a JPEG is taken, since the runtime can read it', async () => {
    const { create, cancel } = newProcess();
    const image = { ...emptyBitmap(40, 40), pixels: new Uint8Array(6_400).fill(255) };
    const jpeg = await new Bun.Image(encodePng(image, {})).jpeg().bytes();
    const task = await create({ image: `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}` });
    expect(task.status).toBe('queued');
    await cancel(task);
  });

  test('the line is bounded: 429, and again room after a cancellation', async () => {
    const { call, create, cancel } = newProcess();
    const long = { width: 1_280, height: 720, duration: 20 };
    const tasks: Task[] = [];
    let refused: Response | undefined;
    for (let seed = 0; refused === undefined; seed += 1) {
      const reply = await call('POST', '', { ...options, ...long, seed });
      if (reply.status === 200) tasks.push((await reply.json()) as Task);
      else refused = reply;
    }
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    // One is drawn and 32 wait; the one before may not have ended yet.
    expect([32, 33]).toContain(tasks.length);
    // One that is being drawn already needs no place of its own.
    tasks.push(await create({ ...long, seed: 20 }));
    const [, second] = tasks;
    if (second !== undefined) await cancel(second);
    tasks.push(await create({ ...long, seed: 99 }));
    for (const task of tasks) await cancel(task);
  });
});

describe('faults', () => {
  const broken = createVideoThread({ workerUrl: 'file:///nowhere/video-worker.ts' });
  afterAll(() => broken.stop());

  test('a thread that cannot start fails the task and nothing else', async () => {
    const clock = { ms: 0 };
    const handler = createVideoHandler({ thread: broken, url: 'x', nowMs: () => clock.ms, newId: () => 'a' });
    const request = { method: 'POST', url: '', headers: {}, body: JSON.stringify(options), signal: forever } as const;
    const task = (await (await handler.create(request)).json()) as Task;
    clock.ms = 500;
    let now: Task;
    do {
      await Bun.sleep(1);
      now = (await (await handler.retrieve(task.task_id)).json()) as Task;
    } while (now.status === 'in_progress');
    expect(now).toMatchObject({
      status: 'failed',
      error: { code: 1001, message: expect.stringContaining('cannot be used') },
    } as never);
  });
});
