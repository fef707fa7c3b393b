/** `sandbox-moderate`: scores English texts by phrases. Images are not judged. */

import {
  type ModeratedPart,
  type ModerateReply,
  type ModerateRequest,
  type ModerationCategory,
  type ModerationResult,
  moderationCategories,
} from '../../operations/moderate.ts';
import { runAtOnce, type Slices } from '../time-slices.ts';
import { countTokens } from '../tokens.ts';
import { PhraseMatcher } from './moderation/phrases.ts';
import { PlainWords } from './moderation/plain-words.ts';
import rules from './moderation/rules.json';
import { slicesOf } from './moderation/slices.ts';

const flaggedFrom = 0.5;

/** A parent category never scores below its child. */
const parents: Readonly<Partial<Record<ModerationCategory, ModerationCategory>>> = {
  'harassment/threatening': 'harassment',
  'hate/threatening': 'hate',
  'illicit/violent': 'illicit',
  'self-harm/intent': 'self-harm',
  'self-harm/instructions': 'self-harm',
  'sexual/minors': 'sexual',
  'violence/graphic': 'violence',
};

type Scores = Record<ModerationCategory, number>;

type Verdicts = readonly (readonly [ModerationCategory, number])[];

/** The data file names classes of words, and phrases with the scores that each gives. */
const matcher = new PhraseMatcher(
  rules.rules.flatMap(({ phrases, scores }) => {
    const meaning = Object.entries(scores) as unknown as Verdicts;
    return phrases.map((source) => ({ source, meaning }));
  }),
  rules.classes,
);
const plainWords = new PlainWords(matcher.vocabulary);

export function moderateInputs(request: ModerateRequest, id: string, model: string): ModerateReply {
  return runAtOnce(moderateInSlices(request, id, model));
}

export function* moderateInSlices(request: ModerateRequest, id: string, model: string): Slices<ModerateReply> {
  let tokens = 0;
  const results: ModerationResult[] = [];
  for (const parts of request.inputs) {
    const text = textOf(parts);
    tokens += countTokens(text);
    const scores: Scores = perCategory(() => 0);
    for (const slice of slicesOf(text)) {
      raiseScores(scores, slice);
      yield;
    }
    results.push(resultOf(scores, parts));
  }
  return { id, model, results, consumption: { tokens: { input: { total: tokens, fresh: tokens }, output: {} } } };
}

function textOf(parts: readonly ModeratedPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Images add nothing to the scores and are not among what was judged. */
function resultOf(scores: Scores, parts: readonly ModeratedPart[]): ModerationResult {
  const judged = parts.some((part) => part.type === 'text') ? (['text'] as const) : [];
  return {
    flagged: moderationCategories.some((category) => scores[category] >= flaggedFrom),
    scores,
    categories: perCategory((category) => scores[category] >= flaggedFrom),
    appliedTo: perCategory(() => judged),
  };
}

/** The highest score counts. Scores do not add up, or every long text would be flagged. */
function raiseScores(scores: Scores, text: string): void {
  matcher.find(plainWords.read(text), (verdicts) => {
    for (const [category, score] of verdicts) {
      scores[category] = Math.max(scores[category], score);
      const parent = parents[category];
      if (parent !== undefined) scores[parent] = Math.max(scores[parent], score);
    }
  });
}

function perCategory<Value>(read: (category: ModerationCategory) => Value): Record<ModerationCategory, Value> {
  return Object.fromEntries(moderationCategories.map((category) => [category, read(category)])) as Record<
    ModerationCategory,
    Value
  >;
}
