/** Strict video vendors: four services of Asia, each with its own tasks, and two that host models of others. */

import { createHmac } from 'node:crypto';
import { bearerIs, demand, headerIs, jsonOf, type Seen, type Tree } from '../operations/scripted.ts';
import { dataUrl, imageBytes } from './bench.ts';
import { always, failureWords, id, plainKey, refusalWords, type Stage, type VendorRow } from './stage.ts';

const asked = { duration: 6, fps: 24, width: 1_280, height: 720, seed: 7 };

const minimax: VendorRow = {
  name: 'minimax',
  kind: 'minimax',
  model: 'MiniMax-Hailuo-2.3',
  base: '/v1',
  key: always,
  path: '/v1/video_generation',
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    const fine = { base_resp: { status_code: 0, status_msg: 'success' } };
    if (seen.method === 'POST') {
      demand(seen.path === '/v1/video_generation', 'the path of orders');
      const body = jsonOf(seen, ['model', 'prompt', 'duration', 'resolution', 'first_frame_image', 'callback_url']);
      demand([undefined, 6, 10].includes(body['duration'] as number), 'duration: 6 or 10');
      demand([undefined, '768P', '1080P'].includes(body['resolution'] as string), 'resolution: 768P or 1080P');
      stage.orders.push({ path: seen.path, body });
      if (!stage.refuses) return Response.json({ task_id: id, ...fine });
      return Response.json({ task_id: '', base_resp: { status_code: 1026, status_msg: refusalWords } });
    }
    if (seen.path === '/v1/files/retrieve') {
      demand(seen.query.get('file_id') === '777', 'file_id');
      const file = { file_id: 777, bytes: 1, download_url: `${stage.files.url}/minimax/film.mp4` };
      return Response.json({ file, ...fine });
    }
    demand(seen.path === '/v1/query/video_generation' && seen.query.get('task_id') === id, 'the path of the task');
    stage.questions++;
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ task_id: id, status: 'Queueing', ...fine });
      case 'running':
        return Response.json({ task_id: id, status: 'Processing', ...fine });
      case 'done': {
        const made = { file_id: '777', video_width: 1_366, video_height: 768 };
        return Response.json({ task_id: id, status: 'Success', ...made, ...fine });
      }
      case 'refused':
        return Response.json({
          task_id: id,
          status: 'Fail',
          base_resp: { status_code: 1027, status_msg: refusalWords },
        });
      default:
        return Response.json({
          task_id: id,
          status: 'Fail',
          base_resp: { status_code: 1000, status_msg: failureWords },
        });
    }
  },
  ordered: { model: 'MiniMax-Hailuo-2.3', prompt: 'a red boat', duration: 6, resolution: '768P' },
  losses: ['aspect_ratio', 'fps', 'negative_prompt', 'seed', 'size'],
  imageIn: ({ first_frame_image: image }) => image,
  expectedImage: dataUrl,
  queues: true,
  metadata: { ...asked, width: 1_366, height: 768 },
  billed: { seconds: 6 },
  refusedStatus: 400,
  cancels: false,
  hookIn: ({ body }) => body['callback_url'],
};

const synthesis = '/api/v1/services/aigc/video-generation/video-synthesis';

