/** The options of an image request, in JSON or as a form: checked, bounded for the ledger, and read into neutral fields. */

import { defined } from '../../conversation/json-tree.ts';
import type { Extras } from '../../conversation/parts.ts';
import type { ImageTerms } from '../consumption.ts';
import type { MakeImageRequest } from '../images.ts';
import type { OperationFacts } from '../wire.ts';
import { checkCount, checkSpelling } from './asked-count.ts';
import { type BodyFields, invalid, missing } from './body-fields.ts';
import { areaOf, pixelEdgeMax, readSize } from './sizes.ts';

const imagesMax = 10;
export const promptCharactersMax = 32_000;
const wordCharactersMax = 256;
const partialImagesMax = 3;

/** Values that Weir or every provider acts upon. Others, such as a quality, differ by model and are checked by the provider. */
const closedLists: Readonly<Record<string, readonly string[]>> = {
  response_format: ['url', 'b64_json'],
  output_format: ['png', 'jpeg', 'webp', 'gif', 'svg'],
  background: ['transparent', 'opaque', 'auto'],
  moderation: ['low', 'auto'],
};
const openWords = ['quality', 'style', 'user'] as const;

/** More than any provider counts for one image that it looks at. */
const inputImageTokensMax = 8_192;
/** Pixels for each output token, at half of what is published, so that the bound is twice the largest known image. */
const pixelsPerToken: ReadonlyMap<string, number> = new Map([
  ['low', 1_900],
  ['medium', 490],
]);
const pixelsPerTokenOtherwise = 126;
const partialImageTokens = 100;
/** Some models think or write a sentence beside the image. */
const textBesideTokens = 2_048;

export interface Given {
  readonly images: number;
  /** Bytes of the body that are images in JSON and not words. */
  readonly inlineBytes: number;
}

