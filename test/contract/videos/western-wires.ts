/**
 * Strict video vendors: the official library's wire at two vendors, long-running predictions at two, and
 * one with tasks.
 */

import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import {
  type Answer,
  bearerIs,
  demand,
  formOf,
  headerIs,
  jsonOf,
  listOf,
  type Seen,
  type Tree,
} from '../operations/scripted.ts';
import { dataUrl, imageBytes } from './bench.ts';
import { film, filmReply } from './files.ts';
import { always, failureWords, id, plainKey, refusalWords, type Stage, type VendorRow } from './stage.ts';

/** The job of the official library: a form, or JSON where the image is a URL. */
function videosAnswer(stage: Stage, root: string, checkKey: (seen: Seen) => void, isOwnVendor: boolean): Answer {
  const job = `${root}/${id}`;
  const take = async (seen: Seen): Promise<Response> => {
    const isJson = seen.headers.get('content-type') === 'application/json';
    const fields = ['model', 'prompt', 'seconds', 'size', 'input_reference'];
    const body = isJson ? jsonOf(seen, fields) : Object.fromEntries((await formOf(seen, fields)).entries());
    demand(typeof body['prompt'] === 'string' && body['prompt'] !== '', 'prompt');
    const { seconds = '4', size = '720x1280' } = body;
    if (isOwnVendor) demand(['4', '8', '12', '16', '20'].includes(String(seconds)), 'seconds: 4, 8, 12, 16 or 20');
    demand(/^\d+x\d+$/.test(String(size)), 'size');
    stage.orders.push({ path: seen.path, body });
    if (stage.refuses) {
      const error = {
        message: refusalWords,
        type: 'invalid_request_error',
        param: 'prompt',
        code: 'moderation_blocked',
      };
      return Response.json({ error }, { status: 400 });
    }
    return Response.json({ id, object: 'video', status: 'queued', progress: 0, model: body['model'] });
  };
  return (seen) => {
    checkKey(seen);
    if (seen.method === 'POST') return seen.path === root ? take(seen) : new Response(null, { status: 404 });
    demand(seen.method === 'GET', 'GET');
    if (seen.path === `${job}/content`) {
      demand(stage.phase === 'done', 'a video that is done');
      return filmReply(film, seen.headers.get('range'));
    }
    demand(seen.path === job, 'the path of the job');
    stage.questions++;
    const job2 = { id, object: 'video', seconds: '8', size: '1280x720' };
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...job2, status: 'queued', progress: 0 });
      case 'running':
        return Response.json({ ...job2, status: 'in_progress', progress: 40 });
      case 'done':
        return Response.json({ ...job2, status: 'completed', progress: 100 });
      case 'refused':
        return Response.json({
          ...job2,
          status: 'failed',
          error: { code: 'moderation_blocked', message: refusalWords },
        });
      default:
        return Response.json({ ...job2, status: 'failed', error: { code: 'internal_error', message: failureWords } });
    }
  };
}

const uploaded = { type: 'image/png', bytes: imageBytes.toString('base64') };

async function uploadIn(body: Tree): Promise<unknown> {
  const file = body['input_reference'] as Blob;
  return { type: file.type, bytes: Buffer.from(await file.arrayBuffer()).toString('base64') };
}

const videosRow = {
  key: always,
  imageIn: uploadIn,
  expectedImage: uploaded,
  queues: true,
  metadata: { duration: 8, fps: 24, width: 1_280, height: 720, seed: 7 },
  billed: { seconds: 8 },
  refusedStatus: 400,
  cancels: false,
} as const;

const openai: VendorRow = {
  ...videosRow,
  name: 'openai',
  kind: 'litellm',
  model: 'sora-2',
  base: '/v1',
  path: '/v1/videos',
  answer: (stage) => videosAnswer(stage, '/v1/videos', (seen) => bearerIs(seen, plainKey), true),
  ordered: { model: 'sora-2', prompt: 'a red boat', seconds: '8', size: '1280x720' },
  losses: ['fps', 'negative_prompt', 'seconds', 'seed'],
};

