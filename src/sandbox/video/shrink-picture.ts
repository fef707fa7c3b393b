/** Makes a given picture so small that a task's id can hold it: whoever answers for the task later has nothing else. */

import { Buffer } from 'node:buffer';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { onWhite } from '../pictures/edits/mask.ts';
import { readPictureFile, writePictureFile } from '../pictures/picture-files.ts';
import { resize, sizeWithin } from '../pictures/raster/resize.ts';
import { filmLimits, type SmallPicture } from './film.ts';

/** Tried one after the other until the file is small enough; the last one is so for any picture. */
const attempts = [
  { side: 128, quality: 60 },
  { side: 96, quality: 40 },
  { side: 64, quality: 30 },
  { side: 32, quality: 10 },
  { side: 16, quality: 1 },
] as const;

const dataAddress = /^data:[^,]{0,200};base64,/i;

/** `address` holds the picture itself; `param` is the field that brought it. */
export async function shrinkPicture(address: string, param: string): Promise<SmallPicture> {
  const [head] = dataAddress.exec(address.slice(0, 300)) ?? [];
  if (head === undefined) {
    throw new GatewayError(
      'field_invalid',
      'The sandbox fetches nothing. Send the picture itself as a data: address in base64.',
      { param },
    );
  }
  const bytes = new Uint8Array(Buffer.from(address.slice(head.length), 'base64'));
  const picture = onWhite(await readPictureFile(bytes, param));
  for (const { side, quality } of attempts) {
    const { width, height } = sizeWithin(picture, {
      width: Math.min(side, picture.width),
      height: Math.min(side, picture.height),
    });
    const small = resize(picture, width, height);
    const file = await writePictureFile(small, { format: 'webp', compression: quality, text: {} });
    if (file.length > filmLimits.pictureBytesMax) continue;
    return { file: new Uint8Array(file), width: picture.width, height: picture.height };
  }
  throw new GatewayError('field_invalid', 'The picture cannot be made small enough.', { param });
}
