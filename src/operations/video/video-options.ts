/** Options of a video against what a provider's wire offers: the nearest choice is made, and each difference is a loss. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import { addressOf } from '../images/inline-images.ts';
import type { GivenMedium, MakeVideoRequest } from '../video.ts';

type Option = Exclude<keyof MakeVideoRequest, 'model' | 'prompt' | 'extras'>;

/** The field as callers write it. Width and height are one option: one of them implies both. */
const options: readonly (readonly [Option, string])[] = [
  ['images', 'images'],
  ['lastFrame', 'last_frame'],
  ['video', 'video'],
  ['seconds', 'seconds'],
  ['width', 'size'],
  ['height', 'size'],
  ['aspectRatio', 'aspect_ratio'],
  ['fps', 'fps'],
  ['seed', 'seed'],
  ['count', 'n'],
  ['negativePrompt', 'negative_prompt'],
];

/** `written` are the options that the wire carried, or about which it has reported itself. */
export function reportUnsupportedVideo(request: MakeVideoRequest, written: readonly Option[], losses: LossList): void {
  for (const [option, field] of options) {
    if (written.includes(option) || isNoOption(request, option)) continue;
    losses.addOnce(field, 'has no counterpart at this provider');
  }
}

function isNoOption(request: MakeVideoRequest, option: Option): boolean {
  if (option === 'images') return request.images.length === 0;
  return option === 'count' ? request.count <= 1 : request[option] === undefined;
}

