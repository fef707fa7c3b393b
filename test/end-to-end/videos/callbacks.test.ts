/**
 * Callers get a webhook at their own URL, providers may call Weir's: signed, guarded, and no webhook
 * call ends a task by itself.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import OpenAI from 'openai';
import { removeBenches, startVideoBench, type VideoBench } from '../../contract/videos/bench.ts';
import { type Files, startFiles } from '../../contract/videos/files.ts';
import { isFullSize } from '../../harness/size.ts';
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

interface Delivery {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A caller's own server that gets the webhook calls about ends. */
function startReceiver() {
  const seen: Delivery[] = [];
  const receiver = {
    seen,
    answer: (_delivery: Delivery): Response => new Response(null, { status: 204 }),
    url: '',
    stop: () => void server.stop(true),
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const delivery = { path: new URL(request.url).pathname, headers: request.headers, body: await request.text() };
      seen.push(delivery);
      return receiver.answer(delivery);
    },
  });
  receiver.url = `http://127.0.0.1:${server.port}`;
  return receiver;
}

const publicUrl = 'https://weir.example';
const order = { model: 'up/gen4_turbo', prompt: 'x', seconds: 5 };
let files: Files;
let provider: PolledProvider;
let receiver: ReturnType<typeof startReceiver>;

beforeAll(() => {
  files = startFiles();
  provider = startPolledProvider(() => running);
  receiver = startReceiver();
});

afterAll(async () => {
  await removeBenches();
  for (const one of [files, provider, receiver]) one.stop();
});

beforeEach(() => {
  provider.say = () => doneAt(`${files.url}/film.mp4`);
  receiver.answer = () => new Response(null, { status: 204 });
  receiver.seen.splice(0);
});

describe('a callback', () => {
  let bench: VideoBench;

  beforeAll(async () => {
    bench = await startVideoBench({ providers: { up: providerAt(provider) } });
  });

  afterAll(() => bench.weir.remove());

  const secretOf = async (): Promise<string> => {
    const reply = await bench.call('GET', '/video/callback_secret');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    return ((await reply.json()) as { secret: string }).secret;
  };

  test('comes once, signed, and says what the task says', async () => {
    const metadata = { invoice: '17' };
    const { id } = await bench.ordered({ ...order, callback_url: `${receiver.url}/ends`, metadata });
    const task = await bench.becomes(id, 'completed');
    await until(() => receiver.seen.length > 0);
    const [delivery] = receiver.seen;
    if (delivery === undefined) throw new Error('nothing came');
    const event = JSON.parse(delivery.body) as Readonly<Record<string, unknown>>;
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      object: 'event',
      type: 'video.completed',
      created_at: expect.any(Number),
      data: { ...task, id },
      metadata,
    });
    const at = (name: string): string => delivery.headers.get(name) ?? '';
    expect(at('content-type')).toBe('application/json');
    expect(at('authorization')).toBe('');
    const secret = await secretOf();
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const said = `${at('webhook-id')}.${at('webhook-timestamp')}.${delivery.body}`;
    expect(at('webhook-signature')).toBe(`v1,${createHmac('sha256', key).update(said).digest('base64')}`);
    expect(Math.abs(Number(at('webhook-timestamp')) - Date.now() / 1_000)).toBeLessThan(100);

    const library = new OpenAI({ apiKey: 'x' });
    const unwrapped = await library.webhooks.unwrap(delivery.body, delivery.headers, secret);
    expect(unwrapped.type as string).toBe('video.completed');
    const forged = library.webhooks.unwrap(`${delivery.body} `, delivery.headers, secret);
    expect(
      await forged.then(
        () => 'taken',
        () => 'refused',
      ),
    ).toBe('refused');
    // Delivered, it is no longer kept: nothing is left that could come again.
    await until(() => bench.callbacks().length === 0);
    expect(receiver.seen).toHaveLength(1);
  });

  test('reports failures too, and no deleted task', async () => {
    provider.say = () => running;
    const unwanted = await bench.ordered({ ...order, callback_url: `${receiver.url}/unwanted` });
    await bench.call('DELETE', `/video/generations/${unwanted.id}`);
    provider.say = () => failed;
    const { id } = await bench.ordered({ ...order, callback_url: `${receiver.url}/failed` });
    await until(() => receiver.seen.length > 0);
    const event = JSON.parse(receiver.seen[0]?.body ?? '') as Readonly<Record<string, unknown>>;
    expect(event).toMatchObject({ type: 'video.failed', data: { id, status: 'failed', error: { code: 1001 } } });
    await bench.charged(unwanted.id);
    await until(() => bench.callbacks().length === 0);
    expect(receiver.seen.map(({ path }) => path)).toEqual(['/failed']);
  });

  test('that is not accepted is sent again unchanged, also after a restart; redirects are not followed', async () => {
    receiver.answer = ({ path }) =>
      path === '/elsewhere' ? new Response(null) : Response.redirect(`${receiver.url}/elsewhere`, 307);
    await bench.ordered({ ...order, callback_url: `${receiver.url}/again` });
    await until(() => receiver.seen.length > 0);
    // A delivery that was killed in flight is sent again only after its lease of 30 s, which the soak waits for.
    const isRefused = () => bench.callbacks().some(({ tries, leased }) => tries > 0 && leased === 0);
    if (!isFullSize) await until(isRefused, 60_000, 'the end of the delivery');
    await bench.weir.kill();
    receiver.answer = () => new Response(null, { status: 204 });
    await bench.weir.restart();
    await until(() => receiver.seen.length > 1, 90_000, 'the retry');
    const [one, two] = receiver.seen;
    expect(two?.body).toBe(one?.body ?? '');
    expect(two?.headers.get('webhook-id')).toBe(one?.headers.get('webhook-id') ?? '');
    expect(receiver.seen.map(({ path }) => path)).toEqual(['/again', '/again']);
  });

  test('is all that there is without a public URL: no webhook is offered to the provider', async () => {
    provider.say = () => pending;
    await bench.ordered(order);
    expect(JSON.stringify(provider.last().body)).not.toContain('hooks');
  });

  test('to a private IP address is not sent where the operator does not allow it', async () => {
    const guarded = await startVideoBench(
      { providers: { up: providerAt(provider) } },
      { WEIR_EGRESS_ALLOWED_NETWORKS: '', WEIR_LOG_LEVEL: 'error' },
    );
    provider.say = () => failed;
    for (const url of [`${receiver.url}/private`, receiver.url.replace('127.0.0.1', 'localhost')]) {
      const { id } = await guarded.ordered({ ...order, callback_url: url });
      await guarded.becomes(id, 'failed');
    }
    // Each was tried and is not in flight any more.
    await until(() => guarded.callbacks().every(({ tries, leased }) => tries > 0 && leased === 0));
    expect(receiver.seen).toEqual([]);
    await guarded.weir.remove();
  });
});

