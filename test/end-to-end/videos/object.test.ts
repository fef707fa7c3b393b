/** The specification's task over plain HTTP: field by field in each of its four states, and every request for it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { lossesOf } from '../../contract/operations/bench.ts';
import {
  imageBytes,
  removeBenches,
  startVideoBench,
  type TaskBody,
  type VideoBench,
} from '../../contract/videos/bench.ts';
import { type Files, film, startFiles } from '../../contract/videos/files.ts';
import { createToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import {
  doneAt,
  failed,
  type PolledProvider,
  pending,
  providerAt,
  running,
  startPolledProvider,
} from './polled-provider.ts';

let bench: VideoBench;
let files: Files;
let provider: PolledProvider;
let other: PolledProvider;
const path = '/video/generations';
const model = 'up/gen4_turbo';
const plain = { model, prompt: 'a red boat' };

beforeAll(async () => {
  files = startFiles();
  provider = startPolledProvider(() => pending);
  other = startPolledProvider(() => pending);
  bench = await startVideoBench({ providers: { up: providerAt(provider), other: providerAt(other) } });
});

afterAll(async () => {
  await removeBenches();
  for (const one of [provider, other, files]) one.stop();
});

beforeEach(() => {
  provider.say = () => doneAt(`${files.url}/film.mp4`);
  provider.take = undefined;
  files.behave = undefined;
});

interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: string; readonly code: string };
}

async function refusal(reply: Response): Promise<readonly [number, string, string]> {
  const { error } = (await reply.json()) as ErrorBody;
  expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
  for (const value of Object.values(error)) expect(typeof value).toBe('string');
  return [reply.status, error.code, error.param];
}

async function completed(more: object = {}): Promise<TaskBody & { readonly url: string }> {
  const { id } = await bench.ordered({ ...plain, ...more });
  const { url = '', ...rest } = await bench.becomes(id, 'completed');
  return { url, ...rest };
}

describe('the four states', () => {
  test('queued: the id and the state, and what was requested', async () => {
    provider.say = () => pending;
    const reply = await bench.order(plain);
    expect(reply.headers.get('content-type')).toBe('application/json');
    const text = await reply.text();
    const { task_id: id } = JSON.parse(text) as TaskBody;
    expect(JSON.parse(text)).toEqual({ task_id: id, status: 'queued' });
    expect(id).toMatch(/^video_weir_[0-9a-f]{32}$/);
    expect(await bench.get(id)).toEqual({ task_id: id, status: 'queued' });
    const requested = await bench.ordered({ ...plain, duration: 4, width: 1_280, height: 720, fps: 24, seed: 0 });
    const metadata = { duration: 4, fps: 24, width: 1_280, height: 720, seed: 0 };
    expect(await bench.get(requested.id)).toEqual({ task_id: requested.id, status: 'queued', metadata });
  });

  test('in_progress: the same fields, and it never goes back', async () => {
    provider.say = () => running;
    const { id } = await bench.ordered(plain);
    expect(await bench.becomes(id, 'in_progress')).toEqual({ task_id: id, status: 'in_progress' });
    provider.say = () => pending;
    const asked = provider.last().asked.length;
    await until(() => provider.last().asked.length > asked + 1);
    expect((await bench.get(id)).status).toBe('in_progress');
  });

  test('completed: an address, a format and what is known of the video', async () => {
    const task = await completed({ seconds: 5, size: '720x1280', seed: 3 });
    const { task_id: id } = task;
    expect(task).toEqual({
      task_id: id,
      status: 'completed',
      url: expect.stringMatching(
        new RegExp(`^${bench.weir.url}/v1/video/generations/${id}/content\\?expires=\\d+&signature=[0-9a-f]{64}$`),
      ) as unknown as string,
      format: 'mp4',
      metadata: { duration: 5, width: 720, height: 1_280, seed: 3 },
    });
    // The URL stays the same for as long as it is valid.
    expect((await bench.get(id)).url).toBe(task.url);
  });

  test('failed: a number and a message, with status 200', async () => {
    provider.say = () => failed;
    const { id } = await bench.ordered({ ...plain, seconds: 5 });
    const task = await bench.becomes(id, 'failed');
    const message = 'The provider failed to generate the video. It broke.';
    expect(task).toEqual({ task_id: id, status: 'failed', metadata: { duration: 5 }, error: { code: 1001, message } });
    expect(Number.isInteger(task.error?.code)).toBe(true);
  });

  test('nothing is ever null, and numbers are whole where the specification says so', async () => {
    const { task_id: id } = await completed({ seconds: 4.5 });
    for (const at of [`${path}/${id}`, `${path}?limit=100`]) {
      const text = await (await bench.call('GET', at)).text();
      expect(text).not.toContain('null');
    }
    for (const name of ['fps', 'width', 'height', 'seed']) {
      expect(Number.isInteger((await bench.get(id)).metadata?.[name] ?? 0)).toBe(true);
    }
  });
});

describe('whose it is', () => {
  test('unknown, another token’s and deleted are the same 404', async () => {
    const { task_id: id, url } = await completed();
    const stranger = await createToken(bench.weir);
    const deleted = (await bench.ordered(plain)).id;
    expect((await bench.call('DELETE', `${path}/${deleted}`)).status).toBe(200);
    const asked: readonly (readonly [string, string])[] = [
      ['video_00000000000000000000000000000000', bench.weir.token],
      ['nonsense%20id', bench.weir.token],
      [id, stranger.token],
      [deleted, bench.weir.token],
    ];
    const bodies = new Set<string>();
    for (const [name, token] of asked) {
      for (const method of ['GET', 'DELETE']) {
        const reply = await bench.call(method, `${path}/${name}`, { token });
        bodies.add(`${reply.status} ${await reply.clone().text()}`);
        expect((await refusal(reply)).slice(0, 2)).toEqual([404, 'not_found']);
      }
      const content = await bench.call('GET', `${path}/${name}/content`, { token });
      expect(content.status).toBe(404);
    }
    expect(bodies.size).toBe(1);
    expect((await bench.call('GET', path, { token: stranger.token }).then((reply) => reply.json())) as object).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
    expect((await fetch(url)).status).toBe(200);
    await bench.call('DELETE', `${path}/${id}`);
    expect((await fetch(url)).status).toBe(404);
  });

  test('no token, no task', async () => {
    for (const [method, at] of [
      ['GET', path],
      ['POST', path],
      ['GET', `${path}/x`],
      ['DELETE', `${path}/x`],
      ['GET', `${path}/x/content`],
      ['GET', '/video/callback_secret'],
    ] as const) {
      const reply = await bench.call(method, at, { token: '', ...(method === 'POST' && { body: plain }) });
      expect((await refusal(reply))[0]).toBe(401);
    }
  });
});

describe('Idempotency-Key', () => {
  test('makes an order that is sent twice one task, also after the process was killed', async () => {
    provider.say = () => running;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const before = provider.tasks.size;
    const { id } = await bench.ordered(plain, headers);
    const again = await bench.ordered(plain, headers);
    expect(again.id).toBe(id);
    expect(again.reply.headers.get('x-weir-replayed')).toBeTruthy();
    await bench.weir.kill();
    await bench.weir.restart();
    expect((await bench.ordered(plain, headers)).id).toBe(id);
    expect(provider.tasks.size).toBe(before + 1);
    const reply = await bench.order({ ...plain, prompt: 'a blue boat' }, headers);
    expect((await refusal(reply)).slice(0, 2)).toEqual([409, 'idempotency_key_reused']);
    const wrong = await bench.order(plain, { 'idempotency-key': 'a key with blanks' });
    expect((await refusal(wrong))[0]).toBe(400);
    // Its owner died, and it is still followed to its end.
    provider.say = () => doneAt(`${files.url}/film.mp4`);
    await bench.becomes(id, 'completed');
  });

  test('is free again where the order was refused', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    provider.take = () => Response.json({ error: 'No.' }, { status: 400 });
    expect((await bench.order(plain, headers)).status).toBe(400);
    provider.take = undefined;
    expect((await bench.order(plain, headers)).status).toBe(200);
  });
});

describe('the list', () => {
  test('has pages in both orders, each task once', async () => {
    const { token } = await createToken(bench.weir);
    const list = async (query: string) => {
      const reply = await bench.call('GET', `${path}${query}`, { token });
      return (await reply.json()) as { data: TaskBody[]; has_more: boolean; first_id: string; last_id: string };
    };
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) {
      const reply = await bench.call('POST', path, { token, body: plain });
      ids.push(((await reply.json()) as TaskBody).task_id);
    }
    for (const order of ['asc', 'desc'] as const) {
      const wanted = order === 'asc' ? ids : ids.toReversed();
      const seen: string[] = [];
      for (let after = ''; ; ) {
        const page = await list(`?limit=3&order=${order}${after}`);
        const own = page.data.map(({ task_id: id }) => id);
        expect([page.first_id, page.last_id]).toEqual([own[0] ?? '', own.at(-1) ?? '']);
        seen.push(...own);
        if (!page.has_more) break;
        after = `&after=${page.last_id}`;
      }
      expect(seen).toEqual(wanted);
    }
    expect((await list('')).data.map(({ task_id: id }) => id)).toEqual(ids.toReversed());
    const bad = ['?limit=0', '?limit=101', '?limit=x', '?order=up', '?after=video_none'];
    for (const query of bad) {
      const reply = await bench.call('GET', `${path}${query}`, { token });
      const [status, code, param] = await refusal(reply);
      expect([status, code, query.startsWith(`?${param}`)]).toEqual([400, 'field_invalid', true]);
    }
  });
});

describe('an order', () => {
  test('says what is wrong with it, and nothing is sent', async () => {
    const before = provider.tasks.size;
    const wrong: readonly (readonly [object, string])[] = [
      [{ prompt: '' }, 'prompt'],
      [{ prompt: 7 }, 'prompt'],
      [{ seconds: -1 }, 'seconds'],
      [{ duration: 0 }, 'duration'],
      [{ seconds: 4, duration: 5 }, 'seconds'],
      [{ seconds: 1e9 }, 'seconds'],
      [{ size: 'big' }, 'size'],
      [{ width: 100 }, 'height'],
      [{ fps: 0.5 }, 'fps'],
      [{ seed: 1.5 }, 'seed'],
      [{ n: 0 }, 'n'],
      [{ n: 1_000 }, 'n'],
      [{ aspect_ratio: 'wide' }, 'aspect_ratio'],
      [{ callback_url: 'ftp://x' }, 'callback_url'],
      [{ metadata: { a: 1 } }, 'metadata.a'],
      [{ image: 'not an address' }, 'image'],
      [{ images: [7] }, 'images[0]'],
      [{ input_reference: 'x' }, 'input_reference'],
      [{ model: '' }, 'model'],
    ];
    for (const [more, param] of wrong) {
      const [status, , named] = await refusal(await bench.order({ ...plain, ...more }));
      expect([JSON.stringify(more), status, named]).toEqual([JSON.stringify(more), 400, param]);
    }
    expect((await refusal(await bench.order({ prompt: 'x', model: 'nobody' })))[0]).toBe(404);
    expect((await refusal(await bench.order({ prompt: 'x', model: 'sandbox-chat' }))).slice(0, 2)).toEqual([
      400,
      'operation_unsupported',
    ]);
    expect(provider.tasks.size).toBe(before);
  });

  test('carries extras to the provider that they name and to no other', async () => {
    const extras = { up: { contentModeration: { publicFigureThreshold: 'low' }, model: 'x' }, other: { secret: 1 } };
    const { reply } = await bench.ordered({ ...plain, ...extras });
    expect(provider.last().body).toMatchObject({
      contentModeration: { publicFigureThreshold: 'low' },
      model: 'gen4_turbo',
    });
    expect(JSON.stringify(provider.last().body)).not.toContain('secret');
    expect(lossesOf(reply).toSorted()).toEqual(['model', 'other']);
  });

  test('in strict mode fails where an option would be lost', async () => {
    const before = provider.tasks.size;
    const reply = await bench.order({ ...plain, fps: 30 }, { 'x-weir-strict': 'true' });
    expect(await refusal(reply)).toEqual([400, 'loss_refused', 'fps']);
    expect(provider.tasks.size).toBe(before);
    expect((await bench.order(plain, { 'x-weir-strict': 'true' })).status).toBe(200);
  });

  test('comes as a form with uploads too', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt: 'boats', seconds: '5', metadata: '{"a":"b"}' })) {
      form.set(name, value);
    }
    form.set('image', new File([new Uint8Array(imageBytes)], 'boat.png', { type: 'image/png' }));
    const reply = await bench.call('POST', path, { body: form });
    expect(reply.status).toBe(200);
    const { body, path: sent } = provider.last();
    expect(sent).toBe('/v1/image_to_video');
    expect(body).toMatchObject({ promptText: 'boats', duration: 5 });
    expect(body['promptImage']).toBe(`data:image/png;base64,${imageBytes.toString('base64')}`);
  });
});

describe('the content', () => {
  test('is whole, or a part, or nothing where there is none', async () => {
    const { task_id: id, url } = await completed();
    const asked = (range: string, more: object = {}) =>
      bench.call('GET', `${path}/${id}/content`, { headers: { range, ...more } });
    const whole = await fetch(url);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect(whole.headers.get('cache-control')).toStartWith('private');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(Buffer.from(await whole.arrayBuffer()).equals(film)).toBe(true);
    const parts: readonly (readonly [string, number, number])[] = [
      ['bytes=0-99', 0, 99],
      ['bytes=150000-', 150_000, 199_999],
      ['bytes=-500', 199_500, 199_999],
      ['bytes=199999-999999', 199_999, 199_999],
    ];
    for (const [range, start, end] of parts) {
      const reply = await asked(range);
      expect([reply.status, reply.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/200000`]);
      expect(Buffer.from(await reply.arrayBuffer()).equals(film.subarray(start, end + 1))).toBe(true);
    }
    for (const range of ['bytes=200000-', 'bytes=-0']) {
      const reply = await asked(range);
      expect([reply.status, reply.headers.get('content-range')]).toEqual([416, 'bytes */200000']);
    }
    expect((await asked('bytes=0-9', { 'if-range': '"old"' })).status).toBe(200);
    expect((await bench.call('GET', `${path}/${id}/content?index=1`)).status).toBe(404);
    expect((await refusal(await bench.call('GET', `${path}/${id}/content?index=-1`)))[2]).toBe('index');
    expect((await refusal(await bench.call('GET', `${path}/${id}/content?variant=thumbnail`)))[2]).toBe('variant');
  });

  test('is not there before the end, and not after a failure', async () => {
    provider.say = () => running;
    const { id } = await bench.ordered(plain);
    const content = () => bench.call('GET', `${path}/${id}/content`);
    expect((await refusal(await content())).slice(0, 2)).toEqual([404, 'not_found']);
    provider.say = () => failed;
    await bench.becomes(id, 'failed');
    expect((await refusal(await content())).slice(0, 2)).toEqual([404, 'not_found']);
  });

  test('opens by its signed address and by no other', async () => {
    const { url } = await completed();
    const { task_id: foreign } = await completed();
    const changed = (name: string, value: string): string => {
      const address = new URL(url);
      address.searchParams.set(name, value);
      return address.href;
    };
    const expires = Number(new URL(url).searchParams.get('expires'));
    const signature = new URL(url).searchParams.get('signature') ?? '';
    const wrong = [
      changed('expires', String(expires + 1)),
      changed('expires', '1'),
      changed('expires', 'NaN'),
      changed(
        'signature',
        signature.replace(/^./, (one) => (one === '0' ? '1' : '0')),
      ),
      changed('signature', ''),
      changed('index', '1'),
      url.replace(/video_[0-9a-z_]+/, foreign),
    ];
    for (const address of wrong) expect([address, (await fetch(address)).status]).toEqual([address, 404]);
    expect((await fetch(url)).status).toBe(200);
    // Also after a restart: nothing about it is kept in memory.
    await bench.weir.stop();
    await bench.weir.restart();
    expect((await fetch(url)).status).toBe(200);
  });
});