const dashscope: VendorRow = {
  name: 'dashscope',
  kind: 'dashscope',
  model: 'wan2.7-t2v',
  base: '/compatible-mode/v1',
  key: always,
  path: synthesis,
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    const task = `/api/v1/tasks/${id}`;
    const request_id = 'r-1';
    if (seen.path === `${task}/cancel`) {
      demand(seen.method === 'POST', 'POST');
      stage.cancels++;
      stage.phase = 'cancelled';
      return Response.json({ request_id });
    }
    if (seen.method === 'POST') {
      demand(seen.path === synthesis, 'the path of orders');
      demand(seen.headers.get('x-dashscope-async') === 'enable', 'x-dashscope-async: enable');
      const body = jsonOf(seen, ['model', 'input', 'parameters']);
      const parameters = Object.keys((body['parameters'] ?? {}) as Tree);
      const known = ['resolution', 'ratio', 'duration', 'seed', 'prompt_extend', 'watermark'];
      for (const name of parameters) demand(known.includes(name), `no parameter ${name}`);
      stage.orders.push({ path: seen.path, body });
      if (!stage.refuses) return Response.json({ output: { task_id: id, task_status: 'PENDING' }, request_id });
      return Response.json({ code: 'DataInspectionFailed', message: refusalWords, request_id }, { status: 400 });
    }
    demand(seen.path === task, 'the path of the task');
    stage.questions++;
    const output = { task_id: id };
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ output: { ...output, task_status: 'PENDING' }, request_id });
      case 'running':
        return Response.json({ output: { ...output, task_status: 'RUNNING' }, request_id });
      case 'done': {
        const video_url = `${stage.files.url}/wan/film.mp4?Expires=1`;
        const usage = { duration: 6, output_video_duration: 6, fps: 30, size: '1280*720', video_count: 1, SR: 720 };
        return Response.json({ output: { ...output, task_status: 'SUCCEEDED', video_url }, usage, request_id });
      }
      case 'cancelled':
        return Response.json({ output: { ...output, task_status: 'CANCELED' }, request_id });
      case 'refused': {
        const said = { code: 'DataInspectionFailed', message: 'Output data may contain inappropriate content.' };
        return Response.json({ output: { ...output, task_status: 'FAILED', ...said }, request_id });
      }
      default: {
        const said = { code: 'InternalError', message: failureWords };
        return Response.json({ output: { ...output, task_status: 'FAILED', ...said }, request_id });
      }
    }
  },
  ordered: {
    model: 'wan2.7-t2v',
    input: { prompt: 'a red boat', negative_prompt: 'rain' },
    parameters: { resolution: '720P', ratio: '16:9', duration: 6, seed: 7 },
  },
  losses: ['fps'],
  imageIn: ({ input }) => (input as Tree)['media'],
  imageModel: 'wan2.7-i2v',
  expectedImage: [{ type: 'first_frame', url: dataUrl }],
  queues: true,
  metadata: { ...asked, fps: 30 },
  billed: { seconds: 6 },
  refusedStatus: 400,
  cancels: true,
};

const seedance = 'doubao-seedance-1-0-pro-250528';
const generations = '/api/v3/contents/generations/tasks';

const volcengine: VendorRow = {
  name: 'volcengine',
  kind: 'volcengine',
  model: seedance,
  base: '/api/v3',
  key: always,
  path: generations,
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    if (seen.method === 'POST') {
      demand(seen.path === generations, 'the path of orders');
      const known = ['model', 'content', 'resolution', 'ratio', 'duration', 'seed', 'callback_url'];
      const body = jsonOf(seen, known);
      for (const part of body['content'] as readonly Tree[]) {
        demand(['text', 'image_url', 'video_url'].includes(String(part['type'])), 'content[].type');
      }
      stage.orders.push({ path: seen.path, body });
      if (!stage.refuses) return Response.json({ id });
      const error = { code: 'InputTextSensitiveContentDetected', message: refusalWords, param: '', type: 'BadRequest' };
      return Response.json({ error }, { status: 400 });
    }
    demand(seen.path === `${generations}/${id}`, 'the path of the task');
    if (seen.method === 'DELETE') {
      stage.cancels++;
      stage.phase = 'cancelled';
      return Response.json({});
    }
    stage.questions++;
    const task = { id, model: seedance, created_at: 1, updated_at: 2 };
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...task, status: 'queued' });
      case 'running':
        return Response.json({ ...task, status: 'running' });
      case 'done': {
        const content = { video_url: `${stage.files.url}/seedance/film.mp4` };
        const usage = { completion_tokens: 120_000, total_tokens: 120_000 };
        const made = { seed: 4_242, resolution: '720p', ratio: '16:9', duration: 6, framespersecond: 24 };
        return Response.json({ ...task, status: 'succeeded', content, usage, ...made });
      }
      case 'cancelled':
        return Response.json({ ...task, status: 'cancelled' });
      case 'refused': {
        const error = { code: 'OutputVideoSensitiveContentDetected', message: refusalWords };
        return Response.json({ ...task, status: 'failed', error });
      }
      default:
        return Response.json({
          ...task,
          status: 'failed',
          error: { code: 'InternalServiceError', message: failureWords },
        });
    }
  },
  ordered: {
    model: seedance,
    content: [{ type: 'text', text: 'a red boat' }],
    resolution: '720p',
    ratio: '16:9',
    duration: 6,
    seed: 7,
  },
  losses: ['fps', 'negative_prompt'],
  imageIn: ({ content }) => (content as readonly Tree[])[1],
  expectedImage: { type: 'image_url', image_url: { url: dataUrl }, role: 'first_frame' },
  queues: true,
  metadata: { ...asked, seed: 4_242 },
  billed: { tokens: 120_000 },
  refusedStatus: 400,
  cancels: true,
  hookIn: ({ body }) => body['callback_url'],
};

const klingSecret = 'secret-key-0123456789';

