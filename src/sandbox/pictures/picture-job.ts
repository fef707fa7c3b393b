/** One picture from its order to its file: pure work, which the thread does and a test can do without one. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { drawScene } from './draw.ts';
import { type Edited, editPicture } from './edit.ts';
import { type OutputFormat, readPictureFile, writePictureFile } from './picture-files.ts';
import { type PictureSize, sizeAllowed } from './picture-wishes.ts';
import type { Picture } from './raster/picture.ts';
import { fitInto, resize } from './raster/resize.ts';
import { describeScene } from './scene/describe-scene.ts';
import { readScene } from './scene/read-scene.ts';

interface JobTerms {
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly seed: number;
  readonly transparent: boolean;
  readonly format: OutputFormat;
  readonly compression: number;
  /** 1 is the finished picture; a draft is made this many times smaller and enlarged again. */
  readonly coarseness: number;
}

export type PictureJob =
  | (JobTerms & { readonly kind: 'draw'; readonly size: PictureSize })
  | (JobTerms & {
      readonly kind: 'edit';
      readonly size: PictureSize | undefined;
      readonly images: readonly Uint8Array<ArrayBuffer>[];
      readonly mask: Uint8Array<ArrayBuffer> | undefined;
    });

export interface MadePicture {
  readonly data: string;
  readonly width: number;
  readonly height: number;
  readonly description: string;
}

export const maker = 'made by the Weir sandbox';

export async function doPictureJob(job: PictureJob): Promise<MadePicture> {
  const { picture, description } = job.kind === 'draw' ? draw(job) : await edit(job);
  const text = { Software: maker, Description: description, prompt: job.prompt, seed: String(job.seed) };
  const file = await writePictureFile(picture, { format: job.format, compression: job.compression, text });
  return { data: file.toString('base64'), width: picture.width, height: picture.height, description };
}

function draw(job: Extract<PictureJob, { kind: 'draw' }>): Edited {
  const scene = readScene(job.prompt, { negativePrompt: job.negativePrompt });
  const { width, height } = job.size;
  const drawn = drawScene(scene, {
    ...coarser(job.size, job.coarseness),
    seed: job.seed,
    transparent: job.transparent,
    // A draft's letters would only be a smear.
    caption: job.coarseness === 1,
  });
  return { picture: resize(drawn, width, height), description: describeScene(scene) };
}

function coarser({ width, height }: PictureSize, coarseness: number): PictureSize {
  return { width: Math.max(1, Math.round(width / coarseness)), height: Math.max(1, Math.round(height / coarseness)) };
}

/** Pictures are read one after the other and made no larger than any result, so that sixteen large ones fit into the memory. */
async function edit(job: Extract<PictureJob, { kind: 'edit' }>): Promise<Edited> {
  const images: Picture[] = [];
  let mask: Picture | undefined;
  let natural: PictureSize | undefined;
  for (const [index, bytes] of job.images.entries()) {
    const image = await readPictureFile(bytes, job.images.length === 1 ? 'image' : `image[${index}]`);
    const size = sizeAllowed(image);
    const worked = coarser(size, job.coarseness);
    if (index === 0 && job.mask !== undefined) mask = resized(await readMask(job.mask, image), worked);
    natural ??= size;
    images.push(resized(image, worked));
  }
  const edited = editPicture({ ...job, images, mask });
  return {
    ...edited,
    picture: fitInto(edited.picture, job.size ?? finalSize(edited.picture, natural, job.coarseness)),
  };
}

const resized = (picture: Picture, { width, height }: PictureSize): Picture => resize(picture, width, height);

/** A draft has the size that the finished picture will have. */
function finalSize(made: PictureSize, natural: PictureSize | undefined, coarseness: number): PictureSize {
  if (coarseness === 1) return sizeAllowed(made);
  const first = natural && coarser(natural, coarseness);
  if (first?.width === made.width && first.height === made.height) return natural ?? made;
  return sizeAllowed({ width: made.width * coarseness, height: made.height * coarseness });
}

async function readMask(bytes: Uint8Array<ArrayBuffer>, image: PictureSize): Promise<Picture> {
  const mask = await readPictureFile(bytes, 'mask');
  if (mask.width === image.width && mask.height === image.height) return mask;
  throw new GatewayError(
    'field_invalid',
    `The mask must be as large as the picture: it is ${mask.width}x${mask.height}, the picture ${image.width}x${image.height}.`,
    { param: 'mask' },
  );
}
