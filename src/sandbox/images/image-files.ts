/** Reads and writes image files: PNG is written here, all other conversion is the runtime's. */

import { Buffer } from 'node:buffer';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { onWhite } from './edits/mask.ts';
import { decodePng, encodePng } from './png.ts';
import type { Bitmap } from './raster/bitmap.ts';

export const outputFormats = ['png', 'jpeg', 'webp'] as const;

export type OutputFormat = (typeof outputFormats)[number];

const pixelsMax = 16 * 1024 * 1024;
/** For files that are decoded again at once. */
const fastLevel = 1;

/** `param` is the field of the request, for the error. */
export async function readImageFile(bytes: Uint8Array<ArrayBuffer>, param: string): Promise<Bitmap> {
  try {
    return decodePng(await new Bun.Image(bytes, { maxPixels: pixelsMax }).png({ compressionLevel: fastLevel }).bytes());
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw new GatewayError('field_invalid', messageOf(code), { param });
  }
}

function messageOf(code: unknown): string {
  if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') return `The image has more than ${pixelsMax} pixels.`;
  if (code === 'ERR_IMAGE_DECODE_FAILED') return 'The image is damaged or truncated.';
  return 'The file is not an image that the sandbox reads: PNG, JPEG, WebP, GIF or BMP.';
}

interface FileOptions {
  readonly format: OutputFormat;
  /** The quality from 0 to 100; PNG is lossless. */
  readonly compression: number;
  readonly text: Readonly<Record<string, string>>;
}

export async function writeImageFile(bitmap: Bitmap, { format, compression, text }: FileOptions): Promise<Buffer> {
  if (format === 'png') return Buffer.from(encodePng(bitmap, { text }).buffer);
  const quality = Math.max(1, compression);
  if (format === 'webp') return new Bun.Image(encodePng(bitmap, { level: fastLevel })).webp({ quality }).buffer();
  return new Bun.Image(encodePng(onWhite(bitmap), { level: fastLevel })).jpeg({ quality }).buffer();
}
