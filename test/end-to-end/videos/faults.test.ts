/** What goes wrong between an order and its video: every fault has its defined end, its number and its charge. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  passNow,
  perSecondNano,
  prices,
  removeBenches,
  startVideoBench,
  type VideoBench,
} from '../../contract/videos/bench.ts';
import { type Files, film, filmOf, startFiles } from '../../contract/videos/files.ts';
import { plainKey } from '../../contract/videos/stage.ts';
import { until } from '../../harness/until.ts';
import {
  doneAt,
  type PolledProvider,
  type PolledTask,
  providerAt,
  running,
  type Say,
  startPolledProvider,
} from './polled-provider.ts';

const seconds = 5;
const order = { model: 'up/gen4_turbo', prompt: 'a red boat', seconds };
const whole = BigInt(seconds) * perSecondNano;
const resultBytesMax = 300_000;

let files: Files;
let provider: PolledProvider;
const cutHead = `HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: ${film.length}\r\n\r\n`;
const cut = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    data(socket) {
      socket.write(Buffer.concat([Buffer.from(cutHead), film.subarray(0, 20_000)]));
      socket.end();
    },
  },
});

beforeAll(() => {
  files = startFiles();
  provider = startPolledProvider(() => running);
});

afterAll(async () => {
  await removeBenches();
  provider.stop();
  files.stop();
  cut.stop(true);
});

beforeEach(() => {
  files.behave = undefined;
  provider.keys.add(plainKey);
});

const done: Say = () => doneAt(`${files.url}/film.mp4`);
const html = (): Response => new Response('<html>Oops</html>', { headers: { 'content-type': 'text/html' } });

/** The task's end, its charge and what is held afterwards. */
async function endOf(bench: VideoBench, id: string) {
  const { error } = await bench.becomes(id, 'failed');
  const { costNano, estimated, status, code } = await bench.charged(id);
  return { number: error?.code, costNano, estimated, status, code };
}