export function checkOptions(
  fields: BodyFields,
  bodyBytes: number,
  named: string | undefined,
  given: Given,
): OperationFacts {
  const model = modelOf(fields, named);
  checkPrompt(fields);
  const count = fields.whole('n', 1, imagesMax) ?? 1;
  checkCount(fields, count);
  checkSpelling(fields);
  const size = sizeOf(fields);
  for (const name of Object.keys(closedLists)) closedWord(fields, name);
  for (const name of openWords) word(fields, name);
  fields.whole('output_compression', 0, 100);
  fields.whole('seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const negative = fields.text('negative_prompt') ?? '';
  if (negative.length > promptCharactersMax) throw tooLong('negative_prompt', promptCharactersMax);
  const stream = fields.flag('stream') ?? false;
  const partialImages = fields.whole('partial_images', 0, partialImagesMax) ?? 0;
  const perToken = pixelsPerToken.get(fields.text('quality') ?? '') ?? pixelsPerTokenOtherwise;
  const quality = fields.text('quality');
  const areaMax = edgeOf(fields, 'width') * edgeOf(fields, 'height');
  const partialTokens = partialImages * partialImageTokens;
  const imageTerms: ImageTerms = { quality, size, areaMax, textTokens: textBesideTokens, partialTokens };
  const image = count * (Math.ceil(Math.max(areaOf(size), areaMax) / perToken) + partialTokens);
  const input = Math.max(1, bodyBytes - given.inlineBytes) + given.images * inputImageTokensMax;
  const tokens = { input: { total: input }, output: { total: image + count * textBesideTokens, image } };
  return { model, stream, most: { images: count, tokens, ...imageKind(quality, size), imageTerms } };
}

const chosen = (word: string | undefined): string | undefined => (word === 'auto' || word === '' ? undefined : word);

/** Which price an image has where there are several; a part that is left to the model is omitted. */
function imageKind(quality: string | undefined, size: string | undefined): { readonly imageKind?: string } {
  const parts = [chosen(quality), chosen(size)].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { imageKind: parts.join('/') };
}

/** Edges under names of their own, which some servers read beside or instead of the size. */
function edgeOf(fields: BodyFields, name: string): number {
  return fields.whole(name, 0, pixelEdgeMax) ?? 0;
}

/** Absent leaves the choice to Weir, as the official libraries allow. */
function modelOf(fields: BodyFields, named: string | undefined): string | undefined {
  const model = fields.text('model');
  if (model === '') throw invalid('model', 'must be a non-empty text');
  if (model !== undefined && model.length > wordCharactersMax) throw tooLong('model', wordCharactersMax);
  return named ?? model;
}

function checkPrompt(fields: BodyFields): void {
  const prompt = fields.text('prompt');
  if (prompt === undefined) throw missing('prompt', 'Say what the image is to show.');
  if (prompt.trim() === '') throw invalid('prompt', 'must not be empty');
  if (prompt.length > promptCharactersMax) throw tooLong('prompt', promptCharactersMax);
}

function sizeOf(fields: BodyFields): string | undefined {
  const size = word(fields, 'size');
  if (size !== undefined && readSize(size) === undefined) {
    throw invalid('size', `must be \`auto\` or like \`1024x1024\`, with edges from 1 to ${pixelEdgeMax}`);
  }
  return size;
}

/** An empty field of a form is absent; in JSON it is an error. */
function word(fields: BodyFields, name: string): string | undefined {
  const value = fields.text(name);
  if (value === undefined || (value === '' && fields.kind === 'form')) return undefined;
  if (value === '') throw invalid(name, 'must not be empty');
  if (value.length > wordCharactersMax) throw tooLong(name, wordCharactersMax);
  return value;
}

export function closedWord(
  fields: BodyFields,
  name: string,
  known: readonly string[] = closedLists[name] ?? [],
): string | undefined {
  const value = word(fields, name);
  if (value !== undefined && !known.includes(value)) throw invalid(name, `must be one of ${known.join(', ')}`);
  return value;
}

function tooLong(name: string, most: number): Error {
  return invalid(name, `must not have more than ${most} characters`);
}

const readNames: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'n', 'size', 'output_compression', 'seed', 'negative_prompt', 'stream', 'partial_images'],
  ...Object.keys(closedLists),
  ...openWords,
]);

/** `format` names the wire whose own fields are kept; `besides` are those that the caller reads itself. */
export function readOptions(
  fields: BodyFields,
  named: string | undefined,
  format: string,
  besides: (name: string) => boolean,
): MakeImageRequest {
  const handOver = closedWord(fields, 'response_format');
  const negativePrompt = fields.text('negative_prompt');
  return {
    model: modelOf(fields, named) ?? '',
    prompt: fields.text('prompt') ?? '',
    count: fields.whole('n', 1, imagesMax) ?? 1,
    ...defined('size', word(fields, 'size')),
    ...defined('quality', word(fields, 'quality')),
    ...defined('style', word(fields, 'style')),
    ...defined('background', closedWord(fields, 'background')),
    ...defined('outputFormat', closedWord(fields, 'output_format')),
    ...defined('outputCompression', fields.whole('output_compression', 0, 100)),
    ...(handOver !== undefined && { handOver: handOver === 'url' ? 'url' : 'base64' }),
    ...defined('moderation', closedWord(fields, 'moderation')),
    ...defined('seed', fields.whole('seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
    ...defined('negativePrompt', negativePrompt === '' ? undefined : negativePrompt),
    ...defined('user', word(fields, 'user')),
    stream: fields.flag('stream') ?? false,
    ...defined('partialImages', fields.whole('partial_images', 0, partialImagesMax)),
    ...defined('extras', extrasOf(fields, format, besides)),
  };
}

function extrasOf(fields: BodyFields, format: string, besides: (name: string) => boolean): Extras | undefined {
  const unknown = fields.names.filter((name) => !readNames.has(name) && !besides(name));
  if (unknown.length === 0) return undefined;
  return { format, fields: Object.fromEntries(unknown.map((name) => [name, fields.raw(name)])) };
}
