/** Strict video vendors of Luma: its current API, and the older Dream Machine API. */

import { bearerIs, demand, jsonOf, type Tree } from '../operations/scripted.ts';
import { imageBytes } from './bench.ts';
import { always, failureWords, id, plainKey, refusalWords, type VendorRow } from './stage.ts';

/** https://docs.agents.lumalabs.ai, one place for images and videos. */
const luma: VendorRow = {
  name: 'luma',
  kind: 'luma',
  model: 'ray-3.2',
  base: '/v1',
  key: always,
  path: '/v1/generations',
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    const generation = { id, type: 'video', model: 'ray-3.2', created_at: '2026-01-01T00:00:00Z', output: [] };
    if (seen.method === 'POST') {
      demand(seen.path === '/v1/generations', 'the path of generations');
      const body = jsonOf(seen, ['model', 'type', 'prompt', 'aspect_ratio', 'video']);
      const { duration, resolution = '720p' } = body['video'] as Tree;
      demand(body['type'] === 'video' && ['5s', '10s'].includes(`${duration}`), 'a video of 5s or 10s');
      demand(['360p', '540p', '720p', '1080p'].includes(`${resolution}`), 'resolution');
      stage.orders.push({ path: seen.path, body });
      if (stage.refuses) return Response.json({ detail: refusalWords }, { status: 400 });
      return Response.json({ ...generation, state: 'queued' }, { status: 201 });
    }
    demand(seen.method === 'GET' && seen.path === `/v1/generations/${id}`, 'the path of the generation');
    stage.questions++;
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...generation, state: 'queued' });
      case 'running':
        return Response.json({ ...generation, state: 'processing' });
      case 'done': {
        const output = [{ type: 'video', url: `${stage.files.url}/luma/film.mp4?X-Amz-Expires=3600` }];
        return Response.json({ ...generation, state: 'completed', output });
      }
      case 'refused': {
        const said = { failure_code: 'content_moderated', failure_reason: refusalWords };
        return Response.json({ ...generation, state: 'failed', ...said });
      }
      default: {
        const said = { failure_code: 'generation_failed', failure_reason: failureWords };
        return Response.json({ ...generation, state: 'failed', ...said });
      }
    }
  },
  ordered: {
    ...{ model: 'ray-3.2', type: 'video', prompt: 'a red boat', aspect_ratio: '16:9' },
    video: { resolution: '720p', duration: '5s' },
  },
  losses: ['fps', 'negative_prompt', 'seconds', 'seed'],
  imageIn: ({ video }) => (video as Tree)['start_frame'],
  expectedImage: { data: imageBytes.toString('base64'), media_type: 'image/png' },
  queues: true,
  // It does not report how long its video is, so the requested length is used.
  metadata: { duration: 6, fps: 24, width: 1_280, height: 720, seed: 7 },
  billed: { seconds: 5 },
  refusedStatus: 400,
  cancels: false,
};

/** https://docs.lumalabs.ai/docs/video-generation: ordered at one URL, polled at another, images by URL. */
const dreamMachine: VendorRow = {
  name: 'dream-machine',
  kind: 'luma-dream-machine',
  model: 'ray-2',
  base: '/dream-machine/v1',
  key: always,
  path: '/dream-machine/v1/generations/video',
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    const request = stage.orders.at(-1)?.body ?? {};
    const generation = { id, generation_type: 'video', model: 'ray-2', failure_reason: null, assets: null, request };
    if (seen.method === 'POST') {
      demand(seen.path === '/dream-machine/v1/generations/video', 'the path of videos');
      const known = ['model', 'prompt', 'aspect_ratio', 'resolution', 'duration', 'keyframes', 'callback_url'];
      const body = jsonOf(seen, known);
      const { duration, resolution = '720p' } = body;
      demand(['5s', '9s'].includes(`${duration}`), 'duration: 5s or 9s');
      demand(['540p', '720p', '1080p', '4k'].includes(`${resolution}`), 'resolution');
      stage.orders.push({ path: seen.path, body });
      if (stage.refuses) return Response.json({ detail: refusalWords }, { status: 400 });
      return Response.json({ ...generation, state: 'queued' }, { status: 201 });
    }
    demand(seen.path === `/dream-machine/v1/generations/${id}`, 'the path of the generation');
    stage.questions++;
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...generation, state: 'queued' });
      case 'running':
        return Response.json({ ...generation, state: 'dreaming' });
      case 'done': {
        const assets = { video: `${stage.files.url}/dreams/film.mp4` };
        return Response.json({ ...generation, state: 'completed', assets });
      }
      case 'refused':
        return Response.json({ ...generation, state: 'failed', failure_reason: refusalWords });
      default:
        return Response.json({ ...generation, state: 'failed', failure_reason: failureWords });
    }
  },
  ordered: { model: 'ray-2', prompt: 'a red boat', aspect_ratio: '16:9', resolution: '720p', duration: '5s' },
  losses: ['fps', 'negative_prompt', 'seconds', 'seed'],
  image: 'https://example.com/boat.png',
  imageIn: ({ keyframes }) => keyframes,
  expectedImage: { frame0: { type: 'image', url: 'https://example.com/boat.png' } },
  queues: true,
  metadata: { duration: 5, fps: 24, width: 1_280, height: 720, seed: 7 },
  billed: { seconds: 5 },
  refusedStatus: 400,
  cancels: false,
  hookIn: ({ body }) => body['callback_url'],
};

export const lumaVendors: readonly VendorRow[] = [luma, dreamMachine];