describe('until the deadline', () => {
  let bench: VideoBench;

  beforeAll(async () => {
    bench = await startVideoBench({ providers: { up: providerAt(provider) } }, { WEIR_TASKS_ASK_EVERY_MS: '30' });
  });

  afterAll(() => bench.weir.remove());

  const unknown = { costNano: whole, estimated: true };
  const rows: readonly (readonly [string, Say, object])[] = [
    ['a 404', () => new Response('{}', { status: 404 }), { ...unknown, number: 1202, code: 'video_lost' }],
    ['a 410', () => new Response('', { status: 410 }), { ...unknown, number: 1202 }],
    ['a 500', () => new Response('oops', { status: 500 }), { ...unknown, number: 1204, code: 'video_unreachable' }],
    ['a 429', () => new Response('{}', { status: 429 }), { ...unknown, number: 1204 }],
    ['a 401', () => new Response('{}', { status: 401 }), { ...unknown, number: 1205, code: 'video_key-refused' }],
    ['an empty status', () => ({ status: '' }), { ...unknown, number: 1203, code: 'video_unreadable' }],
    ['no status', () => ({}), { ...unknown, number: 1203 }],
    ['an unknown word', () => ({ status: 'BAKING' }), { ...unknown, number: 1203 }],
    ['an empty answer', () => new Response(''), { ...unknown, number: 1203 }],
    ['a page', html, { ...unknown, number: 1203 }],
    ['a list', () => Response.json([]), { ...unknown, number: 1203 }],
    ['work without end', () => running, { ...unknown, number: 1201, status: 504, code: 'video_timed-out' }],
  ];
  const redirect: Say = () => new Response(null, { status: 307, headers: { location: `${files.url}/elsewhere` } });

  /** All are ordered at once, each with its name as its prompt. Their deadline passes when each was polled twice. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const answers = new Map([...rows.map(([what, say]) => [what, say] as const), ['a redirect', redirect] as const]);
    const say: Say = (task, question) => answers.get(String(task.body['promptText']))?.(task, question) ?? running;
    provider.say = say;
    for (const what of answers.keys()) ids.set(what, (await bench.ordered({ ...order, prompt: what })).id);
    await until(() => [...provider.tasks.values()].every(({ asked }) => asked.length > 1), 60_000, 'second polls');
    passNow(bench, 'deadline_at_ms');
    // The others change what it says for all.
    await until(() => bench.tasks().every(({ state }) => state === 'failed'), 60_000, 'every end');
  });

  const endOfOrder = (what: string) => endOf(bench, ids.get(what) ?? '');
  const taskOf = (what: string) => [...provider.tasks.values()].find(({ body }) => body['promptText'] === what);

  for (const [what, , end] of rows) {
    test(`${what} is polled again, and ends with it`, async () => {
      expect(await endOfOrder(what)).toMatchObject(end);
      expect(taskOf(what)?.asked.length).toBeGreaterThan(1);
      expect(bench.task(ids.get(what) ?? '')).toMatchObject({ state: 'failed', guessed: 1 });
    });
  }

  test('a redirect is no answer, and is not followed with a key', async () => {
    expect(await endOfOrder('a redirect')).toMatchObject({ ...unknown, number: 1203 });
    expect(taskOf('a redirect')?.asked.length).toBeGreaterThan(1);
    expect(files.seen.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  test('nothing is charged where the operator says so', async () => {
    const free = await startVideoBench(
      { providers: { up: providerAt(provider) } },
      { WEIR_TASKS_DEADLINE_MS: '200', WEIR_TASKS_UNKNOWN_OUTCOME: 'free' },
    );
    provider.say = () => running;
    const { id } = await free.ordered(order);
    expect(await endOf(free, id)).toMatchObject({ number: 1201, costNano: 0n });
    await free.weir.remove();
  });
});

describe('on the way', () => {
  let bench: VideoBench;

  beforeAll(async () => {
    bench = await startVideoBench(
      { providers: { up: providerAt(provider) } },
      { WEIR_TASKS_ASK_EVERY_MS: '10', WEIR_TASKS_RESULT_BYTES_MAX: String(resultBytesMax) },
    );
  });

  afterAll(() => bench.weir.remove());

  const kept = async (): Promise<readonly string[]> =>
    readdir(join(bench.weir.dataFolder, 'videos'), { recursive: true }).then(
      (names) => names.filter((name) => name.includes('.')),
      () => [],
    );

  test('a provider that denies the task eight times in a row has lost it', async () => {
    provider.say = () => new Response('{}', { status: 404 });
    const { id } = await bench.ordered(order);
    const task = provider.last();
    expect(await endOf(bench, id)).toMatchObject({ number: 1202, costNano: whole, estimated: true });
    expect(task.asked.length).toBe(8);
  });

  const passing: Readonly<Record<string, Say>> = {
    '404 twice': () => new Response('{}', { status: 404 }),
    '500 twice': () => new Response('{}', { status: 500 }),
    'an unknown word twice': () => ({ status: 'BAKING' }),
    'nothing twice': () => new Response(''),
  };
  for (const [what, say] of Object.entries(passing)) {
    test(`${what}, then fine`, async () => {
      provider.say = (task, question) => (question <= 2 ? say(task, question) : done(task, question));
      const { id } = await bench.ordered(order);
      await bench.becomes(id, 'completed');
      expect(await bench.charged(id)).toMatchObject({ costNano: whole, estimated: false });
    });
  }

  test('Retry-After is waited for', async () => {
    const wait = (): Response => new Response('{}', { status: 503, headers: { 'retry-after': '1' } });
    provider.say = (task, question) => (question === 1 ? wait() : done(task, question));
    const { id } = await bench.ordered(order);
    const task = provider.last();
    await bench.becomes(id, 'completed');
    const [first = 0, second = 0] = task.asked;
    expect(second - first).toBeGreaterThanOrEqual(980);
  });

  test('completed without a video: 1101, paid for', async () => {
    provider.say = () => ({ status: 'SUCCEEDED', output: [] });
    const { id } = await bench.ordered(order);
    expect(await endOf(bench, id)).toMatchObject({ number: 1101, costNano: whole, estimated: false });
  });

  const spoiled: Readonly<Record<string, () => Response>> = {
    'an address that has expired': () => new Response('expired', { status: 403 }),
    'a page with status 200': html,
    'an empty file': () => new Response('', { headers: { 'content-type': 'video/mp4' } }),
    'a video that is too large': () => new Response(new Uint8Array(filmOf(resultBytesMax + 1))),
    // Its head promises more than comes.
    'a truncated video': () => Response.redirect(`http://127.0.0.1:${cut.port}/`, 302),
  };
  for (const [what, reply] of Object.entries(spoiled)) {
    test(`${what}: fetched five times, then 1102, paid for`, async () => {
      provider.say = done;
      files.behave = reply;
      const before = await kept();
      const { id } = await bench.ordered(order);
      const task = provider.last();
      expect(await endOf(bench, id)).toMatchObject({ number: 1102, costNano: whole, estimated: false });
      expect(task.asked.length).toBe(5);
      expect(await kept()).toEqual(before);
    });

    test(`${what}, and another address the next time`, async () => {
      provider.say = (_task, question) => doneAt(`${files.url}/film-${question}.mp4`);
      files.behave = (path) => (path === '/film-1.mp4' ? reply() : undefined);
      const { id } = await bench.ordered(order);
      await bench.becomes(id, 'completed');
      const video = await bench.call('GET', `/video/generations/${id}/content`);
      expect(Buffer.from(await video.arrayBuffer()).equals(film)).toBe(true);
      expect(await bench.charged(id)).toMatchObject({ costNano: whole, estimated: false });
    });
  }

  test('a video of exactly the largest size is taken', async () => {
    provider.say = done;
    const large = filmOf(resultBytesMax);
    files.behave = () => new Response(new Uint8Array(large));
    const { id } = await bench.ordered(order);
    await bench.becomes(id, 'completed');
    const video = await bench.call('GET', `/video/generations/${id}/content`);
    expect(Buffer.from(await video.arrayBuffer()).equals(large)).toBe(true);
  });
});

describe('after a restart', () => {
  /** Weir with another configuration on the same database. */
  async function reconfigured(bench: VideoBench, providers: object): Promise<void> {
    await bench.weir.stop();
    await Bun.write(join(bench.weir.dataFolder, 'weir.yaml'), JSON.stringify({ prices, providers }));
    await bench.weir.restart();
  }

  const env = { WEIR_TASKS_LOOK_AGAIN_MS: '100' };

  test('another key of the same account continues the task', async () => {
    const first = { key: undefined, keys: [{ key: plainKey, id: 'first' }] };
    const bench = await startVideoBench({ providers: { up: providerAt(provider, first) } });
    provider.say = () => running;
    const { id } = await bench.ordered(order);
    await bench.becomes(id, 'in_progress');
    provider.keys.clear();
    provider.keys.add('another-key-0123456789');
    const keys = [
      { key: 'revoked-key-0123456789', id: 'first' },
      { key: 'another-key-0123456789', id: 'second' },
    ];
    await reconfigured(bench, { up: providerAt(provider, { key: undefined, keys }) });
    provider.say = done;
    await bench.becomes(id, 'completed');
    provider.keys.add(plainKey);
    await bench.weir.remove();
  });

  test('a key that was deleted: 1205, and corrected when there is one again', async () => {
    const bench = await startVideoBench({ providers: { up: providerAt(provider) } }, env);
    provider.say = () => running;
    const { id } = await bench.ordered(order);
    provider.keys.clear();
    await until(() => (bench.task(id)?.faults ?? 0) > 0, 60_000, 'a refused poll');
    passNow(bench, 'deadline_at_ms');
    expect(await endOf(bench, id)).toMatchObject({ number: 1205, costNano: whole, estimated: true });
    provider.say = done;
    provider.keys.add(plainKey);
    await until(async () => (await bench.get(id)).status === 'completed');
    expect(await bench.charged(id)).toMatchObject({ status: 200, code: '', costNano: whole, estimated: false });
    await bench.weir.remove();
  });

  test('a provider that is no longer configured: 1206, and corrected when it is back', async () => {
    const bench = await startVideoBench({ providers: { up: providerAt(provider) } }, env);
    provider.say = () => running;
    const { id } = await bench.ordered(order);
    await bench.becomes(id, 'in_progress');
    const task: PolledTask = provider.last();
    await reconfigured(bench, {});
    const asked = task.asked.length;
    passNow(bench, 'deadline_at_ms');
    expect(await endOf(bench, id)).toMatchObject({ number: 1206, costNano: whole, estimated: true });
    expect(task.asked.length).toBe(asked);
    provider.say = done;
    await reconfigured(bench, { up: providerAt(provider) });
    await until(async () => (await bench.get(id)).status === 'completed');
    expect(await bench.charged(id)).toMatchObject({ costNano: whole, estimated: false });
    await bench.weir.remove();
  });
});
