/**
 * Black Forest Labs image API: submit, then poll; the result is a URL.
 * https://docs.bfl.ai/quick_start/generating_images (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { GivenImage, ImageReply, MakeImageRequest } from '../../images.ts';
import type { LaterReply, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import type { ImageTaking } from '../image-wire.ts';
import { base64Of, sourceOf } from '../inline-images.ts';
import { failed, refused } from '../provider-failure.ts';
import { nearestShape, pixelsWithin } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';
import { imagePair } from './image-pair.ts';

const name = 'bfl-image';
const takes: ImageTaking = { kinds: ['url'], mask: false };
const inputsMax = 1;
const askAgainMs = 500;
const outputFormats = ['png', 'jpeg'];
const givenImagesMax = 8;

/** These models take proportions, the others pixels. */
const takesRatio = /kontext|ultra|flux-3/;
const ratios = ['1:1', '21:9', '16:9', '3:2', '4:3', '5:4', '4:5', '3:4', '2:3', '9:16', '9:21'];
const grid = { step: 32, least: 256, most: 2_048 };
/** Its older models stop earlier. */
const smallGrid = { ...grid, most: 1_440 };

const { makes, edits } = imagePair(
  { name, takes, inputsMax, later, readReply, measure: (reply: unknown) => ({ images: sampleOf(reply) ? 1 : 0 }) },
  writeRequest,
);
export const bflMakesImages = makes;
export const bflEditsImages = edits;

function writeRequest(
  request: MakeImageRequest,
  model: string,
  images: readonly GivenImage[],
): Converted<WrittenRequest> {
  const losses = new LossList();
  const { outputFormat } = request;
  const format = outputFormat !== undefined && outputFormats.includes(outputFormat) ? outputFormat : undefined;
  reportCount(request.count, inputsMax, losses);
  const said = ['size', 'seed', ...(format === undefined ? [] : (['outputFormat'] as const))] as const;
  reportUnsupportedOptions(request, name, said, losses);
  const tree = {
    prompt: request.prompt,
    ...shapeFor(request.size, model, losses),
    ...defined('seed', request.seed),
    ...defined('output_format', format),
    ...writeImages(images, losses),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function shapeFor(size: string | undefined, model: string, losses: LossList): Tree {
  if (takesRatio.test(model)) return { ...defined('aspect_ratio', nearestShape(size, ratios, [], losses).ratio) };
  return { ...pixelsWithin(size, model.includes('flux-2') ? grid : smallGrid, losses) };
}

/** The first image has a field without a number, the others are counted from two. */
function writeImages(images: readonly GivenImage[], losses: LossList): Tree {
  const fields: Record<string, string> = {};
  images.forEach((image, index) => {
    const value = image.kind === 'url' ? image.url : image.kind === 'bytes' ? base64Of(image) : undefined;
    if (value === undefined || index >= givenImagesMax) losses.add(`images[${index}]`, 'the provider cannot take it');
    else fields[index === 0 ? 'input_image' : `input_image_${index + 1}`] = value;
  });
  return fields;
}

/** The first reply gives the polling URL; the replies from there do not repeat it. */
function later({ tree, address }: WireReply): LaterReply | undefined {
  if (!isObject(tree)) return undefined;
  const { polling_url: place, status, details } = tree;
  if (typeof place === 'string' && tree['result'] === undefined) return { url: place, afterMs: askAgainMs };
  if (status === 'Ready' || sampleOf(tree) !== undefined) return undefined;
  const why = details === undefined || details === null ? '' : ` ${JSON.stringify(details)}`;
  if (status === 'Request Moderated' || status === 'Content Moderated') throw refused(`${status}${why}`);
  if (status === 'Error' || status === 'Failed' || status === 'Task not found') throw failed(`${status}${why}`);
  if (address === undefined) throw new SyntaxError('the reply does not say where to ask for it');
  return { url: address, afterMs: askAgainMs };
}

function sampleOf(tree: unknown): string | undefined {
  const result = isObject(tree) ? tree['result'] : undefined;
  const sample = isObject(result) ? result['sample'] : undefined;
  return typeof sample === 'string' && sample !== '' ? sample : undefined;
}

function readReply({ tree }: WireReply, _request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const sample = sampleOf(tree);
  if (sample === undefined) throw new SyntaxError('The reply holds no image.');
  const value = { createdAtMs: making.nowMs, images: [{ source: sourceOf(sample) }], consumption: { images: 1 } };
  return { value, losses: [] };
}
