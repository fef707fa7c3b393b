/** The images and videos that come with an order: uploads, URLs or data URLs, checked before anything is spent. */

import { isObject } from '../../conversation/json-tree.ts';
import { invalid, isPresent } from '../field-checks.ts';
import { givenMediaTypes, mediaTypeOfFile } from '../images/inline-images.ts';
import type { GivenMedium } from '../video.ts';
import { isFile, type OrderFields } from './order-fields.ts';

export const orderImagesMax = 16;
export const imageBytesMax = 50 * 1_024 * 1_024;
const videoBytesMax = 200 * 1_024 * 1_024;
const addressCharactersMax = 8_192;

const imageTypes: readonly string[] = givenMediaTypes;
const videoTypes: readonly string[] = ['video/mp4', 'video/webm', 'video/quicktime'];
const videoEndings: ReadonlyMap<string, string> = new Map([
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['mov', 'video/quicktime'],
]);
const dataAddress = /^data:([a-z]+\/[a-z0-9.+-]{1,40})(?:;[a-z-]+=[^;,]{1,40})*;base64,/i;

/** A value in a body, and the caller's name of its field. */
interface Reference {
  readonly field: string;
  readonly value: unknown;
}

/** Which fields hold which media; an upload in `either` is what its type says it is. */
export interface MediaNames {
  readonly images: readonly string[];
  readonly either: readonly string[];
}

interface Sorted {
  readonly images: readonly Reference[];
  readonly lastFrame: Reference | undefined;
  readonly video: Reference | undefined;
}

interface OrderMedia {
  readonly images: readonly GivenMedium[];
  readonly lastFrame: GivenMedium | undefined;
  readonly video: GivenMedium | undefined;
}

/** Throws where something is no medium that can be used; otherwise how many there are. */
export function checkMedia(fields: OrderFields, names: MediaNames): number {
  const { images, lastFrame, video } = sorted(fields, names);
  if (images.length > orderImagesMax) {
    throw invalid(images[0]?.field ?? 'images', `must not hold more than ${orderImagesMax} images`);
  }
  for (const image of images) checkReference(image, imageTypes, imageBytesMax);
  if (lastFrame !== undefined) checkReference(lastFrame, imageTypes, imageBytesMax);
  if (video !== undefined) checkReference(video, videoTypes, videoBytesMax);
  return images.length + (lastFrame === undefined ? 0 : 1) + (video === undefined ? 0 : 1);
}

/** Of a body that was checked. */
export function readMedia(fields: OrderFields, names: MediaNames): OrderMedia {
  const { images, lastFrame, video } = sorted(fields, names);
  return {
    images: images.flatMap((image) => readReference(image) ?? []),
    lastFrame: lastFrame === undefined ? undefined : readReference(lastFrame),
    video: video === undefined ? undefined : readReference(video),
  };
}

function sorted(fields: OrderFields, names: MediaNames): Sorted {
  const either = names.either.flatMap((name) => referencesIn(fields, name));
  const images = names.images.flatMap((name) => referencesIn(fields, name));
  const [lastFrame, secondFrame] = referencesIn(fields, 'last_frame');
  const videos = [...referencesIn(fields, 'video'), ...either.filter(isVideo)];
  const [video, secondVideo] = videos;
  if (secondFrame !== undefined) throw invalid('last_frame', 'must be one image');
  if (secondVideo !== undefined) throw invalid(secondVideo.field, 'must be the only video');
  return { images: [...either.filter((one) => !isVideo(one)), ...images], lastFrame, video };
}

