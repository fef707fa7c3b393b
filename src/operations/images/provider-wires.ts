/** The wires of image providers. Both operations have the same name where the wire is the same. */

import type { EditImageWire, MakeImageWire } from './image-wire.ts';
import { bflEditsImages, bflMakesImages } from './wires/bfl-image.ts';
import { dreamMachineMakesImages } from './wires/dream-machine-image.ts';
import { falEditsImages, falMakesImages } from './wires/fal-image.ts';
import { geminiEditsImages, geminiMakesImages } from './wires/gemini-generate-image.ts';
import { imagenPredict } from './wires/imagen-predict.ts';
import { lumaEditsImages, lumaMakesImages } from './wires/luma-image.ts';
import { openaiImageEditsProvider } from './wires/openai-image-edits.ts';
import { openaiImagesProvider } from './wires/openai-images.ts';
import { replicateEditsImages, replicateMakesImages } from './wires/replicate-image.ts';
import { stabilityEditsImages, stabilityMakesImages } from './wires/stability-image.ts';

export const makeImageWires: readonly MakeImageWire[] = [
  openaiImagesProvider,
  geminiMakesImages,
  imagenPredict,
  bflMakesImages,
  replicateMakesImages,
  falMakesImages,
  stabilityMakesImages,
  lumaMakesImages,
  dreamMachineMakesImages,
];

export const editImageWires: readonly EditImageWire[] = [
  openaiImageEditsProvider,
  geminiEditsImages,
  bflEditsImages,
  replicateEditsImages,
  falEditsImages,
  stabilityEditsImages,
  lumaEditsImages,
];
