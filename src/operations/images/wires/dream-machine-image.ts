/** Luma Dream Machine image API (`photon-1`): submit a generation, then poll it. https://docs.lumalabs.ai/docs/image-generation (read 2026-11-16). */

import { defined, isObject } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import type { ImageReply, MakeImageRequest } from '../../images.ts';
import type { LaterReply, ProviderWire, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import { textOr } from '../../wire-replies.ts';
import { sourceOf } from '../inline-images.ts';
import { failed, isRefusal, refused } from '../provider-failure.ts';
import { nearestShape } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';

const name = 'dream-machine-image';
const inputsMax = 1;
const pollEveryMs = 1_000;
const ratios = ['1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21'];

/** Images of callers cannot be edited here: it takes them by URL only. */
export const dreamMachineMakesImages: ProviderWire<MakeImageRequest, ImageReply> = {
  operation: 'make-image',
  name,
  inputsMax,
  writeRequest,
  later,
  readReply,
  measure: (reply) => ({ images: imageIn(reply) === undefined ? 0 : 1 }),
};

function writeRequest(request: MakeImageRequest, model: string): Converted<WrittenRequest> {
  const losses = new LossList();
  reportCount(request.count, inputsMax, losses);
  reportUnsupportedOptions(request, name, ['size'], losses);
  const ratio = nearestShape(request.size, ratios, [], losses).ratio;
  const tree = { model, prompt: request.prompt, ...defined('aspect_ratio', ratio) };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

/** An image is ordered at a URL of its own and polled where all generations are. */
function later({ tree, address }: WireReply): LaterReply | undefined {
  if (!isObject(tree)) return undefined;
  const { id, state, failure_reason: reason } = tree;
  if (state === 'failed') {
    const words = textOr(reason, 'it gave no reason');
    throw isRefusal(words) ? refused(words) : failed(words);
  }
  if (state !== 'queued' && state !== 'dreaming') return undefined;
  if (typeof id !== 'string' || address === undefined)
    throw new SyntaxError('the reply does not say where to ask for it');
  const place = pathSegment('id', id);
  return { url: address.replace(/\/generations\/[^/]*$/, `/generations/${place}`), afterMs: pollEveryMs };
}

function imageIn(tree: unknown): string | undefined {
  const assets = isObject(tree) ? tree['assets'] : undefined;
  const image = isObject(assets) ? assets['image'] : undefined;
  return typeof image === 'string' && image !== '' ? image : undefined;
}

function readReply({ tree }: WireReply, _request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const image = imageIn(tree);
  if (image === undefined) throw new SyntaxError('The reply holds no image.');
  const value = { createdAtMs: making.nowMs, images: [{ source: sourceOf(image) }], consumption: { images: 1 } };
  return { value, losses: [] };
}
