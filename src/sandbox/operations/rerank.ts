/** `sandbox-rerank`: scores documents by shared words (BM25) and by similar letters. */

import type { RankedDocument, RerankReply, RerankRequest } from '../../operations/rerank.ts';
import { runAtOnce, type Slices } from '../time-slices.ts';
import { countTokens, firstTokens } from '../tokens.ts';
import { cosine, embedStems } from './embed.ts';
import { comparedCharactersMax, isStopWord, stemOf, wordsOf } from './words.ts';

/** Words decide; letters order equal scores and find misspelled words. */
const wordShare = 0.7;
const similarityShare = 1 - wordShare;
/** The BM25 parameters k1 and b. */
const saturation = 1.2;
const lengthCorrection = 0.75;
const stopWordDamping = 0.05;
/** Wide enough to avoid collisions. */
const similarityDimensions = 1024;
const fieldDepthMax = 16;
const scoreSteps = 1e6;
const embeddedFile = /^data:[^,]{0,200};base64,/;

export function rankDocuments(request: RerankRequest, id: string): RerankReply {
  return runAtOnce(rankInSlices(request, id));
}

export function* rankInSlices(request: RerankRequest, id: string): Slices<RerankReply> {
  const query = wordsOf(request.query).map(stemOf);
  const asked = new Set(query);
  const queryVector = embedStems(query, similarityDimensions);
  const queryTokens = countTokens(request.query);
  let tokens = 0;
  const read: ReadDocument[] = [];
  for (const document of request.documents) {
    const text = textOfDocument(document, request.tokensPerDocumentMax);
    const stems = wordsOf(text).map(stemOf);
    tokens += queryTokens + countTokens(text);
    // A text without words is similar to nothing.
    const comparable = query.length > 0 && stems.length > 0;
    const similarity = comparable ? Math.max(0, cosine(queryVector, embedStems(stems, similarityDimensions))) : 0;
    read.push({ words: stems.length, mentions: countAsked(stems, asked), similarity });
    yield;
  }
  const byWords = scoreWords(asked, read);
  const results = read.map(({ similarity }, index) => ({
    index,
    score: rounded(wordShare * (byWords[index] ?? 0) + similarityShare * similarity),
  }));
  results.sort((left, right) => right.score - left.score || left.index - right.index);
  return {
    id,
    model: request.model,
    results: results.slice(0, request.topN ?? results.length),
    consumption: { searches: 1, tokens: { input: { total: tokens, fresh: tokens }, output: {} } },
  };
}

/** What ranking needs of a document. */
interface ReadDocument {
  readonly words: number;
  /** Counts of the query's words. */
  readonly mentions: ReadonlyMap<string, number>;
  readonly similarity: number;
}

/** Rounded, so that the last bits of a sum do not show. */
function rounded(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * scoreSteps) / scoreSteps;
}

/** Each document's BM25 divided by the highest possible score, so from 0 to 1. */
function scoreWords(asked: ReadonlySet<string>, documents: readonly ReadDocument[]): number[] {
  const lengthMean = documents.reduce((sum, { words }) => sum + words, 0) / Math.max(1, documents.length);
  const having = new Map<string, number>();
  for (const { mentions } of documents) {
    for (const stem of mentions.keys()) having.set(stem, (having.get(stem) ?? 0) + 1);
  }
  const weights = new Map<string, number>();
  let weightSum = 0;
  for (const stem of asked) {
    const weight = rarity(having.get(stem) ?? 0, documents.length);
    const kept = isStopWord(stem) ? weight * stopWordDamping : weight;
    weights.set(stem, kept);
    weightSum += kept;
  }
  return documents.map(({ words, mentions }) => {
    const relativeLength = words / Math.max(1, lengthMean);
    const halfway = saturation * (1 - lengthCorrection + lengthCorrection * relativeLength);
    let sum = 0;
    for (const [stem, count] of mentions) sum += ((weights.get(stem) ?? 0) * count) / (count + halfway);
    return weightSum === 0 ? 0 : sum / weightSum;
  });
}

function countAsked(stems: readonly string[], asked: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) if (asked.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/** The inverse document frequency. */
function rarity(having: number, documents: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}

function textOfDocument(document: RankedDocument, tokensMax: number | undefined): string {
  const text = typeof document === 'string' ? document.slice(0, comparedCharactersMax) : textOfFields(document);
  return tokensMax === undefined ? text : firstTokens(text, tokensMax).text;
}

/** All readable values of the fields, in order, without the names of the fields. */
function textOfFields(document: Readonly<Record<string, unknown>>): string {
  const texts: string[] = [];
  let room = comparedCharactersMax;
  const collect = (value: unknown, depth: number): void => {
    if (room <= 0 || depth > fieldDepthMax) return;
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) collect(inner, depth + 1);
    } else if (typeof value === 'number' || (typeof value === 'string' && !embeddedFile.test(value))) {
      const text = String(value).slice(0, room);
      texts.push(text);
      room -= text.length + 1;
    }
  };
  collect(document, 0);
  return texts.join('\n');
}
