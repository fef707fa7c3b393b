/**
 * Where videos are stored: in Weir's folder, in a bucket, or with their provider; for how long, and who may fetch them.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { passNow, removeBenches, startVideoBench, type VideoBench } from '../../contract/videos/bench.ts';
import { type Files, film, startFiles } from '../../contract/videos/files.ts';
import { startBucket } from '../../harness/scripted-bucket.ts';
import { until } from '../../harness/until.ts';
import { doneAt, type PolledProvider, providerAt, startPolledProvider } from './polled-provider.ts';

const order = { model: 'up/gen4_turbo', prompt: 'x', seconds: 5 };
const path = '/video/generations';
let files: Files;
let provider: PolledProvider;

beforeAll(() => {
  files = startFiles();
  provider = startPolledProvider(() => doneAt(`${files.url}/film.mp4`));
});

afterAll(async () => {
  await removeBenches();
  provider.stop();
  files.stop();
});

beforeEach(() => {
  files.behave = undefined;
  files.seen.splice(0);
  provider.say = () => doneAt(`${files.url}/film.mp4`);
});

async function bytesOf(reply: Response): Promise<Buffer> {
  return Buffer.from(await reply.arrayBuffer());
}

async function completedIn(
  bench: VideoBench,
  model: string = order.model,
): Promise<{ readonly id: string; readonly url: string }> {
  const { id } = await bench.ordered({ ...order, model });
  const { url = '' } = await bench.becomes(id, 'completed');
  return { id, url };
}

const oneByte = { headers: { range: 'bytes=0-0' } };

describe('left with the provider', () => {
  let bench: VideoBench;

  beforeAll(async () => {
    const up = providerAt(provider, { results: 'proxy' });
    bench = await startVideoBench({ providers: { up, kept: providerAt(provider) } });
  });

  afterAll(() => bench.weir.remove());

  test('a video passes through when it is asked for, whole and in parts', async () => {
    const { id, url } = await completedIn(bench);
    expect(url).toStartWith(bench.weir.url);
    expect(files.seen).toHaveLength(0);
    const whole = await fetch(url);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect(whole.headers.get('cache-control')).toStartWith('private');
    expect((await bytesOf(whole)).equals(film)).toBe(true);
    const content = (range: string) => bench.call('GET', `${path}/${id}/content`, { headers: { range } });
    const part = await content('bytes=1000-1999');
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/200000']);
    expect((await bytesOf(part)).equals(film.subarray(1_000, 2_000))).toBe(true);
    const outside = await content('bytes=200000-');
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */200000']);
    for (const { headers } of files.seen) expect(headers.get('authorization')).toBeNull();
  });

  test('an expired URL is fetched again', async () => {
    provider.say = (_task, question) => doneAt(`${files.url}/film-${question}.mp4`);
    const { url } = await completedIn(bench);
    files.behave = (at) => (at === '/film-1.mp4' ? new Response('expired', { status: 403 }) : undefined);
    expect((await bytesOf(await fetch(url))).equals(film)).toBe(true);
    expect(files.seen.map(({ path: at }) => at)).toEqual(['/film-1.mp4', '/film-2.mp4']);
  });

  test('what the provider does not give out any more is an error and no crash', async () => {
    const { url } = await completedIn(bench);
    files.behave = () => new Response('expired', { status: 403 });
    const reply = await fetch(url);
    const { error } = (await reply.json()) as { error: { code: string; message: string } };
    expect([reply.status, error.code]).toEqual([502, 'upstream_failed']);
    provider.say = () => new Response('{}', { status: 404 });
    expect((await fetch(url)).status).toBe(404);
  });

  test('beside it, a video that is kept is fetched once, for any number of requests', async () => {
    const { url } = await completedIn(bench, 'kept/gen4_turbo');
    for (let times = 0; times < 3; times++) expect((await bytesOf(await fetch(url))).equals(film)).toBe(true);
    expect(files.seen).toHaveLength(1);
  });
});

describe('in a bucket', () => {
  test('a video is kept, served and removed there', async () => {
    const access = {
      bucket: 'films',
      region: 'eu-west-9',
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'bucket-secret-0123456789',
    };
    const bucket = startBucket(access);
    const bench = await startVideoBench(
      { providers: { up: providerAt(provider) } },
      {
        WEIR_RESULTS_BUCKET: access.bucket,
        WEIR_RESULTS_ENDPOINT: bucket.endpoint,
        WEIR_RESULTS_REGION: access.region,
        WEIR_RESULTS_PREFIX: 'made/',
        WEIR_RESULTS_ACCESS_KEY: access.accessKeyId,
        WEIR_RESULTS_SECRET_KEY: access.secretAccessKey,
      },
    );
    const { id, url } = await completedIn(bench);
    const [[name, stored] = ['', undefined]] = [...bucket.objects];
    expect(name).toBe(`made/${id}-0.mp4`);
    expect(stored?.mediaType).toBe('video/mp4');
    expect(Buffer.from(stored?.bytes ?? []).equals(film)).toBe(true);
    expect((await bytesOf(await fetch(url))).equals(film)).toBe(true);
    const part = await fetch(url, { headers: { range: 'bytes=-10' } });
    expect([part.status, (await bytesOf(part)).equals(film.subarray(-10))]).toEqual([206, true]);
    const inFolder = await readdir(join(bench.weir.dataFolder, 'videos')).catch(() => []);
    expect(inFolder).toEqual([]);
    bucket.objects.clear();
    expect((await fetch(url)).status).toBe(404);

    bucket.fault = () => new Response(null, { status: 503 });
    const away = await bench.ordered(order);
    await until(() => (bench.task(away.id)?.faults ?? 0) > 0);
    bucket.fault = undefined;
    await bench.becomes(away.id, 'completed');
    await bench.weir.remove();
    await bucket.stop();
  });
});

describe('in the folder', () => {
  test('a video goes when its time is over', async () => {
    const bench = await startVideoBench({ providers: { up: providerAt(provider) } });
    const { id, url } = await completedIn(bench);
    expect((await fetch(url)).status).toBe(200);
    passNow(bench, 'expires_at_ms');
    await until(async () => (await fetch(url, oneByte)).status === 404, 60_000, 'the end of the address');
    const task = await bench.get(id);
    expect(task.status).toBe('completed');
    expect(Object.keys(task).toSorted()).toEqual(['metadata', 'status', 'task_id']);
    expect((await bench.call('GET', `${path}/${id}/content`)).status).toBe(404);
    await bench.weir.remove();
  });

  test('a video on a private host that the operator did not choose is not fetched', async () => {
    const bench = await startVideoBench(
      { providers: { up: providerAt(provider) } },
      { WEIR_EGRESS_ALLOWED_NETWORKS: '' },
    );
    const { id } = await bench.ordered(order);
    expect((await bench.becomes(id, 'failed')).error?.code).toBe(1102);
    expect(files.seen).toEqual([]);
    await bench.weir.remove();
  });
});
