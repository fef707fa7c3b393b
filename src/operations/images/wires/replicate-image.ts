/**
 * Replicate image models: create a prediction that waits up to a minute, then poll it.
 * https://replicate.com/docs/reference/http (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import type { GivenImage, ImageReply, MakeImageRequest } from '../../images.ts';
import type { LaterReply, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import type { ImageTaking } from '../image-wire.ts';
import { addressOf, sourceOf } from '../inline-images.ts';
import { failed, isRefusal, refused } from '../provider-failure.ts';
import { nearestShape } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';
import { imagePair } from './image-pair.ts';

const name = 'replicate-image';
const takes: ImageTaking = { kinds: ['url'], mask: false };
const inputsMax = 4;
const askAgainMs = 1_000;
const ratios = ['1:1', '16:9', '21:9', '3:2', '2:3', '4:5', '5:4', '3:4', '4:3', '9:16', '9:21'];

/** Each model has its own names for images; a list is a field that takes several. */
const imageFields: readonly (readonly [RegExp, string, 'list' | 'one'])[] = [
  [/flux-2|gpt-image/, 'input_images', 'list'],
  [/nano-banana|seedream/, 'image_input', 'list'],
  [/kontext/, 'input_image', 'one'],
];

const { makes, edits } = imagePair(
  { name, takes, inputsMax, later, readReply, measure: (reply: unknown) => ({ images: outputOf(reply).length }) },
  writeRequest,
);
export const replicateMakesImages = makes;
export const replicateEditsImages = edits;

function writeRequest(
  request: MakeImageRequest,
  model: string,
  images: readonly GivenImage[],
): Converted<WrittenRequest> {
  const losses = new LossList();
  const { outputFormat } = request;
  reportCount(request.count, inputsMax, losses);
  reportUnsupportedOptions(
    request,
    name,
    ['size', 'seed', 'negativePrompt', 'outputFormat', 'outputCompression'],
    losses,
  );
  const input = {
    prompt: request.prompt,
    ...defined('aspect_ratio', nearestShape(request.size, ratios, [], losses).ratio),
    ...(request.count > 1 && { num_outputs: Math.min(request.count, inputsMax) }),
    ...defined('seed', request.seed),
    ...defined('negative_prompt', request.negativePrompt),
    ...defined('output_format', outputFormat === 'jpeg' ? 'jpg' : outputFormat),
    ...defined('output_quality', request.outputCompression),
    ...writeImages(images, model, losses),
  };
  // A model that names its version is run by it, the others by their path.
  const [path = '', version] = model.split(':');
  const named = path.split('/').map((segment) => pathSegment('model', segment));
  const place = `/models/${named.join('/')}/predictions`;
  const tree = { input, ...defined('version', version) };
  const suffix = version === undefined ? place : '/predictions';
  return { value: { body: { kind: 'json', tree }, suffix, headers: { prefer: 'wait' } }, losses: losses.all };
}

function writeImages(images: readonly GivenImage[], model: string, losses: LossList): Tree {
  const [, field, takes] = imageFields.find(([pattern]) => pattern.test(model)) ?? [/./, 'image', 'one'];
  const addresses = images.flatMap((image, index) => {
    const address = takes === 'list' || index === 0 ? addressOf(image) : undefined;
    if (address === undefined) losses.add(`images[${index}]`, 'the model cannot take it');
    return address ?? [];
  });
  if (addresses.length === 0) return {};
  return { [field]: takes === 'list' ? addresses : addresses[0] };
}

function later({ tree }: WireReply): LaterReply | undefined {
  if (!isObject(tree)) return undefined;
  const { status, error, urls } = tree;
  if (status === 'failed' || status === 'canceled' || status === 'aborted') {
    const reason = typeof error === 'string' && error !== '' ? error : `it was ${status}`;
    throw isRefusal(reason) ? refused(reason) : failed(reason);
  }
  if (status !== 'starting' && status !== 'processing' && status !== 'queued') return undefined;
  // A waiting request may return its images while the model still cleans up.
  if (outputOf(tree).length > 0) return undefined;
  const place = isObject(urls) ? urls['get'] : undefined;
  if (typeof place !== 'string') throw new SyntaxError('the reply does not say where to ask for it');
  return { url: place, afterMs: askAgainMs };
}

/** One URL, or a list of them. */
function outputOf(tree: unknown): string[] {
  const output = isObject(tree) ? tree['output'] : undefined;
  return [output].flat().filter((one): one is string => typeof one === 'string' && one !== '');
}

function readReply({ tree }: WireReply, _request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const images = outputOf(tree).map((address) => ({ source: sourceOf(address) }));
  if (images.length === 0) throw new SyntaxError('The reply holds no image.');
  return { value: { createdAtMs: making.nowMs, images, consumption: { images: images.length } }, losses: [] };
}
