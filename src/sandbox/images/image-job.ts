/** One image from the request to the file: pure work, done by the image thread. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { drawScene } from './draw.ts';
import { type Edited, editBitmap } from './edit.ts';
import { type OutputFormat, readImageFile, writeImageFile } from './image-files.ts';
import { type ImageSize, sizeAllowed } from './image-options.ts';
import type { Bitmap } from './raster/bitmap.ts';
import { fitInto, resize } from './raster/resize.ts';
import { describeScene } from './scene/describe-scene.ts';
import { readScene } from './scene/read-scene.ts';
import { makeThumbnail, type Thumbnail } from './thumbnail.ts';

interface JobOptions {
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly seed: number;
  readonly transparent: boolean;
  readonly format: OutputFormat;
  readonly compression: number;
  /** 1 is the final image; a draft is drawn this many times smaller and enlarged. */
  readonly coarseness: number;
}

export type ImageJob =
  | (JobOptions & { readonly kind: 'draw'; readonly size: ImageSize })
  | (JobOptions & {
      readonly kind: 'edit';
      readonly size: ImageSize | undefined;
      readonly images: readonly Uint8Array<ArrayBuffer>[];
      readonly mask: Uint8Array<ArrayBuffer> | undefined;
    });

export interface ThumbnailJob {
  readonly kind: 'thumbnail';
  readonly url: string;
  readonly param: string;
}

export interface ImageResult {
  readonly data: string;
  readonly width: number;
  readonly height: number;
  readonly description: string;
}

export const software = 'made by the Weir sandbox';

export async function runImageJob(job: ImageJob | ThumbnailJob): Promise<ImageResult | Thumbnail> {
  if (job.kind === 'thumbnail') return makeThumbnail(job.url, job.param);
  const { bitmap, description } = job.kind === 'draw' ? draw(job) : await edit(job);
  const text = { Software: software, Description: description, prompt: job.prompt, seed: String(job.seed) };
  const file = await writeImageFile(bitmap, { format: job.format, compression: job.compression, text });
  return { data: file.toString('base64'), width: bitmap.width, height: bitmap.height, description };
}

function draw(job: Extract<ImageJob, { kind: 'draw' }>): Edited {
  const scene = readScene(job.prompt, { negativePrompt: job.negativePrompt });
  const drawn = drawScene(scene, {
    ...coarser(job.size, job.coarseness),
    seed: job.seed,
    transparent: job.transparent,
    caption: job.coarseness === 1,
  });
  return { bitmap: resize(drawn, job.size.width, job.size.height), description: describeScene(scene) };
}

function coarser({ width, height }: ImageSize, coarseness: number): ImageSize {
  return { width: Math.max(1, Math.round(width / coarseness)), height: Math.max(1, Math.round(height / coarseness)) };
}

/** Images are decoded one by one and made no larger than any result, so that sixteen large ones fit into memory. */
async function edit(job: Extract<ImageJob, { kind: 'edit' }>): Promise<Edited> {
  const images: Bitmap[] = [];
  let mask: Bitmap | undefined;
  let natural: ImageSize | undefined;
  for (const [index, bytes] of job.images.entries()) {
    const image = await readImageFile(bytes, job.images.length === 1 ? 'image' : `image[${index}]`);
    const size = sizeAllowed(image);
    const { width, height } = coarser(size, job.coarseness);
    if (index === 0 && job.mask !== undefined) mask = resize(await readMask(job.mask, image), width, height);
    natural ??= size;
    images.push(resize(image, width, height));
  }
  const { bitmap, description } = editBitmap({ ...job, images, mask });
  return { bitmap: fitInto(bitmap, job.size ?? finalSize(bitmap, natural, job.coarseness)), description };
}

/** A draft has the size of the final image. */
function finalSize(made: ImageSize, natural: ImageSize | undefined, coarseness: number): ImageSize {
  if (coarseness === 1) return sizeAllowed(made);
  const first = natural && coarser(natural, coarseness);
  if (first?.width === made.width && first.height === made.height) return natural ?? made;
  return sizeAllowed({ width: made.width * coarseness, height: made.height * coarseness });
}

async function readMask(bytes: Uint8Array<ArrayBuffer>, image: ImageSize): Promise<Bitmap> {
  const mask = await readImageFile(bytes, 'mask');
  if (mask.width === image.width && mask.height === image.height) return mask;
  throw new GatewayError(
    'field_invalid',
    `The mask must be as large as the image: it is ${mask.width}x${mask.height}, the image ${image.width}x${image.height}.`,
    { param: 'mask' },
  );
}