/** The token must be signed with the secret, name the access key, be valid now and not forever. */
function signedTokenIs({ headers }: Seen): void {
  const [head = '', claims = '', signature] = (headers.get('authorization') ?? '').replace('Bearer ', '').split('.');
  const right = createHmac('sha256', klingSecret).update(`${head}.${claims}`).digest('base64url');
  demand(signature === right, 'a token signed with the secret');
  const { alg, typ } = JSON.parse(Buffer.from(head, 'base64url').toString()) as Tree;
  demand(alg === 'HS256' && typ === 'JWT', 'the head of the token');
  const { iss, exp, nbf } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number | string>;
  const now = Date.now() / 1_000;
  demand(iss === 'access-key-1', 'iss');
  demand(Number(nbf) <= now && Number(exp) > now && Number(exp) < now + 3_600, 'exp and nbf');
}

const kling: VendorRow = {
  name: 'kling',
  kind: 'kling',
  model: 'kling-v3',
  base: '/v1',
  key: () => `access-key-1:${klingSecret}`,
  path: '/v1/videos/text2video',
  imagePath: '/v1/videos/image2video',
  answer: (stage) => (seen) => {
    signedTokenIs(seen);
    const said = { code: 0, message: 'SUCCEED', request_id: 'r-1' };
    if (seen.method === 'POST') {
      const known = ['model_name', 'prompt', 'negative_prompt', 'mode', 'duration', 'callback_url'];
      const isImage = seen.path === '/v1/videos/image2video';
      demand(isImage || seen.path === '/v1/videos/text2video', 'the path of orders');
      const body = jsonOf(seen, [...known, ...(isImage ? ['image', 'image_tail'] : ['aspect_ratio'])]);
      demand(typeof (body['duration'] ?? '5') === 'string', 'duration: a text');
      demand([undefined, 'std', 'pro'].includes(body['mode'] as string), 'mode: std or pro');
      stage.orders.push({ path: seen.path, body });
      if (stage.refuses)
        return Response.json({ code: 1301, message: refusalWords, request_id: 'r-1' }, { status: 400 });
      return Response.json({ ...said, data: { task_id: id, task_status: 'submitted', created_at: 1, updated_at: 1 } });
    }
    const last = stage.orders.at(-1)?.path;
    demand(seen.path === `${last}/${id}`, 'the path of the task');
    stage.questions++;
    const task = { task_id: id, created_at: 1, updated_at: 2 };
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...said, data: { ...task, task_status: 'submitted' } });
      case 'running':
        return Response.json({ ...said, data: { ...task, task_status: 'processing' } });
      case 'done': {
        const videos = [{ id: 'v-1', url: `${stage.files.url}/kling/film.mp4`, duration: '6.041' }];
        return Response.json({ ...said, data: { ...task, task_status: 'succeed', task_result: { videos } } });
      }
      case 'refused': {
        const task_status_msg = 'Failure to pass the risk control system';
        return Response.json({ ...said, data: { ...task, task_status: 'failed', task_status_msg } });
      }
      default:
        return Response.json({ ...said, data: { ...task, task_status: 'failed', task_status_msg: failureWords } });
    }
  },
  ordered: {
    model_name: 'kling-v3',
    prompt: 'a red boat',
    negative_prompt: 'rain',
    mode: 'std',
    aspect_ratio: '16:9',
    duration: '6',
  },
  losses: ['fps', 'seed'],
  imageIn: ({ image }) => image,
  expectedImage: imageBytes.toString('base64'),
  queues: true,
  metadata: { ...asked, duration: 6.041 },
  billed: { seconds: 6 },
  refusedStatus: 400,
  cancels: false,
  hookIn: ({ body }) => body['callback_url'],
};

const falModel = 'fal-ai/veo3.1/fast';
const falRequest = `/fal-ai/veo3.1/requests/${id}`;

