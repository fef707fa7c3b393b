/**
 * OpenAI image generations (`/v1/images/generations`): `prompt` in, `data` out.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Extras } from '../../../conversation/parts.ts';
import type { ImageReply, MakeImageRequest } from '../../images.ts';
import type { ClientWire, ProviderWire } from '../../wire.ts';
import { fieldsOf } from '../body-fields.ts';
import { writeAnswer } from '../image-events.ts';
import { checkOptions, readOptions } from '../image-options.ts';
import { measure, readReply, suits } from '../images-reply.ts';

const name = 'openai-images';

export const openaiImagesClient: ClientWire<MakeImageRequest, ImageReply> = {
  operation: 'make-image',
  name,
  check: (body, bodyBytes, named) => checkOptions(fieldsOf(body), bodyBytes, named, { images: 0, inlineBytes: 0 }),
  readRequest: (body, named) => ({ value: readOptions(fieldsOf(body), named, name, () => false), losses: [] }),
  writeReply: writeAnswer,
  suits,
};

export const openaiImagesProvider: ProviderWire<MakeImageRequest, ImageReply> = {
  operation: 'make-image',
  name,
  writeRequest: (request, model) => {
    const losses = new LossList();
    losses.addForeign(request.extras, name);
    const tree = { ...ownExtras(request.extras, name), model, prompt: request.prompt, ...writeOptions(request, model) };
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  passes: takesHandOver,
  readReply,
  measure,
};

/** Models of this family always answer with the image itself and refuse a request that names the format. */
const refusesHandOver = /(^|\/)(chat)?gpt-image/;

export function takesHandOver(request: MakeImageRequest, model: string): boolean {
  return request.handOver === undefined || !refusesHandOver.test(model);
}

export function ownExtras(extras: Extras | undefined, wire: string): Tree {
  return extras !== undefined && extras.format === wire && isObject(extras.fields) ? extras.fields : {};
}

/** Everything but the prompt, the model and the images. One image is what a request without a count asks for. */
export function writeOptions(request: MakeImageRequest, model: string): Tree {
  const handOver = takesHandOver(request, model) ? request.handOver : undefined;
  return {
    ...(request.count > 1 && { n: request.count }),
    ...defined('size', request.size),
    ...defined('quality', request.quality),
    ...defined('style', request.style),
    ...defined('background', request.background),
    ...defined('output_format', request.outputFormat),
    ...defined('output_compression', request.outputCompression),
    ...(handOver !== undefined && { response_format: handOver === 'url' ? 'url' : 'b64_json' }),
    ...defined('moderation', request.moderation),
    ...defined('seed', request.seed),
    ...defined('negative_prompt', request.negativePrompt),
    ...defined('user', request.user),
    ...(request.stream && { stream: true }),
    ...defined('partial_images', request.partialImages),
  };
}