const azure: VendorRow = {
  ...videosRow,
  name: 'azure',
  kind: 'azure',
  model: 'my-video-deployment',
  base: '/openai/v1',
  path: '/openai/v1/videos',
  answer: (stage) => videosAnswer(stage, '/openai/v1/videos', (seen) => headerIs(seen, 'api-key', plainKey), false),
  ordered: { model: 'my-video-deployment', prompt: 'a red boat', seconds: '6', size: '1280x720' },
  losses: ['aspect_ratio', 'fps', 'negative_prompt', 'seed'],
};

const rai = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [refusalWords] };

/** A prediction, as its order and its polls are answered. */
function checkPrediction(seen: Seen, stage: Stage): Response | undefined {
  const body = jsonOf(seen, ['instances', 'parameters']);
  const [instance] = listOf(body['instances'], 1, 'instances') as readonly [Tree];
  demand(typeof instance['prompt'] === 'string', 'prompt');
  const parameters = (body['parameters'] ?? {}) as Tree;
  const known = [
    'sampleCount',
    'durationSeconds',
    'aspectRatio',
    'resolution',
    'seed',
    'negativePrompt',
    'generateAudio',
  ];
  for (const name of Object.keys(parameters)) demand(known.includes(name), `no parameter ${name}`);
  demand([undefined, 4, 6, 8].includes(parameters['durationSeconds'] as number), 'durationSeconds: 4, 6 or 8');
  stage.orders.push({ path: seen.path, body });
  if (!stage.refuses) return undefined;
  return Response.json({ error: { code: 400, message: refusalWords, status: 'INVALID_ARGUMENT' } }, { status: 400 });
}

function operation(stage: Stage, name: string, done: Tree): Response {
  stage.questions++;
  switch (stage.phase) {
    case 'waiting':
    case 'running':
      return Response.json({ name });
    case 'done':
      return Response.json({ name, done: true, response: done });
    case 'refused':
      return Response.json({ name, done: true, response: 'videos' in done ? rai : { generateVideoResponse: rai } });
    default:
      return Response.json({ name, done: true, error: { code: 13, message: failureWords } });
  }
}

const predicted = {
  instances: [{ prompt: 'a red boat' }],
  parameters: {
    durationSeconds: 6,
    aspectRatio: '16:9',
    resolution: '720p',
    seed: 7,
    negativePrompt: 'rain',
  },
};

const veoRow = {
  ordered: predicted,
  losses: ['fps'],
  imageIn: ({ instances }: Tree) => (instances as readonly Tree[])[0]?.['image'],
  expectedImage: { bytesBase64Encoded: imageBytes.toString('base64'), mimeType: 'image/png' },
  queues: false,
  metadata: { duration: 6, fps: 24, width: 1_280, height: 720, seed: 7 },
  billed: { seconds: 6 },
  refusedStatus: 400,
  cancels: false,
} as const;

const veo = 'veo-3.1-generate-preview';

const gemini: VendorRow = {
  ...veoRow,
  name: 'gemini',
  kind: 'gemini',
  model: veo,
  base: '/v1beta',
  key: always,
  path: `/v1beta/models/${veo}:predictLongRunning`,
  answer: (stage) => (seen) => {
    headerIs(seen, 'x-goog-api-key', plainKey);
    const name = `models/${veo}/operations/op-1`;
    if (seen.method === 'POST') {
      demand(seen.path === `/v1beta/models/${veo}:predictLongRunning`, 'the path of the prediction');
      return checkPrediction(seen, stage) ?? Response.json({ name });
    }
    if (seen.path === '/v1beta/files/film:download') {
      demand(seen.query.get('alt') === 'media', 'alt=media');
      return filmReply(film, seen.headers.get('range'));
    }
    demand(seen.path === `/v1beta/${name}`, 'the path of the operation');
    const uri = `${stage.url}/v1beta/files/film:download?alt=media`;
    return operation(stage, name, { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } });
  },
};

const account = generateKeyPairSync('rsa', { modulusLength: 2048 });
const project = '/v1/projects/mine/locations/us-central1';
const published = `${project}/publishers/google/models/veo-3.1-generate-001`;

