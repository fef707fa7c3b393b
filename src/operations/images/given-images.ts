/** Which of a caller's pictures a provider's wire can take as they are, and which must be fetched or read into memory first. */

import type { EditImageRequest, GivenImage } from '../images.ts';

interface Taking {
  /** Besides bytes in memory, which every wire takes. */
  readonly kinds: readonly GivenImage['kind'][];
  readonly mask: boolean;
}

const takings: ReadonlyMap<string, Taking> = new Map<string, Taking>([
  ['openai-image-edits', { kinds: ['file', 'url', 'file-id'], mask: true }],
  ['gemini-generate-image', { kinds: [], mask: false }],
  ['bfl-image', { kinds: ['url'], mask: false }],
  ['replicate-image', { kinds: ['url'], mask: false }],
  ['fal-image', { kinds: ['url'], mask: false }],
  ['stability-image', { kinds: ['file'], mask: true }],
  ['luma-image', { kinds: ['url'], mask: false }],
]);

/** What is not listed gets everything as bytes. */
const bytesOnly: Taking = { kinds: [], mask: true };

/** Must addresses be fetched for this wire? */
export function wantsBytes(wire: string): boolean {
  return !(takings.get(wire) ?? bytesOnly).kinds.includes('url');
}

/** The pictures of a request that must become bytes before it is written for this wire. An id of a file cannot. */
export function unreadyImages(request: EditImageRequest, wire: string): readonly GivenImage[] {
  const { kinds, mask } = takings.get(wire) ?? bytesOnly;
  const needed = mask && request.mask !== undefined ? [...request.images, request.mask] : request.images;
  // Files travel in forms and addresses in JSON: beside an address or an id, a file goes as bytes.
  const isJson = needed.some(({ kind }) => kind === 'url' || kind === 'file-id');
  const taken = kinds.filter((kind) => kind !== 'file' || !isJson);
  return needed.filter(({ kind }) => kind !== 'bytes' && kind !== 'file-id' && !taken.includes(kind));
}

/** The same request with pictures exchanged for what they became. */
export function withImages(request: EditImageRequest, became: ReadonlyMap<GivenImage, GivenImage>): EditImageRequest {
  const now = (image: GivenImage): GivenImage => became.get(image) ?? image;
  return {
    ...request,
    images: request.images.map(now),
    ...(request.mask !== undefined && { mask: now(request.mask) }),
  };
}
