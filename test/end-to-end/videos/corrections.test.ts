/**
 * An assumed end is corrected once the provider reports the real one: state, charge, budget and usage row, by the
 * difference and only once.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  perSecondNano,
  removeBenches,
  startVideoBench,
  type TaskBody,
  type VideoBench,
} from '../../contract/videos/bench.ts';
import { type Files, film, startFiles } from '../../contract/videos/files.ts';
import { expectBalanced, settledLedger } from '../../harness/ledger-rows.ts';
import { createToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import { doneAt, failed, type PolledProvider, providerAt, running, startPolledProvider } from './polled-provider.ts';

const whole = 5n * perSecondNano;
const path = '/video/generations';
const clocks = { WEIR_TASKS_DEADLINE_MS: '400', WEIR_TASKS_LOOK_AGAIN_MS: '60' };
let bench: VideoBench;
let files: Files;
let provider: PolledProvider;
let token: string;

beforeAll(async () => {
  files = startFiles();
  provider = startPolledProvider(() => running);
  bench = await startVideoBench(
    { providers: { up: providerAt(provider) } },
    { ...clocks, WEIR_TASKS_CORRECTION_MS: '600000' },
  );
  token = (await createToken(bench.weir, '--budget-usd', '20')).token;
});

afterAll(async () => {
  await removeBenches();
  provider.stop();
  files.stop();
});

async function get(id: string): Promise<TaskBody> {
  return (await (await bench.call('GET', `${path}/${id}`, { token })).json()) as TaskBody;
}

/** A task whose time was up while its provider was still running it. */
async function timedOut(more: object = {}): Promise<string> {
  provider.say = () => running;
  const body = { model: 'up/gen4_turbo', prompt: 'x', seconds: 5, ...more };
  const { task_id: id } = (await (await bench.call('POST', path, { token, body })).json()) as TaskBody;
  await until(async () => (await get(id)).status === 'failed');
  expect((await get(id)).error?.code).toBe(1201);
  expect(bench.task(id)?.guessed).toBe(1);
  expect(await bench.charged(id)).toMatchObject({ costNano: whole, estimated: true, status: 504 });
  return id;
}

/** Another task from its order to its correction: everything that was due before it has been polled. */
async function anotherIsCorrected(): Promise<void> {
  const said = provider.say;
  const id = await timedOut();
  provider.say = said;
  await until(async () => (await get(id)).status === 'completed');
}

describe('a task whose time was up', () => {
  test('completes later: shown, fetched and charged as what it is', async () => {
    const before = await bench.budget();
    const id = await timedOut();
    expect(await bench.budget()).toEqual({ spentNano: before.spentNano + whole, heldNano: before.heldNano });
    provider.say = () => doneAt(`${files.url}/late.mp4`);
    await until(async () => (await get(id)).status === 'completed');
    const { url = '', error } = await get(id);
    expect(error).toBeUndefined();
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(film)).toBe(true);
    expect(await bench.charged(id)).toMatchObject({ costNano: whole, estimated: false, status: 200, code: '' });
    expect(bench.task(id)?.guessed).toBe(0);
    expect(await bench.budget()).toEqual({ spentNano: before.spentNano + whole, heldNano: before.heldNano });
  });

  test('has two webhook calls: that it failed, and that it was completed after all', async () => {
    const deliveries: { readonly id: string | null; readonly body: string }[] = [];
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        deliveries.push({ id: request.headers.get('webhook-id'), body: await request.text() });
        return new Response(null, { status: 204 });
      },
    });
    await timedOut({ callback_url: `http://127.0.0.1:${receiver.port}/` });
    await until(() => deliveries.length === 1);
    provider.say = () => doneAt(`${files.url}/late.mp4`);
    await until(() => deliveries.length === 2);
    expect(deliveries.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'video.failed',
      'video.completed',
    ]);
    // A receiver that recognizes repetitions by their id must not take the second for one.
    expect(deliveries[0]?.id).not.toBe(deliveries[1]?.id ?? '');
    receiver.stop(true);
  });

  test('fails later: what was charged is given back, once', async () => {
    const before = await bench.budget();
    const id = await timedOut();
    const task = provider.last();
    provider.say = () => failed;
    await until(async () => (await get(id)).error?.code === 1001);
    expect(await bench.charged(id)).toMatchObject({ costNano: 0n, estimated: false, code: 'video_failed' });
    expect(await bench.budget()).toEqual(before);
    const asked = task.asked.length;
    provider.say = () => doneAt(`${files.url}/late.mp4`);
    await anotherIsCorrected();
    expect([task.asked.length, (await get(id)).status]).toEqual([asked, 'failed']);
  });

  test('is cancelled later: nothing is owed', async () => {
    const before = await bench.budget();
    const id = await timedOut();
    provider.say = () => ({ status: 'CANCELLED' });
    await until(async () => (await get(id)).error?.code === 1003);
    expect(await bench.budget()).toEqual(before);
  });

  test('is asked for no longer than configured, and then stays as it is', async () => {
    const brief = await startVideoBench(
      { providers: { up: providerAt(provider) } },
      { ...clocks, WEIR_TASKS_CORRECTION_MS: '1000' },
    );
    provider.say = () => running;
    const { id } = await brief.ordered({ model: 'up/gen4_turbo', prompt: 'x', seconds: 5 });
    const task = provider.last();
    await brief.becomes(id, 'failed');
    await until(() => brief.task(id)?.guessed === 0, 60_000, 'the end of looking');
    const asked = task.asked.length;
    provider.say = () => failed;
    const { id: next } = await brief.ordered({ model: 'up/gen4_turbo', prompt: 'x', seconds: 5 });
    await brief.becomes(next, 'failed');
    expect(task.asked.length).toBe(asked);
    expect((await brief.get(id)).error?.code).toBe(1201);
    expect(await brief.charged(id)).toMatchObject({ costNano: whole, estimated: true });
    await brief.weir.remove();
  });

  test('the ledger balances after all of it', async () => {
    const ledger = await settledLedger(bench.weir);
    expectBalanced(ledger);
    expect(new Set(ledger.usage.map(({ requestId }) => requestId)).size).toBe(ledger.usage.length);
  });
});
