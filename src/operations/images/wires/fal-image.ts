/**
 * fal image models: submit to the queue, poll the status, then fetch the response.
 * https://fal.ai/docs/documentation/model-apis/inference/queue (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { GivenImage, ImageReply, MadeImage, MakeImageRequest } from '../../images.ts';
import type { LaterReply, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import type { ImageTaking } from '../image-wire.ts';
import { addressOf, sourceOf } from '../inline-images.ts';
import { failed, isRefusal, refused } from '../provider-failure.ts';
import { pixelsWithin } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';
import { imagePair } from './image-pair.ts';

const name = 'fal-image';
const takes: ImageTaking = { kinds: ['url'], mask: false };
const inputsMax = 4;
const askAgainMs = 500;
const grid = { step: 16, least: 256, most: 4_096 };
const outputFormats = ['png', 'jpeg'];

/** Models of several images say so in the last part of their path. */
const takesSeveral = /\/(edit|multi|edit-image)$/;

const { makes, edits } = imagePair(
  { name, takes, inputsMax, later, readReply, measure: (reply: unknown) => ({ images: imagesOf(reply).length }) },
  writeRequest,
);
export const falMakesImages = makes;
export const falEditsImages = edits;

function writeRequest(
  request: MakeImageRequest,
  model: string,
  images: readonly GivenImage[],
): Converted<WrittenRequest> {
  const losses = new LossList();
  const { outputFormat } = request;
  const format = outputFormat !== undefined && outputFormats.includes(outputFormat) ? outputFormat : undefined;
  reportCount(request.count, inputsMax, losses);
  const said = [
    'size',
    'seed',
    'negativePrompt',
    ...(format === undefined ? [] : (['outputFormat'] as const)),
  ] as const;
  reportUnsupportedOptions(request, name, said, losses);
  const tree = {
    prompt: request.prompt,
    ...defined('image_size', pixelsWithin(request.size, grid, losses)),
    ...(request.count > 1 && { num_images: Math.min(request.count, inputsMax) }),
    ...defined('seed', request.seed),
    ...defined('negative_prompt', request.negativePrompt),
    ...defined('output_format', format),
    ...writeImages(images, model, losses),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function writeImages(images: readonly GivenImage[], model: string, losses: LossList): Tree {
  const several = takesSeveral.test(model);
  const addresses = images.flatMap((image, index) => {
    const address = several || index === 0 ? addressOf(image) : undefined;
    if (address === undefined) losses.add(`images[${index}]`, 'the model cannot take it');
    return address ?? [];
  });
  if (addresses.length === 0) return {};
  return several ? { image_urls: addresses } : { image_url: addresses[0] };
}

/** A ticket and its state name two URLs: one to poll, one where the image will be. */
function later({ tree, address }: WireReply): LaterReply | undefined {
  if (!isObject(tree) || imagesOf(tree).length > 0) return undefined;
  const { status, error, status_url: waiting, response_url: done } = tree;
  if (typeof status !== 'string') return undefined;
  if (typeof error === 'string' && error !== '') throw isRefusal(error) ? refused(error) : failed(error);
  if (status === 'FAILED' || status === 'CANCELED') throw failed(status);
  const place = status === 'COMPLETED' ? done : (waiting ?? address);
  if (typeof place !== 'string') throw new SyntaxError('the reply does not say where to ask for it');
  return { url: place, afterMs: status === 'COMPLETED' ? 0 : askAgainMs };
}

/** Most models answer with a list, a few with one. */
function imagesOf(tree: unknown): MadeImage[] {
  if (!isObject(tree)) return [];
  const list: unknown[] = Array.isArray(tree['images']) ? tree['images'] : [tree['image']];
  return list.filter(isObject).flatMap(({ url }) => (typeof url === 'string' ? [{ source: sourceOf(url) }] : []));
}

function readReply({ tree }: WireReply, _request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const images = imagesOf(tree);
  if (images.length === 0) throw new SyntaxError('The reply holds no image.');
  return { value: { createdAtMs: making.nowMs, images, consumption: { images: images.length } }, losses: [] };
}
