/**
 * Every wire to a video vendor, from the order to the file: what the vendor saw, what callers see, and what it costs.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { expectBalanced, settledLedger } from '../../harness/ledger-rows.ts';
import { until } from '../../harness/until.ts';
import { lossesOf } from '../operations/bench.ts';
import { type Scripted, startScripted } from '../operations/scripted.ts';
import { dataUrl, perSecondNano, removeBenches, startVideoBench, type VideoBench } from './bench.ts';
import { type Files, film, startFiles } from './files.ts';
import { furtherVendors } from './further-wires.ts';
import { lumaVendors } from './luma-wires.ts';
import { failureWords, options, refusalWords, type Stage, stageOf, type VendorRow } from './stage.ts';
import { westernVendors } from './western-wires.ts';

const vendors = [...westernVendors, ...furtherVendors, ...lumaVendors];
const perTokenNano = 2_500n;
const publicUrl = 'https://weir.example';

let bench: VideoBench;
let files: Files;
const ups = new Map<string, Scripted>();
const stages = new Map<string, Stage>();

beforeAll(async () => {
  files = startFiles();
  const providers = vendors.map((vendor) => {
    const stage = stageOf(files);
    const up = startScripted(vendor.answer(stage));
    stage.url = up.url;
    stages.set(vendor.name, stage);
    ups.set(vendor.name, up);
    const { kind, base, settings = {}, model } = vendor;
    return [
      vendor.name,
      {
        kind,
        base_url: `${up.url}${base}`,
        key: vendor.key(up.url),
        models: [model, ...(vendor.imageModel ? [vendor.imageModel] : [])],
        settings,
      },
    ];
  });
  const prices = { '*seedance-1-0*': { input: 0, output: 2.5 }, '*': { video_second: 0.1 } };
  bench = await startVideoBench(
    { providers: Object.fromEntries(providers), prices },
    { WEIR_SERVER_PUBLIC_URL: publicUrl },
  );
});

afterAll(async () => {
  await removeBenches();
  for (const up of ups.values()) up.stop();
  files.stop();
});

function costOf({ billed }: VendorRow): bigint {
  return 'tokens' in billed ? BigInt(billed.tokens) * perTokenNano : BigInt(billed.seconds) * perSecondNano;
}

for (const vendor of vendors) {
  const model = `${vendor.name}/${vendor.model}`;
  const order = (more: object = {}) => bench.ordered({ model, ...options, ...more });

  describe(vendor.name, () => {
    let stage: Stage;
    let up: Scripted;

    beforeEach(() => {
      stage = stages.get(vendor.name) ?? stageOf(files);
      up = ups.get(vendor.name) ?? startScripted(vendor.answer(stage));
      Object.assign(stage, { phase: 'waiting', refuses: false, questions: 0, cancels: 0 });
      stage.orders.splice(0);
      up.forget();
    });

    test('takes every option, goes through its states and returns the video', async () => {
      const { id, reply } = await order();
      const { status, ...ordered } = await bench.get(id);
      expect(ordered).toEqual({ task_id: id, metadata: expectedOptions });
      // A wire without a state for waiting is in progress after its first poll.
      expect(vendor.queues ? ['queued'] : ['queued', 'in_progress']).toContain(status);
      expect(lossesOf(reply).toSorted()).toEqual([...vendor.losses]);
      expect(reply.headers.get('x-weir-provider')).toBe(vendor.name);
      expect(stage.orders).toHaveLength(1);
      expect(stage.orders[0]?.path).toBe(vendor.path);
      expect(withoutHook(stage.orders[0]?.body ?? {})).toEqual(vendor.ordered);

      await until(() => stage.questions >= 2, 60_000, 'two questions');
      if (vendor.queues) expect((await bench.get(id)).status).toBe('queued');
      stage.phase = 'running';
      const running = await bench.becomes(id, 'in_progress');
      expect(Object.keys(running).toSorted()).toEqual(['metadata', 'status', 'task_id']);

      stage.phase = 'done';
      const done = await bench.becomes(id, 'completed');
      expect(Object.keys(done).toSorted()).toEqual(['format', 'metadata', 'status', 'task_id', 'url']);
      expect(done).toMatchObject({ task_id: id, format: 'mp4', metadata: vendor.metadata });
      expect(Object.keys(done.metadata ?? {}).toSorted()).toEqual(Object.keys(vendor.metadata).toSorted());
      const video = await bench.call('GET', `/video/generations/${id}/content`);
      expect(Buffer.from(await video.arrayBuffer()).equals(film)).toBe(true);
      expect(await bench.charged(id)).toMatchObject({ status: 200, costNano: costOf(vendor), estimated: false });
    });

    test('gets an image in its own form', async () => {
      stage.phase = 'done';
      const { id } = await order({
        image: vendor.image ?? dataUrl,
        model: `${vendor.name}/${vendor.imageModel ?? vendor.model}`,
      });
      expect(stage.orders[0]?.path).toBe(vendor.imagePath ?? vendor.path);
      expect(await vendor.imageIn(stage.orders[0]?.body ?? {})).toEqual(vendor.expectedImage);
      await bench.becomes(id, 'completed');
    });

    test('turns an order down: no task, nothing charged', async () => {
      stage.refuses = true;
      const before = bench.tasks().length;
      const reply = await bench.order({ model, prompt: 'a red boat' });
      const { error } = (await reply.json()) as { error: { message: string; code: string; type: string } };
      expect([reply.status, error.message.includes(refusalWords)]).toEqual([vendor.refusedStatus, true]);
      expect([typeof error.type, typeof error.code]).toEqual(['string', 'string']);
      expect(stage.orders).toHaveLength(1);
      expect(bench.tasks()).toHaveLength(before);
      const row = await bench.usageOf(reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ costNano: 0n, status: vendor.refusedStatus });
    });

    test('fails in the middle: 1001, free', async () => {
      const { id } = await order();
      stage.phase = 'failed';
      const { error } = await bench.becomes(id, 'failed');
      expect(error?.code).toBe(1001);
      expect(error?.message).toContain(failureWords);
      expect(await bench.charged(id)).toMatchObject({ costNano: 0n, estimated: false });
    });

    test('will not make it after all: 1002, free', async () => {
      const { id } = await order();
      stage.phase = 'refused';
      expect((await bench.becomes(id, 'failed')).error?.code).toBe(1002);
      expect(await bench.charged(id)).toMatchObject({ status: 400, costNano: 0n });
    });

    test(vendor.cancels ? 'is cancelled' : 'cannot be cancelled and is polled to its end', async () => {
      const { id } = await order();
      const deleted = await bench.call('DELETE', `/video/generations/${id}`);
      expect(await deleted.json()).toEqual({ task_id: id, deleted: true });
      expect((await bench.call('GET', `/video/generations/${id}`)).status).toBe(404);
      expect(stage.cancels).toBe(vendor.cancels ? 1 : 0);
      if (!vendor.cancels) stage.phase = 'done';
      const row = await bench.charged(id);
      expect(row.costNano).toBe(vendor.cancels ? 0n : costOf(vendor));
      expect(bench.task(id)?.state).toBe(vendor.cancels ? 'failed' : 'completed');
    });

    test('gets the webhook URL, if it has a field for it', async () => {
      const { id } = await order();
      const [first] = up.seen;
      if (first === undefined) throw new Error('nothing was sent');
      const hook = stage.orders[0] && vendor.hookIn?.(stage.orders[0], first);
      const isSent = up.seen[0]?.bytes.toString('latin1').includes(publicUrl) || up.seen[0]?.query.size !== 0;
      expect(isSent).toBe(vendor.hookIn !== undefined);
      if (hook !== undefined) expect(String(hook)).toStartWith(`${publicUrl}/v1/video/hooks/${id}/`);
      stage.phase = 'failed';
      await bench.charged(id);
    });
  });
}

const expectedOptions = { duration: 6, fps: 24, width: 1_280, height: 720, seed: 7 };

function withoutHook(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = ['callback_url', 'webhook', 'webhook_events_filter'];
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

test('several samples of one order are all kept and all paid for', async () => {
  const stage = stages.get('vertex');
  if (stage === undefined) throw new Error('no stage');
  Object.assign(stage, { phase: 'done', refuses: false });
  stage.orders.splice(0);
  const { id } = await bench.ordered({ model: 'vertex/veo-3.1-generate-001', prompt: 'x', seconds: 4, n: 2 });
  expect(stage.orders[0]?.body).toMatchObject({ parameters: { sampleCount: 2, durationSeconds: 4 } });
  const { url, urls = [] } = await bench.becomes(id, 'completed');
  expect(urls).toHaveLength(2);
  expect(url).toBe(urls[0]);
  const second = await bench.call('GET', `/video/generations/${id}/content?index=1`);
  expect(Buffer.from(await second.arrayBuffer()).equals(film)).toBe(true);
  expect((await bench.call('GET', `/video/generations/${id}/content?index=2`)).status).toBe(404);
  expect((await bench.charged(id)).costNano).toBe(8n * perSecondNano);
});

test('what a vendor has no field for is refused before anything is sent', async () => {
  const up = ups.get('openai');
  up?.forget();
  const given = { n: { n: 2 }, last_frame: { last_frame: dataUrl }, video: { video: 'https://example.com/a.mp4' } };
  for (const [param, more] of Object.entries(given)) {
    const reply = await bench.order({ model: 'openai/sora-2', prompt: 'x', ...more });
    const { error } = (await reply.json()) as { error: { param: string; code: string } };
    expect([reply.status, error.code, error.param]).toEqual([400, 'operation_unsupported', param]);
  }
  expect(up?.seen).toEqual([]);
});

test('no key was sent to the host of the files, and the ledger balances', async () => {
  expect(files.seen.length).toBeGreaterThan(6);
  for (const { headers } of files.seen) {
    expect([headers.get('authorization'), headers.get('api-key'), headers.get('x-goog-api-key')]).toEqual([
      null,
      null,
      null,
    ]);
  }
  expectBalanced(await settledLedger(bench.weir));
});
