/** Every wire to a maker of videos, from the order to the file: what the maker saw, what callers see, and what it costs. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { expectBalanced, settledLedger } from '../../harness/ledger-rows.ts';
import { until } from '../../harness/until.ts';
import { lossesOf } from '../operations/bench.ts';
import { type Scripted, startScripted } from '../operations/scripted.ts';
import { dataUrl, perSecondNano, removeBenches, startVideoBench, type VideoBench } from './bench.ts';
import { type Files, film, startFiles } from './files.ts';
import { furtherMakers } from './further-wires.ts';
import { lumaMakers } from './luma-wires.ts';
import { failureWords, type MakerRow, options, refusalWords, type Stage, stageOf } from './stage.ts';
import { westernMakers } from './western-wires.ts';

const makers = [...westernMakers, ...furtherMakers, ...lumaMakers];
const perTokenNano = 2_500n;
const publicUrl = 'https://weir.example';

let bench: VideoBench;
let files: Files;
const ups = new Map<string, Scripted>();
const stages = new Map<string, Stage>();

beforeAll(async () => {
  files = startFiles();
  const providers = makers.map((maker) => {
    const stage = stageOf(files);
    const up = startScripted(maker.answer(stage));
    stage.url = up.url;
    stages.set(maker.name, stage);
    ups.set(maker.name, up);
    const { kind, base, settings = {}, model } = maker;
    return [
      maker.name,
      {
        kind,
        base_url: `${up.url}${base}`,
        key: maker.key(up.url),
        models: [model, ...(maker.pictureModel ? [maker.pictureModel] : [])],
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

function costOf({ billed }: MakerRow): bigint {
  return 'tokens' in billed ? BigInt(billed.tokens) * perTokenNano : BigInt(billed.seconds) * perSecondNano;
}

for (const maker of makers) {
  const model = `${maker.name}/${maker.model}`;
  const order = (more: object = {}) => bench.ordered({ model, ...options, ...more });

  describe(maker.name, () => {
    let stage: Stage;
    let up: Scripted;

    beforeEach(() => {
      stage = stages.get(maker.name) ?? stageOf(files);
      up = ups.get(maker.name) ?? startScripted(maker.answer(stage));
      Object.assign(stage, { phase: 'waiting', refuses: false, questions: 0, cancels: 0 });
      stage.orders.splice(0);
      up.forget();
    });

    test('takes every wish, goes through its states and gives out the video', async () => {
      const { id, reply } = await order();
      expect(await bench.get(id)).toEqual({ task_id: id, status: 'queued', metadata: expectedWishes });
      expect(lossesOf(reply).toSorted()).toEqual([...maker.losses]);
      expect(reply.headers.get('x-weir-provider')).toBe(maker.name);
      expect(stage.orders).toHaveLength(1);
      expect(stage.orders[0]?.path).toBe(maker.path);
      expect(withoutHook(stage.orders[0]?.body ?? {})).toEqual(maker.ordered);

      await until(() => stage.questions >= 2, 60_000, 'two questions');
      if (maker.queues) expect((await bench.get(id)).status).toBe('queued');
      stage.phase = 'running';
      const running = await bench.becomes(id, 'in_progress');
      expect(Object.keys(running).toSorted()).toEqual(['metadata', 'status', 'task_id']);

      stage.phase = 'done';
      const done = await bench.becomes(id, 'completed');
      expect(Object.keys(done).toSorted()).toEqual(['format', 'metadata', 'status', 'task_id', 'url']);
      expect(done).toMatchObject({ task_id: id, format: 'mp4', metadata: maker.metadata });
      expect(Object.keys(done.metadata ?? {}).toSorted()).toEqual(Object.keys(maker.metadata).toSorted());
      const video = await bench.call('GET', `/video/generations/${id}/content`);
      expect(Buffer.from(await video.arrayBuffer()).equals(film)).toBe(true);
      expect(await bench.charged(id)).toMatchObject({ status: 200, costNano: costOf(maker), estimated: false });
    });

    test('gets a picture as it wants one', async () => {
      stage.phase = 'done';
      const { id } = await order({
        image: maker.image ?? dataUrl,
        model: `${maker.name}/${maker.pictureModel ?? maker.model}`,
      });
      expect(stage.orders[0]?.path).toBe(maker.picturePath ?? maker.path);
      expect(await maker.pictureIn(stage.orders[0]?.body ?? {})).toEqual(maker.picture);
      await bench.becomes(id, 'completed');
    });

    test('turns an order down: no task, nothing charged', async () => {
      stage.refuses = true;
      const before = bench.tasks().length;
      const reply = await bench.order({ model, prompt: 'a red boat' });
      const { error } = (await reply.json()) as { error: { message: string; code: string; type: string } };
      expect([reply.status, error.message.includes(refusalWords)]).toEqual([maker.refusedStatus, true]);
      expect([typeof error.type, typeof error.code]).toEqual(['string', 'string']);
      expect(stage.orders).toHaveLength(1);
      expect(bench.tasks()).toHaveLength(before);
      const row = await bench.usageOf(reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ costNano: 0n, status: maker.refusedStatus });
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

    test(maker.cancels ? 'is told to stop' : 'cannot be told to stop and is followed to its end', async () => {
      const { id } = await order();
      const deleted = await bench.call('DELETE', `/video/generations/${id}`);
      expect(await deleted.json()).toEqual({ task_id: id, deleted: true });
      expect((await bench.call('GET', `/video/generations/${id}`)).status).toBe(404);
      expect(stage.cancels).toBe(maker.cancels ? 1 : 0);
      if (!maker.cancels) stage.phase = 'done';
      const row = await bench.charged(id);
      expect(row.costNano).toBe(maker.cancels ? 0n : costOf(maker));
      expect(bench.task(id)?.state).toBe(maker.cancels ? 'failed' : 'completed');
    });

    test('is told where to knock, if it can be', async () => {
      const { id } = await order();
      const [first] = up.seen;
      if (first === undefined) throw new Error('nothing was sent');
      const hook = stage.orders[0] && maker.hookIn?.(stage.orders[0], first);
      const isTold = up.seen[0]?.bytes.toString('latin1').includes(publicUrl) || up.seen[0]?.query.size !== 0;
      expect(isTold).toBe(maker.hookIn !== undefined);
      if (hook !== undefined) expect(String(hook)).toStartWith(`${publicUrl}/v1/video/hooks/${id}/`);
      stage.phase = 'failed';
      await bench.charged(id);
    });
  });
}

const expectedWishes = { duration: 6, fps: 24, width: 1_280, height: 720, seed: 7 };

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

test('what a maker has no place for is refused before anything is sent', async () => {
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

test('no key was shown to the host of the files, and the ledger balance', async () => {
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
