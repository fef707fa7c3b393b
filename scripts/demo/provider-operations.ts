/** What a scripted provider answers beside conversations: embeddings, images, speech, moderation and video tasks. */

import type { Tree } from '../../src/conversation/json-tree.ts';
import { Draws } from './draws.ts';

/** One transparent pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
const speechBytes = 4_096;
const dimensions = 8;

const operations: Readonly<Record<string, (body: Tree) => Response>> = {
  embeddings(body) {
    const inputs = [body['input']].flat().map(String);
    const tokens = inputs.reduce((sum, text) => sum + Draws.of(text).size(300, 0.8, 8_000), 0);
    const data = inputs.map((text, index) => {
      const draws = Draws.of(text);
      return { object: 'embedding', index, embedding: Array.from({ length: dimensions }, () => draws.normal()) };
    });
    return Response.json({
      ...{ object: 'list', data, model: body['model'] },
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
  },
  'images/generations'() {
    const usage = {
      ...{ total_tokens: 1_090, input_tokens: 34, output_tokens: 1_056 },
      input_tokens_details: { text_tokens: 34, image_tokens: 0 },
    };
    return Response.json({ created: 1, data: [{ b64_json: png }], usage });
  },
  'audio/speech': () => new Response(new Uint8Array(speechBytes), { headers: { 'content-type': 'audio/mpeg' } }),
  moderations(body) {
    const flagged = /\bthreat/.test(JSON.stringify(body['input']));
    const [categories, scores] = [{ violence: flagged }, { violence: flagged ? 0.97 : 0.01 }];
    const results = [{ flagged, categories, category_scores: scores }];
    return Response.json({ id: 'modr-demo', model: body['model'], results });
  },
};

export function operationReply(path: string, body: Tree): Response | undefined {
  const name = Object.keys(operations).find((ending) => path.endsWith(`/${ending}`));
  return name === undefined ? undefined : operations[name]?.(body);
}

/** Video tasks that are done at the second poll; one whose prompt speaks of clouds fails. */
export class VideoTasks {
  readonly #tasks = new Map<string, { readonly fails: boolean; polls: number }>();

  start(model: string, text: string): Response {
    const name = `models/${model}/operations/${crypto.randomUUID()}`;
    this.#tasks.set(name, { fails: /cloud/i.test(text), polls: 0 });
    return Response.json({ name });
  }

  /** Undefined where the path names no task. */
  poll(path: string): Response | undefined {
    const name = /models\/[^/]+\/operations\/[^/]+$/.exec(path)?.[0] ?? '';
    const task = this.#tasks.get(name);
    if (task === undefined) return undefined;
    task.polls += 1;
    if (task.polls < 2) return Response.json({ name });
    const error = { code: 3, message: 'The prompt could not be submitted: it violates the usage guidelines.' };
    if (task.fails) return Response.json({ name, done: true, error });
    const video = { encodedVideo: smallestVideo, encoding: 'video/mp4' };
    const response = { generateVideoResponse: { generatedSamples: [{ video }] } };
    return Response.json({ name, done: true, response });
  }
}

/** A file that begins as a video does and shows nothing. */
const smallestVideo = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from('ftypmp42\0\0\0\0mp42isom'),
  Buffer.alloc(1_024),
]).toString('base64');
