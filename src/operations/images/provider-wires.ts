/** The wires on which providers are asked for pictures. One name stands for both operations where the wire is the same. */

import type { EditImageRequest, ImageReply, MakeImageRequest } from '../images.ts';
import type { ProviderWire } from '../wire.ts';
import { bflEditsImages, bflMakesImages } from './bfl-image.ts';
import { dreamMachineMakesImages } from './dream-machine-image.ts';
import { falEditsImages, falMakesImages } from './fal-image.ts';
import { geminiEditsImages, geminiMakesImages } from './gemini-generate-image.ts';
import { imagenPredict } from './imagen-predict.ts';
import { lumaEditsImages, lumaMakesImages } from './luma-image.ts';
import { openaiImageEditsProvider } from './openai-image-edits.ts';
import { openaiImagesProvider } from './openai-images.ts';
import { replicateEditsImages, replicateMakesImages } from './replicate-image.ts';
import { stabilityEditsImages, stabilityMakesImages } from './stability-image.ts';

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
