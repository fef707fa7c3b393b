/** Checks the options of an image request. Errors name the field. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { MakeImageRequest } from '../../operations/images.ts';
import { type OutputFormat, outputFormats } from './image-files.ts';

const sideMin = 16;
const sideMax = 2048;
const countMax = 10;
const partialsMax = 3;
const promptCharactersMax = 32_000;
const defaultCompression = 100;
const defaultSide = 1024;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface ImageOptions {
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly count: number;
  /** Absent where the request leaves it open. */
  readonly size: ImageSize | undefined;
  readonly seed: number;
  readonly transparent: boolean;
  readonly format: OutputFormat;
  readonly compression: number;
  readonly partials: number;
}

export const defaultSize: ImageSize = { width: defaultSide, height: defaultSide };

export function readImageOptions(request: MakeImageRequest): ImageOptions {
  if (request.prompt.trim() === '') throw new GatewayError('field_missing', 'A prompt is needed.', { param: 'prompt' });
  if (request.prompt.length > promptCharactersMax) {
    throw invalid('prompt', `The prompt may have ${promptCharactersMax} characters; it has ${request.prompt.length}.`);
  }
  const format = formatOf(request.outputFormat);
  const transparent = request.background === 'transparent';
  if (transparent && format === 'jpeg') {
    throw invalid('background', 'A JPEG cannot be transparent. Ask for output_format png or webp.');
  }
  return {
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    count: whole('n', request.count, 1, countMax),
    size: readSize(request.size),
    seed: request.seed === undefined ? 0 : whole('seed', request.seed, 0, Number.MAX_SAFE_INTEGER - countMax),
    transparent,
    format,
    compression: whole('output_compression', request.outputCompression ?? defaultCompression, 0, 100),
    partials: whole('partial_images', request.partialImages ?? 0, 0, partialsMax),
  };
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('field_invalid', message, { param });
}

function whole(param: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(param, `${param} must be a whole number from ${least} to ${most}.`);
}

export function readSize(size: string | undefined): ImageSize | undefined {
  if (size === undefined || size === 'auto') return undefined;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const within = (side: number): boolean => side >= sideMin && side <= sideMax;
  if (!within(Number(width)) || !within(Number(height))) {
    throw invalid(
      'size',
      `The size must be "auto" or WIDTHxHEIGHT with sides from ${sideMin} to ${sideMax}, for example 1024x1024.`,
    );
  }
  return { width: Number(width), height: Number(height) };
}

/** The size of a result where none is asked for: the input's own, within the limits. */
export function sizeAllowed({ width, height }: ImageSize): ImageSize {
  const shrink = Math.min(1, sideMax / Math.max(width, height));
  const side = (length: number): number => Math.max(sideMin, Math.round(length * shrink));
  return { width: side(width), height: side(height) };
}

function formatOf(asked: string | undefined): OutputFormat {
  const name = asked === 'jpg' ? 'jpeg' : (asked ?? 'png');
  const known = outputFormats.find((format) => format === name);
  if (known !== undefined) return known;
  throw invalid(
    'output_format',
    `The sandbox makes ${outputFormats.join(', ')}; "${name.slice(0, 40)}" is none of them.`,
  );
}