/** Gives a token to a client that signs as the service account does. */
function exchange(seen: Seen, url: string): Response {
  const form = new URLSearchParams(seen.bytes.toString('utf8'));
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const said = Buffer.from(`${head}.${claims}`);
  const publicKey = createPublicKey(account.publicKey.export({ type: 'spki', format: 'pem' }));
  demand(verify('RSA-SHA256', said, publicKey, Buffer.from(signature, 'base64url')), 'the signature of the account');
  const { aud, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Tree;
  demand(aud === `${url}/token` && iss === 'weir@mine.example', 'the claims of the account');
  return Response.json({ access_token: 'access-1', expires_in: 3_600, token_type: 'Bearer' });
}

const vertex: VendorRow = {
  ...veoRow,
  name: 'vertex',
  kind: 'vertex',
  model: 'veo-3.1-generate-001',
  base: project,
  settings: { region: 'us-central1', project: 'mine' },
  key: (url) =>
    JSON.stringify({
      client_email: 'weir@mine.example',
      private_key: account.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      project_id: 'mine',
      token_uri: `${url}/token`,
    }),
  path: `${published}:predictLongRunning`,
  answer: (stage) => (seen) => {
    if (seen.path === '/token') return exchange(seen, stage.url);
    bearerIs(seen, 'access-1');
    const name = `${published.slice('/v1/'.length)}/operations/op-1`;
    if (seen.path === `${published}:predictLongRunning`) {
      return checkPrediction(seen, stage) ?? Response.json({ name });
    }
    demand(seen.path === `${published}:fetchPredictOperation`, 'the path of the question');
    demand(jsonOf(seen, ['operationName'])['operationName'] === name, 'operationName');
    const { sampleCount = 1 } = (stage.orders.at(-1)?.body['parameters'] ?? {}) as { sampleCount?: number };
    const sample = { bytesBase64Encoded: film.toString('base64'), mimeType: 'video/mp4' };
    return operation(stage, name, { videos: Array.from({ length: sampleCount }, () => sample) });
  },
};

const runway: VendorRow = {
  name: 'runway',
  kind: 'runway',
  model: 'gen4_turbo',
  base: '/v1',
  key: always,
  path: '/v1/text_to_video',
  imagePath: '/v1/image_to_video',
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    demand(seen.headers.get('x-runway-version') === '2024-11-06', 'x-runway-version');
    if (seen.method === 'POST') {
      const body = jsonOf(seen, ['model', 'promptText', 'promptImage', 'ratio', 'duration', 'seed']);
      demand(
        (seen.path === '/v1/image_to_video') === (body['promptImage'] !== undefined),
        'the path of what begins it',
      );
      demand(/^\d+:\d+$/.test(String(body['ratio'])), 'ratio');
      const { duration } = body;
      demand(Number.isInteger(duration) && Number(duration) >= 2 && Number(duration) <= 10, 'duration: 2 to 10');
      stage.orders.push({ path: seen.path, body });
      return stage.refuses ? Response.json({ error: refusalWords }, { status: 400 }) : Response.json({ id });
    }
    demand(seen.path === `/v1/tasks/${id}`, 'the path of the task');
    if (seen.method === 'DELETE') {
      stage.cancels++;
      stage.phase = 'cancelled';
      return new Response(null, { status: 204 });
    }
    stage.questions++;
    const task = { id, createdAt: '2026-01-01T00:00:00.000Z' };
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...task, status: 'PENDING' });
      case 'running':
        return Response.json({ ...task, status: 'RUNNING', progress: 0.4 });
      case 'done':
        return Response.json({
          ...task,
          status: 'SUCCEEDED',
          output: [`${stage.files.url}/runway/film.mp4?_jwt=once`],
        });
      case 'cancelled':
        return Response.json({ ...task, status: 'CANCELLED' });
      case 'refused':
        return Response.json({ ...task, status: 'FAILED', failure: refusalWords, failureCode: 'SAFETY.INPUT.TEXT' });
      default:
        return Response.json({ ...task, status: 'FAILED', failure: failureWords, failureCode: 'INTERNAL.BAD_OUTPUT' });
    }
  },
  ordered: { model: 'gen4_turbo', promptText: 'a red boat', ratio: '1280:720', duration: 6, seed: 7 },
  losses: ['fps', 'negative_prompt'],
  imageIn: ({ promptImage }) => promptImage,
  expectedImage: dataUrl,
  queues: true,
  metadata: { duration: 6, fps: 24, width: 1_280, height: 720, seed: 7 },
  billed: { seconds: 6 },
  refusedStatus: 400,
  cancels: true,
};

export const westernVendors: readonly VendorRow[] = [openai, azure, gemini, vertex, runway];
