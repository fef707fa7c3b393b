/** The image wires as their vendors document them: some answer at once, some later at another URL. */

import { providerKey } from './bench.ts';
import {
  type Answer,
  bearerIs,
  demand,
  eventReply,
  formOf,
  headerIs,
  jsonOf,
  type Seen,
  type Tree,
} from './scripted.ts';

/** One pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const pngBytes = Buffer.from(png, 'base64');
const inline = `data:image/png;base64,${png}`;
export const madeUrl = 'https://delivery.invalid/made.png';

const usage = {
  input_tokens: 10,
  input_tokens_details: { image_tokens: 0, text_tokens: 10 },
  output_tokens: 20,
  total_tokens: 30,
};

function counted(value: unknown): number {
  const count = value === undefined ? 1 : Number(value);
  demand(Number.isInteger(count) && count >= 1 && count <= 10, 'n from 1 to 10');
  return count;
}

function familyReply(model: unknown, count: number, format: unknown): Response {
  const own = `${model}`.startsWith('gpt-image');
  if (own) demand(format === undefined || format === null, 'no response_format for this model');
  const one = own || format === 'b64_json' ? { b64_json: png } : { url: madeUrl };
  return Response.json({
    created: 1_750_000_000,
    data: Array.from({ length: count }, () => one),
    ...(own ? { size: '1024x1024', quality: 'high', output_format: 'png', usage } : {}),
  });
}

function familyEvents(family: string, partial: number): Response {
  const event = (type: string, body: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
  const about = {
    created_at: 1_750_000_000,
    size: '1024x1024',
    quality: 'high',
    background: 'opaque',
    output_format: 'png',
  };
  return eventReply([
    ...Array.from({ length: partial }, (_, index) =>
      event(`${family}.partial_image`, { b64_json: png, partial_image_index: index, ...about }),
    ),
    event(`${family}.completed`, { b64_json: png, usage, ...about }),
  ]);
}

export const family: Answer = async (seen) => {
  bearerIs(seen, providerKey);
  if (seen.path === '/v1/images/generations') {
    const { model, prompt, n, response_format: format, stream, partial_images: partial } = jsonOf(seen);
    demand(typeof prompt === 'string' && prompt !== '', 'a prompt');
    return stream === true
      ? familyEvents('image_generation', Number(partial ?? 0))
      : familyReply(model, counted(n), format);
  }
  demand(seen.path === '/v1/images/edits', 'its path');
  if (seen.headers.get('content-type') === 'application/json') {
    const { model, prompt, images, n } = jsonOf(seen);
    demand(typeof prompt === 'string' && Array.isArray(images) && images.length > 0, 'a prompt and images');
    return familyReply(model, counted(n), undefined);
  }
  const form = await formOf(seen);
  const images = [...form.getAll('image'), ...form.getAll('image[]')];
  demand(images.length > 0 && images.every((one) => one instanceof Blob), 'images as files');
  for (const one of [...images, ...form.getAll('mask')]) {
    const bytes = Buffer.from(await (one as Blob).arrayBuffer());
    demand(bytes.equals(pngBytes), 'the bytes of the image');
  }
  demand(typeof form.get('prompt') === 'string', 'a prompt');
  if (form.get('stream') === 'true') return familyEvents('image_edit', Number(form.get('partial_images') ?? 0));
  return familyReply(form.get('model'), counted(form.get('n') ?? undefined), form.get('response_format'));
};

export const gemini: Answer = (seen) => {
  headerIs(seen, 'x-goog-api-key', providerKey);
  if (seen.path === '/v1beta/models/imagen-4.0-generate-001:predict') return predicted(seen);
  demand(seen.path === '/v1beta/models/gemini-2.5-flash-image:generateContent', 'its path');
  const { contents, generationConfig } = jsonOf(seen, ['contents', 'generationConfig']) as {
    contents: { role: string; parts: { text?: string; inlineData?: { mimeType: string; data: string } }[] }[];
    generationConfig: { responseModalities: string[] };
  };
  demand(generationConfig.responseModalities.includes('IMAGE'), 'images among the modalities');
  const parts = contents[0]?.parts ?? [];
  const prompt = parts.find(({ text }) => text !== undefined)?.text;
  demand(typeof prompt === 'string' && prompt !== '', 'a prompt');
  const given = parts.flatMap(({ inlineData }) => inlineData ?? []);
  demand(
    given.every(({ data, mimeType }) => data === png && mimeType === 'image/png'),
    'the images themselves',
  );
  if (prompt.includes('forbidden')) {
    return Response.json({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: {} });
  }
  return Response.json({
    candidates: [
      {
        content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: png } }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1_290, totalTokenCount: 1_297 },
  });
};

function predicted(seen: Seen): Response {
  const { instances, parameters } = jsonOf(seen, ['instances', 'parameters']) as {
    instances: { prompt: string }[];
    parameters: { sampleCount: number };
  };
  demand(instances.length === 1 && instances[0]?.prompt !== '', 'one instance with a prompt');
  demand(parameters.sampleCount >= 1 && parameters.sampleCount <= 4, 'sampleCount from 1 to 4');
  const one = { mimeType: 'image/png', bytesBase64Encoded: png };
  return Response.json({ predictions: Array.from({ length: parameters.sampleCount }, () => one) });
}

/** The polling URL of a service that answers later: on its own host. */
function hostOf({ headers }: Seen): string {
  return `http://${headers.get('host')}`;
}

