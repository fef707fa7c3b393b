/** Which of a client's images a provider's wire takes as they are, and which must be fetched or read into memory first. */

import type { EditImageRequest, GivenImage } from '../images.ts';
import type { ImageTaking } from './image-wire.ts';
import { editImageWires } from './provider-wires.ts';

const takenKinds: ReadonlyMap<string, ImageTaking> = new Map(editImageWires.map(({ name, takes }) => [name, takes]));

/** An unknown wire gets everything as bytes. */
const bytesOnly: ImageTaking = { kinds: [], mask: true };

/** The images of a request that must become bytes before it is written for this wire. An id of a file cannot. */
export function unreadyImages(request: EditImageRequest, wire: string): readonly GivenImage[] {
  const { kinds, mask } = takenKinds.get(wire) ?? bytesOnly;
  const needed = mask && request.mask !== undefined ? [...request.images, request.mask] : request.images;
  // Files travel in forms and URLs in JSON: beside a URL or an id, a file goes as bytes.
  const isJson = needed.some(({ kind }) => kind === 'url' || kind === 'file-id');
  const taken = kinds.filter((kind) => kind !== 'file' || !isJson);
  return needed.filter(({ kind }) => kind !== 'bytes' && kind !== 'file-id' && !taken.includes(kind));
}

/** The same request with images exchanged for what they became. */
export function withImages(request: EditImageRequest, became: ReadonlyMap<GivenImage, GivenImage>): EditImageRequest {
  const now = (image: GivenImage): GivenImage => became.get(image) ?? image;
  return {
    ...request,
    images: request.images.map(now),
    ...(request.mask !== undefined && { mask: now(request.mask) }),
  };
}
