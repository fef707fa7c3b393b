/** `sandbox-embed`: vectors whose angles tell how many words and letter groups two texts share, without any weights learnt. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EmbedReply, EmbedRequest } from '../../operations/embed.ts';
import { runAtOnce, type Slices } from '../time-slices.ts';
import { countTokens } from '../tokens.ts';
import { isStructureWord, stemOf, wordsOf } from './words.ts';

export const dimensionsDefault = 256;
export const dimensionsMax = 3072;
/** As with texts: what lies behind is not compared. */
const comparedTokensMax = 8192;

/** How much each kind of feature says; a word's letter groups share one weight among them. */
const wordWeight = 1;
const pairWeight = 0.45;
const lettersWeight = 0.65;
const structureDamping = 0.12;
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

/** The ids are not decoded: which tokenizer made them is not known, and equal texts have equal ids all the same. */
function embedTokens(ids: readonly number[], dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  const names = ids.slice(0, comparedTokensMax).map((id) => `#${id}`);
  for (const [name, count] of countEach(names)) addFeature(sums, hashText(name, wordSeed), wordWeight * damped(count));
  addPairs(sums, names);
  return normalised(sums);
}

/** For callers that need the words themselves too. */
export function embedStems(stems: readonly string[], dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const [stem, count] of countEach(stems)) {
    const weight = damped(count) * (isStructureWord(stem) ? structureDamping : 1);
    addFeature(sums, hashText(stem, wordSeed), wordWeight * weight);
    addLetterGroups(sums, stem, lettersWeight * weight);
  }
  addPairs(
    sums,
    stems.filter((stem) => !isStructureWord(stem)),
  );
  return normalised(sums);
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The tenth mention of a word says less than the first. */
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

/** Groups know whether they begin or end a word, since beginnings carry the meaning. */
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

/** FNV-1a over the code units, without cutting the text. */
function hashRange(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The sign makes features that meet in one place cancel out on average instead of adding up to a likeness. */
function addFeature(sums: Float64Array, hash: number, weight: number): void {
  const mixed = mixBits(hash);
  const place = (mixed >>> 1) % sums.length;
  sums[place] = (sums[place] ?? 0) + (mixed & 1 ? weight : -weight);
}

/** FNV's low bits are weak, and a place is taken from them. */
function mixBits(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A text without a word still gets a direction, since stores of vectors refuse one of no length. */
function normalised(sums: Float64Array): Float32Array {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  const vector = new Float32Array(sums.length);
  if (squares < 1e-18) vector[0] = 1;
  else for (let at = 0; at < sums.length; at++) vector[at] = (sums[at] ?? 0) / Math.sqrt(squares);
  return vector;
}

/** Of two vectors of length one. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}