/** Models named so return the image as a data URL, the others return the URL where it is. */
function lies(model: string): string {
  return model.includes('inline') ? inline : madeUrl;
}

/** Polled twice before it is done; what is inline is done at once, since a poll takes up to a second. */
function waiting(): (id: string, model: string) => boolean {
  const asked = new Map<string, number>();
  return (id, model) => {
    if (model.includes('inline')) return false;
    const times = (asked.get(id) ?? 0) + 1;
    asked.set(id, times);
    return times < 2;
  };
}

export function bfl(): Answer {
  const isWaiting = waiting();
  let made = 0;
  return (seen) => {
    headerIs(seen, 'x-key', providerKey);
    if (seen.path === '/v1/get_result') {
      const id = seen.query.get('id') ?? '';
      demand(seen.method === 'GET' && id !== '', 'a question for a result');
      if (id.includes('bad')) return Response.json({ id, status: 'Content Moderated', result: null });
      if (isWaiting(id, id)) return Response.json({ id, status: 'Pending', result: null, progress: 0.5 });
      return Response.json({ id, status: 'Ready', result: { sample: lies(id), seed: 1 } });
    }
    const [, model] = /^\/v1\/(flux-[\w.-]+)$/.exec(seen.path) ?? [];
    demand(model !== undefined, 'a model in its path');
    const fields = [
      'prompt',
      'width',
      'height',
      'aspect_ratio',
      'seed',
      'output_format',
      'input_image',
      'input_image_2',
    ];
    const { prompt } = jsonOf(seen, fields);
    demand(typeof prompt === 'string', 'a prompt');
    const id = `${prompt.includes('forbidden') ? 'bad' : model}-${++made}`;
    return Response.json({ id, polling_url: `${hostOf(seen)}/v1/get_result?id=${id}` });
  };
}

export function replicate(): Answer {
  const isWaiting = waiting();
  const counts = new Map<string, number>();
  return (seen) => {
    bearerIs(seen, providerKey);
    const [, id] = /^\/v1\/predictions\/(\w+)$/.exec(seen.path) ?? [];
    if (id !== undefined) {
      const count = counts.get(id);
      demand(seen.method === 'GET' && count !== undefined, 'a question for a prediction');
      const urls = { get: `${hostOf(seen)}${seen.path}` };
      if (isWaiting(id, '')) return Response.json({ id, status: 'processing', output: null, urls });
      return Response.json({ id, status: 'succeeded', output: Array(count).fill(madeUrl), urls });
    }
    const [, owned] = /^\/v1\/models\/([\w-]+\/[\w.-]+)\/predictions$/.exec(seen.path) ?? [];
    demand(owned !== undefined || seen.path === '/v1/predictions', 'its path');
    demand(seen.headers.get('prefer') === 'wait', 'prefer: wait');
    const tree = jsonOf(seen, owned === undefined ? ['input', 'version'] : ['input']);
    const input = tree['input'] as Tree;
    demand(typeof input['prompt'] === 'string', 'a prompt');
    demand(owned !== undefined || typeof tree['version'] === 'string', 'a version');
    const made = `p${counts.size + 1}`;
    const count = counted(input['num_outputs']);
    counts.set(made, count);
    const urls = { get: `${hostOf(seen)}/v1/predictions/${made}` };
    const done = owned?.includes('inline') === true;
    // Models that make one hand over one, not a list of one.
    const output = count === 1 ? inline : Array(count).fill(inline);
    const state = done ? { status: 'succeeded', output } : { status: 'starting', output: null };
    return Response.json({ id: made, urls, ...state }, { status: 201 });
  };
}

export function fal(): Answer {
  const isWaiting = waiting();
  const requests = new Map<string, number>();
  return (seen) => {
    headerIs(seen, 'authorization', `Key ${providerKey}`);
    const [, model = '', id, tail] = /^\/(fal-ai\/[\w/.-]+?)(?:\/requests\/(\w+)(\/status)?)?$/.exec(seen.path) ?? [];
    demand(model !== '', 'a model in its path');
    const places = (ticket: string) => ({
      request_id: ticket,
      status_url: `${hostOf(seen)}/${model}/requests/${ticket}/status`,
      response_url: `${hostOf(seen)}/${model}/requests/${ticket}`,
    });
    if (id === undefined) {
      const fields = ['prompt', 'image_size', 'num_images', 'seed', 'negative_prompt', 'output_format', 'image_url'];
      const { prompt, num_images: count } = jsonOf(seen, fields);
      demand(typeof prompt === 'string', 'a prompt');
      const ticket = `t${requests.size + 1}`;
      requests.set(ticket, counted(count));
      return Response.json({ status: 'IN_QUEUE', queue_position: 1, ...places(ticket) });
    }
    demand(seen.method === 'GET' && requests.has(id), 'a question for a request');
    if (tail === undefined) {
      const one = { url: lies(model), width: 1_024, height: 1_024, content_type: 'image/png' };
      return Response.json({ images: Array.from({ length: requests.get(id) ?? 1 }, () => one), seed: 3 });
    }
    if (isWaiting(id, model)) return Response.json({ status: 'IN_PROGRESS', ...places(id) }, { status: 202 });
    return Response.json({ status: 'COMPLETED', ...places(id) });
  };
}