/** `16:9` as the caller wrote it, else its size reduced; undefined leaves the shape to the model. */
export function aspectRatioOf(request: MakeVideoRequest): string | undefined {
  const { aspectRatio, width, height } = request;
  if (aspectRatio !== undefined) return aspectRatio;
  if (width === undefined || height === undefined) return undefined;
  const divisor = greatestCommonDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function greatestCommonDivisor(first: number, second: number): number {
  return second === 0 ? first : greatestCommonDivisor(second, first % second);
}

export type Resolution = '360p' | '480p' | '512p' | '540p' | '720p' | '768p' | '1080p' | '1440p' | '2160p';
const usualResolutions: readonly Resolution[] = ['480p', '720p', '1080p'];

/** The resolution whose shorter side is nearest to the asked one's; undefined where no size was asked for. */
export function resolutionOf(
  request: MakeVideoRequest,
  allowed: readonly Resolution[] = usualResolutions,
): Resolution | undefined {
  const shorter = shorterSideOf(request);
  return shorter === undefined ? undefined : closest(allowed, linesOf, shorter);
}

/** What providers call `720p`: how many pixels the shorter side has. */
function linesOf(resolution: string): number {
  return Number.parseInt(resolution, 10);
}

function shorterSideOf({ width, height }: MakeVideoRequest): number | undefined {
  const shorter = Math.min(width ?? Number.POSITIVE_INFINITY, height ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(shorter) ? shorter : undefined;
}

interface VideoShape {
  readonly ratio: string | undefined;
  readonly resolution: Resolution | undefined;
}

/** For wires that name a ratio and a resolution apart; without any to choose from, that part stays with the model. */
export function nearestShape(
  request: MakeVideoRequest,
  ratios: readonly string[],
  resolutions: readonly Resolution[],
  losses: LossList,
): VideoShape {
  const wanted = aspectRatioOf(request);
  const ratio = wanted === undefined ? undefined : nearestRatio(wanted, ratios);
  const resolution = resolutionOf(request, resolutions);
  const made = [ratio, resolution].filter(Boolean).join(' ') || 'the model chooses';
  const { width, height, aspectRatio } = request;
  if (width !== undefined || height !== undefined) {
    if (!isExact(request, ratio, resolution)) losses.add('size', `${width ?? '?'}x${height ?? '?'} is made as ${made}`);
  } else if (aspectRatio !== undefined && !isSameRatio(aspectRatio, ratio)) {
    losses.add('aspect_ratio', `${aspectRatio} is made as ${made}`);
  }
  return { ratio, resolution };
}

/** The sides of a ratio and a resolution are whole pixels, so one of them may be rounded. */
function isExact(
  { width, height }: MakeVideoRequest,
  ratio: string | undefined,
  resolution: Resolution | undefined,
): boolean {
  if (width === undefined || height === undefined || ratio === undefined || resolution === undefined) return false;
  const [shorter, longer] = width < height ? [width, height] : [height, width];
  const wanted = quotient(ratio);
  const isSameWay = wanted >= 1 === width >= height;
  return isSameWay && shorter === linesOf(resolution) && Math.abs(longer - shorter * Math.max(wanted, 1 / wanted)) <= 1;
}

/** Models make `4:3` of 1104 by 832 pixels: what they call a shape is near it. */
function isSameRatio(wanted: string, ratio: string | undefined): boolean {
  return ratio !== undefined && Math.abs(Math.log(quotient(wanted) / quotient(ratio))) < 0.03;
}

/** The shape nearest to `16:9` or `1280x720`; undefined where there is none to choose from or the text is none. */
function nearestRatio(wanted: string, ratios: readonly string[]): string | undefined {
  const asked = Math.log(quotient(wanted));
  return Number.isFinite(asked) ? closest(ratios, (ratio) => Math.log(quotient(ratio)), asked) : undefined;
}

/** Of `16:9`, `16x9` and `1280:720` alike. */
export function quotient(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(/[:x]/).map(Number);
  return width / height;
}

/** For wires that name whole sizes (`1280x720`, `1280:720`): the one of the nearest shape, and of those the nearest in pixels. */
export function nearestSize(request: MakeVideoRequest, sizes: readonly string[], losses: LossList): string | undefined {
  const wanted = aspectRatioOf(request);
  const shorter = shorterSideOf(request);
  if (wanted === undefined && shorter === undefined) return undefined;
  const shape = nearestRatio(wanted ?? '16:9', sizes);
  const alike = sizes.filter((size) => shape !== undefined && isSameRatio(shape, size));
  const size = shorter === undefined ? alike[0] : closest(alike, shorterSideOfSize, shorter);
  const { width, height, aspectRatio } = request;
  if (shorter === undefined) {
    if (!isSameRatio(wanted ?? '', size)) losses.add('aspect_ratio', `${wanted} is made as ${size ?? 'usual'}`);
  } else if (size?.replace(':', 'x') !== `${width}x${height}`) {
    losses.add('size', `${width ?? '?'}x${height ?? '?'} is made as ${size ?? 'usual'}`);
  }
  if (shorter !== undefined && aspectRatio !== undefined && !isSameRatio(aspectRatio, size)) {
    losses.add('aspect_ratio', `${aspectRatio} is made as ${size ?? 'usual'}`);
  }
  return size;
}

function shorterSideOfSize(size: string): number {
  return Math.min(...size.split(/[:x]/).map(Number));
}

/** The nearest number that the provider takes, the greater of two as near; one that is not the asked one is a loss. */
export function nearest(
  value: number | undefined,
  allowed: readonly number[],
  field: string,
  losses: LossList,
): number | undefined {
  if (value === undefined) return undefined;
  const chosen = closest(allowed, Number, value);
  if (chosen !== value) losses.add(field, `${value} is made as ${chosen ?? 'usual'}`);
  return chosen;
}

/** The same where every whole number between two bounds will do. */
export function wholeWithin(
  value: number | undefined,
  least: number,
  most: number,
  field: string,
  losses: LossList,
): number | undefined {
  if (value === undefined) return undefined;
  const chosen = Math.min(most, Math.max(least, Math.ceil(value)));
  if (chosen !== value) losses.add(field, `${value} is made as ${chosen}`);
  return chosen;
}

/** Of two as near the later one, which tables name the greater. */
function closest<Choice>(
  choices: readonly Choice[],
  measure: (choice: Choice) => number,
  wanted: number,
): Choice | undefined {
  const [first, ...others] = choices;
  if (first === undefined) return undefined;
  const distance = (choice: Choice): number => Math.abs(measure(choice) - wanted);
  return others.reduce((best, choice) => (distance(choice) <= distance(best) ? choice : best), first);
}

/** How long and how many, under every name that some provider knows, without underscores and in lower case. */
const paidFields: ReadonlySet<string> = new Set([
  ...['duration', 'durationseconds', 'seconds', 'length', 'videolength', 'numframes', 'frames', 'framecount'],
  ...['n', 'numvideos', 'numberofvideos', 'videocount', 'numoutputs', 'numsamples', 'samplecount', 'batchsize'],
]);

/**
 * Fields for this provider alone, without those that the wire writes itself: how long, how many and which model
 * were checked and paid for under their own names, and cannot be changed by another field.
 */
export function takenExtras(extras: Tree, written: readonly string[], losses: LossList): Tree {
  const taken = Object.entries(extras).filter(([field]) => {
    if (!written.includes(field) && !paidFields.has(field.toLowerCase().replaceAll(/[_-]/g, ''))) return true;
    losses.add(field, 'is set by a field of the request itself');
    return false;
  });
  return Object.fromEntries(taken);
}

/** A medium's URL, or the medium itself as a data URL, for wires that take both in one field. */
export function mediumAddress(medium: GivenMedium, field: string, losses: LossList): string | undefined {
  const address = addressOf(medium);
  if (address === undefined) losses.add(field, 'is a file, which does not fit into JSON');
  return address;
}

/** The images beyond those that a model takes, each by its place. */
export function reportFurtherImages({ images }: MakeVideoRequest, most: number, losses: LossList): void {
  for (let index = most; index < images.length; index++) losses.add(`images[${index}]`, 'the model cannot take it');
}
