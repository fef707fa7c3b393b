/** Picture files in and out: PNG by this folder's own code, the other kinds by the runtime's, which turn into PNG and out of it. */

import { Buffer } from 'node:buffer';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { onWhite } from './edits/mask.ts';
import { isPng, PngError } from './png/chunks.ts';
import { decodePng, pixelsMax } from './png/decode.ts';
import { encodePng } from './png/encode.ts';
import type { Picture } from './raster/picture.ts';

export const outputFormats = ['png', 'jpeg', 'webp'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The picture is unpacked again at once, so that nothing is gained by packing it well. */
const passingLevel = 1;

/** `param` is the field that brought the file, for the error that names it. */
export async function readPictureFile(bytes: Uint8Array<ArrayBuffer>, param: string): Promise<Picture> {
  try {
    return decodePng(isPng(bytes) ? bytes : await asPng(bytes)).picture;
  } catch (error) {
    if (!(error instanceof PngError)) throw error;
    throw new GatewayError('field_invalid', error.message, { param });
  }
}

async function asPng(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  try {
    return await new Bun.Image(bytes, { maxPixels: pixelsMax }).png({ compressionLevel: passingLevel }).bytes();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') throw new PngError(`The picture has more than ${pixelsMax} pixels.`);
    const known = code === 'ERR_IMAGE_DECODE_FAILED';
    throw new PngError(
      known
        ? 'The picture is damaged or cut short.'
        : 'The file is no picture that the sandbox reads: PNG, JPEG, WebP, GIF or BMP.',
    );
  }
}

export interface FileWishes {
  readonly format: OutputFormat;
  /** 0 is small and poor, 100 large and good; PNG loses nothing and does not ask. */
  readonly compression: number;
  readonly text: Readonly<Record<string, string>>;
}

export async function writePictureFile(picture: Picture, wishes: FileWishes): Promise<Buffer> {
  if (wishes.format === 'png') return Buffer.from(encodePng(picture, { text: wishes.text }).buffer);
  const quality = Math.max(1, wishes.compression);
  if (wishes.format === 'webp')
    return new Bun.Image(encodePng(picture, { level: passingLevel })).webp({ quality }).buffer();
  return new Bun.Image(encodePng(onWhite(picture), { level: passingLevel })).jpeg({ quality }).buffer();
}
