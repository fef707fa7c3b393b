/** The bytes of the images of a request: uploads, base64 or data URLs. Nothing is fetched. */

import { Buffer } from 'node:buffer';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EditImageRequest, GivenImage } from '../../operations/images.ts';

const imagesMax = 16;
/** Of one image, and of all images of a request. */
const fileBytesMax = 50 * 1024 * 1024;
const allBytesMax = 128 * 1024 * 1024;

interface InputImages {
  readonly images: readonly Uint8Array<ArrayBuffer>[];
  readonly mask: Uint8Array<ArrayBuffer> | undefined;
}

export async function readInputImages({ images, mask }: EditImageRequest): Promise<InputImages> {
  if (images.length === 0) throw new GatewayError('field_missing', 'An image is needed.', { param: 'image' });
  if (images.length > imagesMax) throw invalid('image', `At most ${imagesMax} images are accepted.`);
  const read: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for (const [index, image] of images.entries()) {
    const bytes = await bytesOf(image, images.length === 1 ? 'image' : `image[${index}]`);
    total += bytes.length;
    if (total > allBytesMax) throw invalid('image', `The images may have ${allBytesMax} bytes together.`);
    read.push(bytes);
  }
  return { images: read, mask: mask === undefined ? undefined : await bytesOf(mask, 'mask') };
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('field_invalid', message, { param });
}

async function bytesOf(image: GivenImage, param: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await openGiven(image, param);
  if (bytes.length === 0) throw invalid(param, 'The image is empty.');
  if (bytes.length > fileBytesMax) throw tooLarge(param);
  return bytes;
}

const dataUrl = /^data:[^,]{0,200};base64,/i;

async function openGiven(image: GivenImage, param: string): Promise<Uint8Array<ArrayBuffer>> {
  switch (image.kind) {
    case 'bytes':
      return image.bytes;
    case 'file':
      return collect(image.file.open(), param);
    case 'file-id':
      throw invalid(param, 'The sandbox keeps no files. Send the image itself.');
    case 'url': {
      const [head] = dataUrl.exec(image.url) ?? [];
      if (head !== undefined) return new Uint8Array(Buffer.from(image.url.slice(head.length), 'base64'));
      throw invalid(param, 'The sandbox fetches nothing. Send the image itself, or as a data: URL in base64.');
    }
  }
}

async function collect(content: AsyncIterable<Uint8Array>, param: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > fileBytesMax) throw tooLarge(param);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

function tooLarge(param: string): GatewayError {
  return invalid(param, `An image may have ${fileBytesMax} bytes.`);
}