function referencesIn(fields: OrderFields, name: string): readonly Reference[] {
  const value = fields.value(name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [{ field: name, value }];
  return value.map((one: unknown, index) => ({ field: `${name}[${index}]`, value: one }));
}

function isVideo({ value }: Reference): boolean {
  if (isFile(value)) return typeOfFile(value).startsWith('video/');
  const { address } = partsOf(value);
  return typeof address === 'string' && /^data:video\//i.test(address);
}

function typeOfFile(file: { readonly mediaType: string; readonly filename: string | undefined }): string {
  const said = mediaTypeOfFile(file);
  if (said !== 'application/octet-stream') return said;
  const ending = /\.([a-z0-9]+)$/i.exec(file.filename ?? '')?.[1]?.toLowerCase() ?? '';
  return videoEndings.get(ending) ?? said;
}

/** A bare text, `{url}`, the official library's `{image_url}`, and the nesting that the chat format has. */
function partsOf(value: unknown): { readonly inner: string | undefined; readonly address: unknown } {
  if (!isObject(value)) return { inner: undefined, address: value };
  const inner = ['url', 'image_url', 'video_url'].find((name) => isPresent(value[name]));
  if (inner === undefined) return { inner: undefined, address: undefined };
  const address = value[inner];
  return isObject(address) && inner !== 'url' ? { inner: `${inner}.url`, address: address['url'] } : { inner, address };
}

function placeOf({ field, value }: Reference): string {
  const { inner } = partsOf(value);
  return inner === undefined ? field : `${field}.${inner}`;
}

function checkReference(reference: Reference, types: readonly string[], bytesMax: number): void {
  const { field, value } = reference;
  if (isFile(value)) {
    if (!types.includes(typeOfFile(value))) throw invalid(field, `must be one of ${types.join(', ')}`);
    if (value.bytes === 0) throw invalid(field, 'must not be an empty file');
    if (value.bytes > bytesMax) throw invalid(field, `must not be larger than ${bytesMax} bytes`);
    return;
  }
  if (isObject(value) && isPresent(value['file_id'])) {
    throw invalid(`${field}.file_id`, 'cannot be used here: Weir keeps no files; send an upload or an address');
  }
  const place = placeOf(reference);
  const { address } = partsOf(value);
  if (typeof address !== 'string' || address === '') throw invalid(place, 'must be an upload or an address');
  if (address.slice(0, 5).toLowerCase() === 'data:') checkInline(place, address, types, bytesMax);
  else checkAddress(place, address);
}

function checkInline(place: string, address: string, types: readonly string[], bytesMax: number): void {
  const inline = readInline(address);
  if (inline === undefined || !types.includes(inline.mediaType)) {
    throw invalid(place, `must be base64 of one of ${types.join(', ')}`);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(inline.data)) throw invalid(place, 'must be base64');
  if ((inline.data.length / 4) * 3 > bytesMax) throw invalid(place, `must not be larger than ${bytesMax} bytes`);
}

function checkAddress(place: string, address: string): void {
  if (address.length > addressCharactersMax) {
    throw invalid(place, `must not have more than ${addressCharactersMax} characters`);
  }
  if (!isWebAddress(address)) throw invalid(place, 'must be an http, https or data address');
}

export function isWebAddress(address: string): boolean {
  // Parsers drop line ends and blanks: what is kept must be what was checked.
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(address) && URL.canParse(address);
}

function readInline(address: string): { readonly mediaType: string; readonly data: string } | undefined {
  const head = dataAddress.exec(address.slice(0, 200));
  const mediaType = head?.[1]?.toLowerCase();
  if (head === null || mediaType === undefined) return undefined;
  return { mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data: address.slice(head[0].length) };
}

function readReference(reference: Reference): GivenMedium | undefined {
  const { value } = reference;
  if (isFile(value)) {
    const { field, filename, bytes } = value;
    return {
      kind: 'file',
      file: { field, filename, mediaType: typeOfFile(value), bytes, open: (piece) => value.open(piece) },
    };
  }
  const { address } = partsOf(value);
  if (typeof address !== 'string') return undefined;
  const inline = readInline(address);
  if (inline === undefined) return { kind: 'url', url: address, field: placeOf(reference) };
  return { kind: 'bytes', bytes: new Uint8Array(Buffer.from(inline.data, 'base64')), mediaType: inline.mediaType };
}
