/** Shrinks an image until a video task's id can hold it. The id is all that another process has of the task. */

import { Buffer } from 'node:buffer';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { onWhite } from './edits/mask.ts';
import { readImageFile, writeImageFile } from './image-files.ts';
import { resize, sizeWithin } from './raster/resize.ts';

export const thumbnailBytesMax = 1_200;

export interface Thumbnail {
  readonly file: Uint8Array<ArrayBuffer>;
  /** The size of the original. */
  readonly width: number;
  readonly height: number;
}

/** Tried in order until the file is small enough; the last one always is. */
const attempts = [
  { side: 128, quality: 60 },
  { side: 96, quality: 40 },
  { side: 64, quality: 30 },
  { side: 32, quality: 10 },
  { side: 16, quality: 1 },
] as const;

const dataUrl = /^data:[^,]{0,200};base64,/i;

export async function makeThumbnail(url: string, param: string): Promise<Thumbnail> {
  const [head] = dataUrl.exec(url.slice(0, 300)) ?? [];
  if (head === undefined) {
    const message = 'The sandbox fetches nothing. Send the image itself as a data: URL in base64.';
    throw new GatewayError('field_invalid', message, { param });
  }
  const bytes = new Uint8Array(Buffer.from(url.slice(head.length), 'base64'));
  const image = onWhite(await readImageFile(bytes, param));
  for (const { side, quality } of attempts) {
    const frame = { width: Math.min(side, image.width), height: Math.min(side, image.height) };
    const { width, height } = sizeWithin(image, frame);
    const file = await writeImageFile(resize(image, width, height), { format: 'webp', compression: quality, text: {} });
    if (file.length > thumbnailBytesMax) continue;
    return { file: new Uint8Array(file), width: image.width, height: image.height };
  }
  throw new GatewayError('field_invalid', 'The image cannot be made small enough.', { param });
}
