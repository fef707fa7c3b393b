/** Images inside JSON, as bare base64 or as a data URL, and the kind of file that their first bytes show. */

import type { GivenImage, MadeImage } from '../images.ts';

export const givenMediaTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** Base64 of each format's first bytes; the bytes are more reliable than what was requested. */
const beginnings: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
  ['PHN2Zy', 'image/svg+xml'],
];

export function mediaTypeOf(base64: string, otherwise: string): string {
  return beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? otherwise;
}

const dataAddress = /^data:(image\/[a-z0-9.+-]{1,40})(?:;[a-z-]+=[^;,]{1,40})*;base64,/i;

interface InlineImage {
  readonly mediaType: string;
  readonly data: string;
}

export function readDataAddress(address: string): InlineImage | undefined {
  const head = dataAddress.exec(address.slice(0, 200));
  const mediaType = head?.[1]?.toLowerCase();
  if (head === null || mediaType === undefined) return undefined;
  return { mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data: address.slice(head[0].length) };
}

/** Only an image in memory can be written into JSON. */
export function base64Of(image: Extract<GivenImage, { kind: 'bytes' }>): string {
  const { buffer, byteOffset, byteLength } = image.bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** What several providers take in one and the same field: a URL, or the image itself as a data URL. */
export function addressOf(image: GivenImage): string | undefined {
  if (image.kind === 'url') return image.url;
  return image.kind === 'bytes' ? `data:${image.mediaType};base64,${base64Of(image)}` : undefined;
}

/** An image that a provider hands over as a URL, which may be a data URL. */
export function sourceOf(address: string): MadeImage['source'] {
  const inline = readDataAddress(address);
  if (inline === undefined) return { kind: 'url', url: address };
  return { kind: 'base64', data: inline.data, mediaType: mediaTypeOf(inline.data, inline.mediaType) };
}

const endings: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
]);

/** Services recognize a file's kind by its name. */
export function filenameFor(stem: string, mediaType: string): string {
  return `${stem}.${endings.get(mediaType) ?? 'png'}`;
}

/** Some clients send every file as bytes of no kind; then the name decides. */
export function mediaTypeOfFile(file: { readonly mediaType: string; readonly filename: string | undefined }): string {
  const said = (file.mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (said === 'image/jpg') return 'image/jpeg';
  if (said !== '' && said !== 'application/octet-stream') return said;
  const ending = /\.([a-z]+)$/i.exec(file.filename ?? '')?.[1]?.toLowerCase();
  if (ending === 'jpeg') return 'image/jpeg';
  return [...endings].find(([, known]) => known === ending)?.[0] ?? 'application/octet-stream';
}
