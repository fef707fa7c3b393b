/**
 * The official library generates videos: with the sandbox, which really renders, and with a scripted
 * provider, by the same few calls.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { removeBenches, startVideoBench, type VideoBench } from '../../contract/videos/bench.ts';
import { type Files, film, startFiles } from '../../contract/videos/files.ts';
import { noisyBitmap, pngFile } from '../../harness/bitmaps.ts';
import { createToken } from '../../harness/token.ts';
import { doneAt, failed, type PolledProvider, providerAt, startPolledProvider } from './polled-provider.ts';

let bench: VideoBench;
let files: Files;
let provider: PolledProvider;
let client: OpenAI;

beforeAll(async () => {
  files = startFiles();
  provider = startPolledProvider(() => doneAt(`${files.url}/film.mp4`));
  bench = await startVideoBench({ providers: { up: providerAt(provider) } });
  client = clientOf(bench.weir.token);
});

afterAll(async () => {
  await removeBenches();
  provider.stop();
  files.stop();
});

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: bench.weir.base, maxRetries: 0 });
}

type Video = OpenAI.Videos.Video;

/** As its documentation shows it: poll until it is no longer in progress. */
async function finished(of: OpenAI, first: Video, boundMs = 60_000): Promise<Video> {
  const deadline = performance.now() + boundMs;
  let video = first;
  while (video.status === 'queued' || video.status === 'in_progress') {
    if (performance.now() > deadline) throw new Error(`${video.id} is still ${video.status}`);
    await Bun.sleep(25);
    const next = await of.videos.retrieve(video.id);
    expect(next.progress).toBeGreaterThanOrEqual(video.progress);
    video = next;
  }
  return video;
}

const fields = [
  ...['completed_at', 'created_at', 'error', 'expires_at', 'id', 'model', 'object', 'progress', 'prompt'],
  ...['remixed_from_video_id', 'seconds', 'size', 'status'],
];

async function failureOf(call: PromiseLike<unknown>): Promise<APIError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof APIError) return error;
  throw new Error(`an APIError was expected: ${String(error)}`);
}

describe('the sandbox', () => {
  test('renders: created, asked for, downloaded', async () => {
    const created = await client.videos.create({
      model: 'sandbox-video' as 'sora-2',
      prompt: 'a boat',
      seconds: '1' as '4',
      size: '320x240' as '720x1280',
    });
    expect(Object.keys(created).toSorted()).toEqual(fields);
    expect(created).toMatchObject({ object: 'video', status: 'queued', progress: 0, seconds: '1', size: '320x240' });
    const video = await finished(client, created);
    expect(video).toMatchObject({ id: created.id, status: 'completed', progress: 100, error: null, size: '320x240' });
    expect(video.completed_at).toBeGreaterThanOrEqual(video.created_at);
    expect(video.expires_at).toBeGreaterThan(video.created_at);
    const reply = await client.videos.downloadContent(video.id);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.subarray(4, 8).toString()).toBe('ftyp');
    expect(bytes.includes('avc1')).toBe(true);
    // The same task through the specification's path, and the same film.
    const task = await bench.get(video.id);
    expect(task).toMatchObject({ task_id: video.id, status: 'completed', format: 'mp4' });
    expect(task.metadata).toMatchObject({ duration: 1, width: 320, height: 240 });
    expect(Buffer.from(await (await fetch(task.url ?? '')).arrayBuffer()).equals(bytes)).toBe(true);
    expect(await bench.charged(video.id)).toMatchObject({ costNano: 0n, status: 200 });
  });

  test('takes an image to begin with', async () => {
    const input_reference = pngFile(noisyBitmap(320, 240));
    const video = await client.videos.create({
      model: 'sandbox-video' as 'sora-2',
      prompt: 'carry on',
      seconds: '1' as '4',
      size: '320x240' as '720x1280',
      input_reference,
    });
    expect((await finished(client, video)).status).toBe('completed');
  });

  test('fails on demand', async () => {
    const video = await finished(
      client,
      await client.videos.create({ model: 'sandbox-video-fail' as 'sora-2', prompt: 'x' }),
    );
    expect(video.status).toBe('failed');
    expect(video.error?.code).toBe('1001');
    expect(video.error?.message).toBeTruthy();
    expect((await failureOf(client.videos.downloadContent(video.id))).status).toBe(404);
  });
});

describe('a scripted provider', () => {
  const model = 'up/gen4_turbo' as 'sora-2';

  test('creates with an upload, polls and downloads the very bytes', async () => {
    const input_reference = pngFile(noisyBitmap(64, 64));
    const created = await client.videos.create({ model, prompt: 'x', seconds: '8', size: '1280x720', input_reference });
    expect(provider.last().path).toBe('/v1/image_to_video');
    expect(provider.last().body['promptImage']).toBe(
      `data:image/png;base64,${Buffer.from(await input_reference.arrayBuffer()).toString('base64')}`,
    );
    const video = await finished(client, created);
    expect(video).toMatchObject({ status: 'completed', seconds: '8', size: '1280x720' });
    const reply = await client.videos.downloadContent(video.id);
    expect(Buffer.from(await reply.arrayBuffer()).equals(film)).toBe(true);
  });

  test('lists with paging by itself, and deletes', async () => {
    const own = clientOf((await createToken(bench.weir)).token);
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.push((await own.videos.create({ model, prompt: 'x' })).id);
    const listed: string[] = [];
    for await (const video of own.videos.list({ limit: 2 })) listed.push(video.id);
    expect(listed).toEqual(made.toReversed());
    const oldest: string[] = [];
    for await (const video of own.videos.list({ limit: 3, order: 'asc' })) oldest.push(video.id);
    expect(oldest).toEqual(made);
    const [first = ''] = made;
    expect(await own.videos.delete(first)).toEqual({ id: first, object: 'video.deleted', deleted: true });
    expect(await failureOf(own.videos.retrieve(first))).toBeInstanceOf(NotFoundError);
    expect((await own.videos.list()).data).toHaveLength(4);
  });

  test('every failure is the class that the library has for it', async () => {
    expect(await failureOf(client.videos.retrieve('video_none'))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(client.videos.create({ model, prompt: '' }))).toBeInstanceOf(BadRequestError);
    expect(await failureOf(clientOf('sk-wrong').videos.list())).toBeInstanceOf(AuthenticationError);
    const unknown = await failureOf(client.videos.create({ model: 'nobody' as 'sora-2', prompt: 'x' }));
    expect([unknown.status, unknown.code]).toEqual([404, 'model_not_found']);
    provider.take = () => Response.json({ error: 'No.' }, { status: 400 });
    const refused = await failureOf(client.videos.create({ model, prompt: 'x' }));
    provider.take = undefined;
    expect([refused instanceof BadRequestError, refused.message.includes('No.')]).toEqual([true, true]);
    provider.say = () => failed;
    const video = await finished(client, await client.videos.create({ model, prompt: 'x' }));
    expect(video.error).toEqual({ code: '1001', message: 'The provider failed to generate the video. It broke.' });
    provider.say = () => doneAt(`${files.url}/film.mp4`);
  });
});
