/** The wires on which providers are asked for pictures. One name stands for both operations where the wire is the same. */

import type { EditImageRequest, ImageReply, MakeImageRequest } from '../images.ts';
import type { ProviderWire } from '../wire.ts';
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

export type ImageProviderWire = ProviderWire<MakeImageRequest, ImageReply> | ProviderWire<EditImageRequest, ImageReply>;

export const makeImageWires: readonly ProviderWire<MakeImageRequest, ImageReply>[] = [
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

export const editImageWires: readonly ProviderWire<EditImageRequest, ImageReply>[] = [
  openaiImageEditsProvider,
  geminiEditsImages,
  bflEditsImages,
  replicateEditsImages,
  falEditsImages,
  stabilityEditsImages,
  lumaEditsImages,
];

export const imageProviderWires: readonly ImageProviderWire[] = [...makeImageWires, ...editImageWires];