describe('a webhook call of a provider', () => {
  let bench: VideoBench;
  let hooked: ReturnType<typeof startHooked>;

  /** A provider whose wire has a field for the webhook URL. */
  function startHooked() {
    const state = { hook: '', status: 'queued', asked: 0, url: '', stop: () => void server.stop(true) };
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        if (request.method === 'POST') {
          const body = (await request.json()) as { callback_url: string };
          state.hook = body.callback_url.replace(publicUrl, bench.weir.url);
          return Response.json({ id: 'cgt-1' });
        }
        state.asked++;
        const content = { video_url: `${files.url}/film.mp4` };
        return Response.json({ id: 'cgt-1', status: state.status, content, duration: 5 });
      },
    });
    state.url = `http://127.0.0.1:${server.port}`;
    return state;
  }

  beforeAll(async () => {
    hooked = startHooked();
    const volcengine = { kind: 'volcengine', base_url: `${hooked.url}/api/v3`, key: 'provider-key-0123456789' };
    bench = await startVideoBench(
      { providers: { hooked: { ...volcengine, models: ['doubao-seedance-1-0-pro'] } } },
      { WEIR_SERVER_PUBLIC_URL: publicUrl, WEIR_TASKS_ASK_EVERY_MS: '600000' },
    );
  });

  afterAll(async () => {
    await bench.weir.remove();
    hooked.stop();
  });

  const callHook = (at: string, body?: string): Promise<Response> =>
    fetch(at, { method: 'POST', ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }) });

  test('makes Weir poll, and changes nothing by itself', async () => {
    const { id } = await bench.ordered({ model: 'hooked/doubao-seedance-1-0-pro', prompt: 'x', seconds: 5 });
    expect(hooked.hook).toStartWith(`${bench.weir.url}/v1/video/hooks/${id}/`);
    expect(hooked.asked).toBe(0);

    const echoed = await callHook(hooked.hook, JSON.stringify({ challenge: 'word-1' }));
    expect(await echoed.json()).toEqual({ challenge: 'word-1' });
    expect(hooked.asked).toBe(0);

    const lie = JSON.stringify({ id: 'cgt-1', status: 'succeeded', content: { video_url: `${files.url}/lie.mp4` } });
    expect((await callHook(hooked.hook, lie)).status).toBe(200);
    await until(() => hooked.asked === 1);
    expect((await bench.get(id)).status).toBe('queued');

    const forged = hooked.hook.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const at of [forged, hooked.hook.replace(/video_[0-9a-z_]+/, 'video_0'), `${hooked.hook}0`]) {
      expect((await callHook(at, lie)).status).toBe(404);
    }
    expect(hooked.asked).toBe(1);

    hooked.status = 'succeeded';
    // The content of a webhook call does not matter.
    expect((await callHook(hooked.hook, 'status=done')).status).toBe(200);
    await bench.becomes(id, 'completed');
    expect(hooked.asked).toBe(2);
    expect(files.seen.some(({ path }) => path === '/lie.mp4')).toBe(false);
    const late = hooked.hook;
    const next = await bench.ordered({ model: 'hooked/doubao-seedance-1-0-pro', prompt: 'x', seconds: 5 });
    expect((await callHook(late)).status).toBe(200);
    // A call for another task is acted on; the late one before it was not.
    expect((await callHook(hooked.hook)).status).toBe(200);
    await bench.becomes(next.id, 'completed');
    expect(hooked.asked).toBe(3);
  });
});
