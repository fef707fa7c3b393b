/** Luma image API (`uni-1`): submit a generation, then poll it. https://docs.agents.lumalabs.ai/guides/image-generation/ (read 2026-11-16). */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import type { GivenImage, ImageReply, MakeImageRequest } from '../../images.ts';
import type { LaterReply, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import { textOr } from '../../wire-replies.ts';
import type { ImageTaking } from '../image-wire.ts';
import { base64Of, sourceOf } from '../inline-images.ts';
import { failed, isRefusal, refused } from '../provider-failure.ts';
import { nearestShape } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';
import { imagePair } from './image-pair.ts';

const name = 'luma-image';
const takes: ImageTaking = { kinds: ['url'], mask: false };
const inputsMax = 1;
const pollEveryMs = 1_000;
/** The image that is changed, and those that guide the change. */
const givenImagesMax = 9;
const ratios = ['1:1', '3:1', '2:1', '16:9', '3:2', '2:3', '9:16', '1:2', '1:3'];
const outputFormats = ['png', 'jpeg'];
const styles = ['auto', 'manga'];

const { makes, edits } = imagePair(
  { name, takes, inputsMax, later, readReply, measure: (reply: unknown) => ({ images: outputOf(reply).length }) },
  writeRequest,
);
export const lumaMakesImages = makes;
export const lumaEditsImages = edits;

function writeRequest(
  request: MakeImageRequest,
  model: string,
  images: readonly GivenImage[],
): Converted<WrittenRequest> {
  const losses = new LossList();
  const format = outputFormats.find((known) => known === request.outputFormat);
  const style = styles.find((known) => known === request.style);
  reportCount(request.count, inputsMax, losses);
  const said = [
    ...(['size', 'user'] as const),
    ...(format === undefined ? [] : (['outputFormat'] as const)),
    ...(style === undefined ? [] : (['style'] as const)),
  ];
  reportUnsupportedOptions(request, name, said, losses);
  const [source, ...guides] = referencesOf(images, losses);
  const tree = {
    model,
    type: source === undefined ? 'image' : 'image_edit',
    prompt: request.prompt,
    ...defined('aspect_ratio', nearestShape(request.size, ratios, [], losses).ratio),
    ...defined('output_format', format),
    ...defined('style', style),
    ...defined('user_id', request.user),
    ...defined('source', source),
    ...(guides.length > 0 && { image_ref: guides }),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function referencesOf(images: readonly GivenImage[], losses: LossList): readonly Tree[] {
  return images.flatMap((image, index): Tree[] => {
    if (index < givenImagesMax && image.kind === 'url') return [{ url: image.url }];
    if (index < givenImagesMax && image.kind === 'bytes') {
      return [{ data: base64Of(image), media_type: image.mediaType }];
    }
    losses.add(`images[${index}]`, 'the provider cannot take it');
    return [];
  });
}

/** Every reply is the generation itself; only the first does not come from its own URL. */
function later({ tree, address }: WireReply): LaterReply | undefined {
  if (!isObject(tree)) return undefined;
  const { id, state, failure_code: code, failure_reason: reason } = tree;
  if (state === 'failed') {
    const words = textOr(reason, textOr(code, 'it gave no reason'));
    throw code === 'content_moderated' || isRefusal(words) ? refused(words) : failed(words);
  }
  if (state !== 'queued' && state !== 'processing') return undefined;
  if (typeof id !== 'string' || address === undefined)
    throw new SyntaxError('the reply does not say where to ask for it');
  const place = `/${pathSegment('id', id)}`;
  return { url: address.endsWith(place) ? address : `${address}${place}`, afterMs: pollEveryMs };
}

function outputOf(tree: unknown): string[] {
  const output = isObject(tree) && Array.isArray(tree['output']) ? tree['output'].filter(isObject) : [];
  return output.flatMap(({ url }) => (typeof url === 'string' && url !== '' ? [url] : []));
}

function readReply({ tree }: WireReply, _request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const images = outputOf(tree).map((url) => ({ source: sourceOf(url) }));
  if (images.length === 0) throw new SyntaxError('The reply holds no image.');
  return { value: { createdAtMs: making.nowMs, images, consumption: { images: images.length } }, losses: [] };
}