const fal: VendorRow = {
  name: 'fal',
  kind: 'fal',
  model: falModel,
  base: '',
  key: always,
  path: `/${falModel}`,
  answer: (stage) => (seen) => {
    headerIs(seen, 'authorization', `Key ${plainKey}`);
    const at = (tail: string): string => `https://queue.fal.run${falRequest}${tail}`;
    if (seen.method === 'POST') {
      demand(seen.path === `/${falModel}`, 'the path of the model');
      const known = ['prompt', 'image_url', 'duration', 'aspect_ratio', 'resolution', 'seed', 'negative_prompt'];
      const body = jsonOf(seen, known);
      demand([undefined, '4s', '6s', '8s'].includes(body['duration'] as string), 'duration: 4s, 6s or 8s');
      stage.orders.push({ path: seen.path, body });
      if (stage.refuses) {
        const detail = [{ loc: ['body', 'prompt'], msg: refusalWords, type: 'content_policy_violation' }];
        return Response.json({ detail }, { status: 422 });
      }
      const urls = { status_url: at('/status'), response_url: at(''), cancel_url: at('/cancel') };
      return Response.json({ request_id: id, ...urls, queue_position: 0 });
    }
    if (seen.method === 'PUT') {
      demand(seen.path === `${falRequest}/cancel`, 'the path of cancellation');
      stage.cancels++;
      stage.phase = 'cancelled';
      return Response.json({ status: 'CANCELLATION_REQUESTED' }, { status: 202 });
    }
    return falAnswer(stage, seen);
  },
  ordered: {
    prompt: 'a red boat',
    duration: '6s',
    aspect_ratio: '16:9',
    resolution: '720p',
    seed: 7,
    negative_prompt: 'rain',
  },
  losses: ['fps'],
  imageIn: ({ image_url: image }) => image,
  expectedImage: dataUrl,
  queues: true,
  metadata: { ...asked, seed: 99 },
  billed: { seconds: 6 },
  refusedStatus: 422,
  cancels: true,
  hookIn: (_order, seen) => seen.query.get('fal_webhook'),
};

/** A run that failed is completed as well: its outcome is where the result would be. */
function falAnswer(stage: Stage, seen: Seen): Response {
  if (seen.path === `${falRequest}/status`) {
    stage.questions++;
    const status = { waiting: 'IN_QUEUE', running: 'IN_PROGRESS', cancelled: 'CANCELLED' }[stage.phase as 'waiting'];
    return Response.json({ status: status ?? 'COMPLETED', request_id: id });
  }
  demand(seen.path === falRequest, 'the path of the result');
  if (stage.phase === 'refused') {
    const detail = [{ loc: ['body', 'prompt'], msg: refusalWords, type: 'content_policy_violation' }];
    return Response.json({ detail }, { status: 422 });
  }
  if (stage.phase === 'failed') return Response.json({ detail: failureWords }, { status: 422 });
  const file = { url: `${stage.files.url}/fal/film.mp4`, content_type: 'video/mp4', width: 1_280, height: 720 };
  return Response.json({ video: file, seed: 99 });
}

const replicate: VendorRow = {
  name: 'replicate',
  kind: 'replicate',
  model: 'bytedance/seedance-1-pro',
  base: '/v1',
  key: always,
  path: '/v1/models/bytedance/seedance-1-pro/predictions',
  answer: (stage) => (seen) => {
    bearerIs(seen, plainKey);
    const task = `/v1/predictions/${id}`;
    if (seen.path === `${task}/cancel`) {
      stage.cancels++;
      stage.phase = 'cancelled';
      return Response.json({ id, status: 'canceled' });
    }
    if (seen.method === 'POST') {
      demand(seen.path === '/v1/models/bytedance/seedance-1-pro/predictions', 'the path of the model');
      const body = jsonOf(seen, ['input', 'webhook', 'webhook_events_filter']);
      stage.orders.push({ path: seen.path, body });
      if (!stage.refuses) return Response.json({ id, status: 'starting', output: null, error: null }, { status: 201 });
      return Response.json({ title: 'Input validation failed', detail: refusalWords, status: 422 }, { status: 422 });
    }
    demand(seen.path === task, 'the path of the prediction');
    stage.questions++;
    const nothing = { id, output: null, error: null, logs: '' };
    switch (stage.phase) {
      case 'waiting':
        return Response.json({ ...nothing, status: 'starting' });
      case 'running':
        return Response.json({ ...nothing, status: 'processing' });
      case 'done':
        return Response.json({ ...nothing, status: 'succeeded', output: `${stage.files.url}/replicate/film.mp4` });
      case 'cancelled':
        return Response.json({ ...nothing, status: 'canceled' });
      case 'refused':
        return Response.json({ ...nothing, status: 'failed', error: 'The input was flagged as sensitive. (E005)' });
      default:
        return Response.json({ ...nothing, status: 'failed', error: failureWords });
    }
  },
  ordered: {
    input: {
      prompt: 'a red boat',
      duration: 6,
      aspect_ratio: '16:9',
      resolution: '720p',
      seed: 7,
      negative_prompt: 'rain',
    },
  },
  losses: ['fps'],
  imageIn: ({ input }) => (input as Tree)['image'],
  expectedImage: dataUrl,
  queues: true,
  metadata: asked,
  billed: { seconds: 6 },
  refusedStatus: 422,
  cancels: true,
  hookIn: ({ body }) => body['webhook'],
};

export const furtherVendors: readonly VendorRow[] = [minimax, dashscope, volcengine, kling, fal, replicate];
