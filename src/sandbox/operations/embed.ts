/** `sandbox-embed`: hashed vectors of words and letter groups. Their cosine measures how much two texts share. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EmbedReply, EmbedRequest } from '../../operations/embed.ts';
import { runAtOnce, type Slices } from '../time-slices.ts';
import { countTokens } from '../tokens.ts';
import { isStopWord, stemOf, wordsOf } from './words.ts';

export const dimensionsDefault = 256;
export const dimensionsMax = 3072;
/** The rest of a longer input is not compared. */
const comparedTokensMax = 8192;

/** The weights of the features; the letter groups of a word share one weight. */
const wordWeight = 1;
const pairWeight = 0.45;
const lettersWeight = 0.65;
const stopWordDamping = 0.12;
const letterGroupLengths = [3, 4] as const;

export function embedTexts(request: EmbedRequest): EmbedReply {
  return runAtOnce(embedInSlices(request));
}

export function* embedInSlices(request: EmbedRequest): Slices<EmbedReply> {
  const dimensions = readDimensions(request.dimensions);
  let tokens = 0;
  const vectors: Float32Array[] = [];
  for (const input of request.inputs) {
    if (typeof input !== 'string') {
      tokens += input.length;
      vectors.push(embedTokens(input, dimensions));
    } else {
      const text = request.title === undefined ? input : `${request.title}\n${input}`;
      tokens += countTokens(text);
      vectors.push(embedText(text, dimensions));
    }
    yield;
  }
  return {
    model: request.model,
    vectors,
    consumption: { tokens: { input: { total: tokens, fresh: tokens }, output: {} } },
  };
}

function readDimensions(asked: number | undefined): number {
  const dimensions = asked ?? dimensionsDefault;
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= dimensionsMax) return dimensions;
  const message = `'dimensions' must be a whole number from 1 to ${dimensionsMax}.`;
  throw new GatewayError('field_invalid', message, { param: 'dimensions' });
}

export function embedText(text: string, dimensions = dimensionsDefault): Float32Array {
  return embedStems(wordsOf(text).map(stemOf), dimensions);
}

/** The ids are not decoded, since the tokenizer is unknown. Equal texts have equal ids. */
function embedTokens(ids: readonly number[], dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  const names = ids.slice(0, comparedTokensMax).map((id) => `#${id}`);
  for (const [name, count] of countEach(names)) addFeature(sums, hashText(name, wordSeed), wordWeight * damped(count));
  addPairs(sums, names);
  return normalized(sums);
}

/** For callers that have the words already. */
export function embedStems(stems: readonly string[], dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const [stem, count] of countEach(stems)) {
    const weight = damped(count) * (isStopWord(stem) ? stopWordDamping : 1);
    addFeature(sums, hashText(stem, wordSeed), wordWeight * weight);
    addLetterGroups(sums, stem, lettersWeight * weight);
  }
  addPairs(
    sums,
    stems.filter((stem) => !isStopWord(stem)),
  );
  return normalized(sums);
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Repeated words count less. */
function damped(count: number): number {
  return 1 + Math.log(count);
}

function addPairs(sums: Float64Array, names: readonly string[]): void {
  const counts = new Map<number, number>();
  for (let at = 1; at < names.length; at++) {
    const hash = hashText(names[at] ?? '', hashText(names[at - 1] ?? '', pairSeed));
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  for (const [hash, count] of counts) addFeature(sums, hash, pairWeight * damped(count));
}

/** Groups are marked at the beginning and the end of a word. */
function addLetterGroups(sums: Float64Array, word: string, weight: number): void {
  const framed = `<${word}>`;
  let groups = 0;
  for (const length of letterGroupLengths) groups += Math.max(0, framed.length - length + 1);
  const share = weight / Math.sqrt(Math.max(1, groups));
  for (const length of letterGroupLengths) {
    for (let start = 0; start + length <= framed.length; start++) {
      addFeature(sums, hashRange(framed, start, start + length, lettersSeed), share);
    }
  }
}

const wordSeed = 0x811c9dc5;
const pairSeed = 0x2f0b4a37;
const lettersSeed = 0x6c62272e;

function hashText(text: string, seed: number): number {
  return hashRange(text, 0, text.length, seed);
}

/** FNV-1a over the code units of a range. */
function hashRange(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The sign makes collisions cancel out on average. */
function addFeature(sums: Float64Array, hash: number, weight: number): void {
  const mixed = mixBits(hash);
  const place = (mixed >>> 1) % sums.length;
  sums[place] = (sums[place] ?? 0) + (mixed & 1 ? weight : -weight);
}

/** FNV's low bits are weak, so they are mixed. */
function mixBits(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A text without words gets a unit vector, since vector stores refuse zero vectors. */
function normalized(sums: Float64Array): Float32Array {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  const vector = new Float32Array(sums.length);
  if (squares < 1e-18) vector[0] = 1;
  else for (let at = 0; at < sums.length; at++) vector[at] = (sums[at] ?? 0) / Math.sqrt(squares);
  return vector;
}

/** Of two unit vectors. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}
