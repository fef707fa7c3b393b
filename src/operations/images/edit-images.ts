/** The images of an edit: files of a form, or references in JSON. Counted and checked before anything is spent. */

import { isObject } from '../../conversation/json-tree.ts';
import type { GivenImage } from '../images.ts';
import type { FormFile } from '../wire.ts';
import { type BodyFields, invalid, missing } from './body-fields.ts';
import type { Given } from './image-options.ts';
import { givenMediaTypes, mediaTypeOfFile, readDataAddress } from './inline-images.ts';

const givenImagesMax = 16;
export const imageBytesMax = 50 * 1_024 * 1_024;
const addressCharactersMax = 8_192;

/** Libraries write one image as `image`, several as `image[]`; some number them. */
const formImage = /^image(\[\d{0,2}\])?$/;

export function isImageField(kind: BodyFields['kind'], field: string): boolean {
  return field === 'mask' || (kind === 'form' ? formImage.test(field) : field === 'images' || field === 'image');
}

interface EditImages {
  readonly images: readonly GivenImage[];
  readonly mask: GivenImage | undefined;
}

export function checkImages(fields: BodyFields): Given {
  const references = referencesOf(fields);
  if (references.length === 0) {
    throw missing(fields.kind === 'form' ? 'image' : 'images', 'Send the image that is to be changed.');
  }
  if (references.length > givenImagesMax) {
    throw invalid(references[0]?.field ?? 'image', `must not hold more than ${givenImagesMax} images`);
  }
  const mask = maskOf(fields);
  const all = mask === undefined ? references : [...references, mask];
  let inlineBytes = 0;
  for (const { field, value } of all) {
    inlineBytes += fields.kind === 'form' ? checkFile(field, value) : checkReference(field, value);
  }
  return { images: all.length, inlineBytes };
}

/** Of a body that was checked. */
export function readImages(fields: BodyFields): EditImages {
  const read = fields.kind === 'form' ? readFile : readReference;
  const mask = maskOf(fields);
  return {
    images: referencesOf(fields).flatMap((reference) => read(reference) ?? []),
    mask: mask === undefined ? undefined : read(mask),
  };
}

interface Reference {
  /** As the caller knows it, for the error that names it. */
  readonly field: string;
  readonly value: unknown;
}

function referencesOf(fields: BodyFields): readonly Reference[] {
  if (fields.kind === 'form') {
    return fields.names
      .filter((name) => formImage.test(name))
      .flatMap((field) => [fields.raw(field)].flat().map((value) => ({ field, value })));
  }
  const [images, image] = [fields.raw('images'), fields.raw('image')];
  if (images !== undefined && image !== undefined) throw invalid('image', 'cannot be sent beside `images`');
  if (images !== undefined && !Array.isArray(images)) throw invalid('images', 'must be an array');
  const field = images === undefined ? 'image' : 'images';
  const value = images ?? image;
  if (Array.isArray(value)) return value.map((one: unknown, index) => ({ field: `${field}[${index}]`, value: one }));
  return value === undefined ? [] : [{ field, value }];
}

function maskOf(fields: BodyFields): Reference | undefined {
  const value = fields.raw('mask');
  return value === undefined ? undefined : { field: 'mask', value };
}

function checkFile(field: string, value: unknown): number {
  if (Array.isArray(value)) throw invalid(field, 'must be there once');
  if (!isFile(value)) throw invalid(field, 'must be a file');
  if (!isGivenType(mediaTypeOfFile(value))) throw invalid(field, `must be one of ${givenMediaTypes.join(', ')}`);
  if (value.bytes === 0) throw invalid(field, 'must not be an empty file');
  if (value.bytes > imageBytesMax) throw invalid(field, `must not be larger than ${imageBytesMax} bytes`);
  return 0;
}

function isFile(value: unknown): value is FormFile {
  return isObject(value) && typeof value['open'] === 'function' && typeof value['bytes'] === 'number';
}

function isGivenType(mediaType: string): boolean {
  return givenMediaTypes.some((known) => known === mediaType);
}

/** Returns how much of the body is the image itself. */
function checkReference(field: string, value: unknown): number {
  const { address, id } = referenceParts(value);
  if (id !== undefined && address !== undefined) throw invalid(field, 'must have either `image_url` or `file_id`');
  if (id !== undefined) {
    if (typeof id === 'string' && id !== '' && id.length <= 256) return 0;
    throw invalid(`${field}.file_id`, 'must be the id of a file');
  }
  const place = placeOf({ field, value });
  if (typeof address !== 'string' || address === '') throw invalid(place, 'must be the address of an image');
  return address.slice(0, 5).toLowerCase() === 'data:' ? checkInline(place, address) : checkAddress(place, address);
}

function placeOf({ field, value }: Reference): string {
  return typeof value === 'string' ? field : `${field}.image_url`;
}

/** Besides the documented object: a bare text, and the nesting that the chat format has. */
function referenceParts(value: unknown): { readonly address: unknown; readonly id: unknown } {
  if (!isObject(value)) return { address: value, id: undefined };
  const address = value['image_url'] ?? undefined;
  return { address: isObject(address) ? address['url'] : address, id: value['file_id'] ?? undefined };
}

function checkInline(field: string, address: string): number {
  const inline = readDataAddress(address);
  if (inline === undefined || !isGivenType(inline.mediaType)) {
    throw invalid(field, `must be base64 of one of ${givenMediaTypes.join(', ')}`);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(inline.data)) throw invalid(field, 'must be base64');
  if ((inline.data.length / 4) * 3 > imageBytesMax) {
    throw invalid(field, `must not be larger than ${imageBytesMax} bytes`);
  }
  return address.length;
}

function checkAddress(field: string, address: string): number {
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
  if (!isWeb) throw invalid(field, 'must be an http, https or data address');
  if (address.length > addressCharactersMax) {
    throw invalid(field, `must not have more than ${addressCharactersMax} characters`);
  }
  return 0;
}

function readFile({ value }: Reference): GivenImage | undefined {
  if (!isFile(value)) return undefined;
  const { field, filename, bytes } = value;
  return {
    kind: 'file',
    file: { field, filename, mediaType: mediaTypeOfFile(value), bytes, open: (piece) => value.open(piece) },
  };
}

function readReference(reference: Reference): GivenImage | undefined {
  const { address, id } = referenceParts(reference.value);
  if (typeof id === 'string') return { kind: 'file-id', id };
  if (typeof address !== 'string') return undefined;
  const inline = readDataAddress(address);
  if (inline === undefined) return { kind: 'url', url: address, field: placeOf(reference) };
  return { kind: 'bytes', bytes: new Uint8Array(Buffer.from(inline.data, 'base64')), mediaType: inline.mediaType };
}
