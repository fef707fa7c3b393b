/**
 * Stability AI and Luma as they document themselves: a form that is answered with the image, and a generation that is
 * polled until it is there.
 */

import { providerKey } from './bench.ts';
import { madeUrl, png, pngBytes } from './image-wires.ts';
import { type Answer, bearerIs, demand, formOf, jsonOf, type Seen } from './scripted.ts';

const ratios = ['16:9', '1:1', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'];
const painted = ['prompt', 'negative_prompt', 'aspect_ratio', 'seed', 'style_preset', 'output_format'];

/** Below `/v2beta/stable-image`: the fields of each service, those that it demands marked. https://platform.stability.ai/docs/api-reference */
const services: Readonly<Record<string, readonly string[]>> = {
  '/generate/core': ['prompt!', ...painted],
  '/generate/sd3': ['prompt!', ...painted, 'model', 'mode', 'strength', 'image'],
  '/edit/inpaint': ['prompt!', 'image!', 'mask', 'negative_prompt', 'seed', 'output_format', 'grow_mask'],
  '/edit/search-and-replace': ['prompt!', 'image!', 'search_prompt!', 'seed', 'output_format'],
  '/upscale/fast': ['image!', 'output_format'],
};

/** Words in a prompt that its filters match, one before and one after the model. */
export const flagged = 'forbidden';
export const filtered = 'unsafe';

export const stability: Answer = async (seen) => {
  bearerIs(seen, providerKey);
  demand(seen.headers.get('accept') === 'application/json', 'accept: application/json');
  const fields = services[seen.path.replace('/v2beta/stable-image', '')];
  demand(fields !== undefined, 'the place of a service');
  const form = await formOf(
    seen,
    fields.map((field) => field.replace('!', '')),
  );
  for (const field of fields) demand(!field.endsWith('!') || form.has(field.slice(0, -1)), field);
  demand(!form.has('aspect_ratio') || ratios.includes(`${form.get('aspect_ratio')}`), 'aspect_ratio');
  for (const field of ['image', 'mask']) if (form.has(field)) await demandImage(form.get(field));
  if (form.get('mode') === 'image-to-image') demand(form.has('image') && form.has('strength'), 'image and strength');
  const prompt = `${form.get('prompt')}`;
  if (prompt.includes(flagged)) {
    const errors = ['Your request was flagged by our content moderation system.'];
    return Response.json({ id: '8e3f', name: 'content_moderation', errors }, { status: 403 });
  }
  return Response.json({
    image: png,
    finish_reason: prompt.includes(filtered) ? 'CONTENT_FILTERED' : 'SUCCESS',
    seed: 7,
  });
};

async function demandImage(value: unknown): Promise<void> {
  demand(value instanceof Blob, 'a file');
  demand(Buffer.from(await value.arrayBuffer()).equals(pngBytes), 'the bytes of the image');
}

interface Reference {
  readonly url?: string;
  readonly data?: string;
  readonly media_type?: string;
}

function demandReference({ url, data, media_type: type }: Reference): void {
  demand((url === undefined) !== (data === undefined), 'an address or bytes');
  demand(data === undefined || (data === png && type === 'image/png'), 'the bytes of the image and their type');
}

/** https://docs.agents.lumalabs.ai/guides/image-generation/ */
export function luma(): Answer {
  const jobs = new Map<string, { readonly prompt: string; readonly type: string; times: number }>();
  const shown = (id: string, type: string, state: string, more: object = {}) => {
    const generation = { id, type, state, model: 'uni-1', output: [], failure_reason: null, failure_code: null };
    return Response.json({ ...generation, ...more }, { status: state === 'queued' ? 201 : 200 });
  };
  return (seen: Seen) => {
    bearerIs(seen, providerKey);
    if (seen.path === '/v1/generations') {
      const known = [
        'prompt',
        'model',
        'type',
        'aspect_ratio',
        'output_format',
        'style',
        'user_id',
        'source',
        'image_ref',
      ];
      const tree = jsonOf(seen, known) as {
        readonly prompt: string;
        readonly type: string;
        readonly source?: Reference;
        readonly image_ref?: readonly Reference[];
      };
      demand(typeof tree.prompt === 'string' && tree.prompt !== '', 'a prompt');
      demand((tree.type === 'image_edit') === (tree.source !== undefined), 'a source for an edit alone');
      for (const reference of [tree.source ?? { url: '' }, ...(tree.image_ref ?? [])]) demandReference(reference);
      const id = `g-${jobs.size + 1}`;
      jobs.set(id, { prompt: tree.prompt, type: tree.type, times: 0 });
      return shown(id, tree.type, 'queued');
    }
    const id = /^\/v1\/generations\/(g-\d+)$/.exec(seen.path)?.[1] ?? '';
    const job = jobs.get(id);
    demand(seen.method === 'GET' && job !== undefined, 'a question for a generation');
    job.times += 1;
    // A poll takes a second, so only the first one is unfinished.
    if (job.times < 2 && id === 'g-1') return shown(id, job.type, 'processing');
    if (job.prompt.includes(flagged)) {
      const said = { failure_code: 'content_moderated', failure_reason: 'The prompt was moderated.' };
      return shown(id, job.type, 'failed', said);
    }
    return shown(id, job.type, 'completed', { output: [{ type: 'image', url: madeUrl }] });
  };
}

/** The older API: ordered at one URL, polled at another. https://docs.lumalabs.ai/docs/image-generation */
export function dreamMachine(): Answer {
  let asked = 0;
  return (seen) => {
    bearerIs(seen, providerKey);
    if (seen.path === '/dream-machine/v1/generations/image') {
      const tree = jsonOf(seen, ['prompt', 'model', 'aspect_ratio']);
      demand(tree['model'] === 'photon-1' && typeof tree['prompt'] === 'string', 'a model and a prompt');
      asked = 0;
      return Response.json({ id: 'd-1', generation_type: 'image', state: 'queued', assets: null }, { status: 201 });
    }
    demand(seen.method === 'GET' && seen.path === '/dream-machine/v1/generations/d-1', 'the place of the generation');
    asked += 1;
    const assets = asked < 2 ? null : { image: madeUrl };
    return Response.json({ id: 'd-1', state: asked < 2 ? 'dreaming' : 'completed', assets, failure_reason: null });
  };
}

/** The chat family's wire, six images at a time. https://www.recraft.ai/docs/api-reference/agents */
export const recraft: Answer = (seen) => {
  bearerIs(seen, providerKey);
  demand(seen.path === '/v1/images/generations', 'its path');
  const { model, prompt, n = 1 } = jsonOf(seen, ['model', 'prompt', 'n', 'size', 'style', 'response_format']);
  demand(model === 'recraftv4' && typeof prompt === 'string', 'a model and a prompt');
  demand(Number(n) >= 1 && Number(n) <= 6, 'n from 1 to 6');
  return Response.json({ created: 1_750_000_000, credits: 40, data: Array(Number(n)).fill({ url: madeUrl }) });
};
