/**
 * Google Gemini image generation: generateContent with the prompt and the given images as one turn.
 * https://ai.google.dev/api/generate-content (read 2026-11-16).
 */

import { countOf, defined, isObject } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Usage } from '../../../conversation/usage.ts';
import type { Consumption } from '../../consumption.ts';
import type { EditImageRequest, ImageReply, MadeImage, MakeImageRequest } from '../../images.ts';
import type { ProviderWire, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import type { EditImageWire } from '../image-wire.ts';
import { base64Of, mediaTypeOf } from '../inline-images.ts';
import { refused } from '../provider-failure.ts';
import { nearestShape } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';

const name = 'gemini-generate-image';
/** A turn has one image; the models refuse several candidates. */
const inputsMax = 1;
const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

const both = { name, inputsMax, readReply, measure };

export const geminiMakesImages: ProviderWire<MakeImageRequest, ImageReply> = {
  ...both,
  operation: 'make-image',
  writeRequest: (request) => writeRequest(request, []),
};

export const geminiEditsImages: EditImageWire = {
  ...both,
  operation: 'edit-image',
  takes: { kinds: [], mask: false },
  writeRequest: (request) => writeRequest(request, request.images),
};

function writeRequest(request: MakeImageRequest, images: EditImageRequest['images']): Converted<WrittenRequest> {
  const losses = new LossList();
  const parts: object[] = [{ text: request.prompt }];
  images.forEach((image, index) => {
    if (image.kind === 'bytes') parts.push({ inlineData: { mimeType: image.mediaType, data: base64Of(image) } });
    else losses.add(`images[${index}]`, 'the provider takes images only in the request itself');
  });
  const { ratio, edge } = nearestShape(request.size, ratios, ['1K', '2K', '4K'], losses);
  // Every model has the smallest resolution as its default; those that have no other refuse a request that names one.
  const imageSize = edge === '1K' ? undefined : edge;
  const shaped = ratio !== undefined || imageSize !== undefined;
  reportCount(request.count, inputsMax, losses);
  reportUnsupportedOptions(request, name, ['size', 'seed'], losses);
  const tree = {
    contents: [{ role: 'user', parts }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...(shaped && { imageConfig: { ...defined('aspectRatio', ratio), ...defined('imageSize', imageSize) } }),
      ...defined('seed', request.seed),
    },
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

function readReply({ tree }: WireReply, _request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  if (!isObject(tree) || (!Array.isArray(tree['candidates']) && !isObject(tree['promptFeedback']))) {
    throw new SyntaxError('The reply has no candidates.');
  }
  const parts = partsOf(tree);
  const images = parts.flatMap((part) => imageOf(part) ?? []);
  if (images.length === 0) throw refused(reasonOf(tree, parts));
  const losses = new LossList();
  if (parts.some(({ text }) => typeof text === 'string' && text !== '')) {
    losses.add('text beside the image', 'a reply of images has no place for it');
  }
  const value: ImageReply = { createdAtMs: making.nowMs, images, consumption: measure(tree) };
  return { value, losses: losses.all };
}

/** Parts of the answer; what the model drew and wrote while it thought is none of it. */
function partsOf(tree: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const candidates: unknown[] = Array.isArray(tree['candidates']) ? tree['candidates'] : [];
  return candidates.flatMap((candidate) => {
    const content = isObject(candidate) ? candidate['content'] : undefined;
    const parts: unknown = isObject(content) ? content['parts'] : undefined;
    return Array.isArray(parts) ? parts.filter(isObject).filter(({ thought }) => thought !== true) : [];
  });
}

function imageOf(part: Readonly<Record<string, unknown>>): MadeImage | undefined {
  const inline = part['inlineData'] ?? part['inline_data'];
  if (!isObject(inline) || typeof inline['data'] !== 'string' || inline['data'] === '') return undefined;
  const said = inline['mimeType'] ?? inline['mime_type'];
  const mediaType = mediaTypeOf(inline['data'], typeof said === 'string' ? said : 'image/png');
  return { source: { kind: 'base64', data: inline['data'], mediaType } };
}

function reasonOf(tree: Readonly<Record<string, unknown>>, parts: readonly Record<string, unknown>[]): string {
  const feedback = isObject(tree['promptFeedback']) ? tree['promptFeedback'] : {};
  const candidates: unknown[] = Array.isArray(tree['candidates']) ? tree['candidates'] : [];
  const [first] = candidates.filter(isObject);
  const words = [
    feedback['blockReasonMessage'],
    feedback['blockReason'],
    first?.['finishMessage'],
    parts.map(({ text }) => text).find((text) => typeof text === 'string' && text.trim() !== ''),
    first?.['finishReason'],
  ];
  return words.find((word): word is string => typeof word === 'string' && word !== '') ?? 'it gave no reason';
}

function measure(reply: unknown): Consumption {
  if (!isObject(reply)) return {};
  const images = partsOf(reply).filter((part) => imageOf(part) !== undefined).length;
  return { images, ...defined('tokens', readUsage(reply['usageMetadata'])) };
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const read = countOf(value['promptTokenCount']);
  const [answer, thinking] = [countOf(value['candidatesTokenCount']), countOf(value['thoughtsTokenCount'])];
  if (read === undefined && answer === undefined && thinking === undefined) return undefined;
  const made = answer === undefined && thinking === undefined ? undefined : (answer ?? 0) + (thinking ?? 0);
  const details = value['candidatesTokensDetails'];
  const text = countOfKind(details, 'TEXT');
  // Without details everything that was made is image.
  const image = countOfKind(details, 'IMAGE') ?? (answer === undefined ? undefined : Math.max(0, answer - (text ?? 0)));
  const cachedImage = countOfKind(value['cacheTokensDetails'], 'IMAGE');
  return {
    input: {
      total: read,
      cacheRead: countOf(value['cachedContentTokenCount']),
      image: countOfKind(value['promptTokensDetails'], 'IMAGE'),
      ...defined('cachedImage', cachedImage),
    },
    output: { total: made, thinking, text, image },
  };
}

function countOfKind(details: unknown, kind: string): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const entry: unknown = details.find((one: unknown) => isObject(one) && one['modality'] === kind);
  return isObject(entry) ? countOf(entry['tokenCount']) : undefined;
}
