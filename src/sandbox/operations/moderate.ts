/** `sandbox-moderate`: judges English texts by what they say in so many words. It looks at no picture and understands no hint. */

import {
  type ModeratedPart,
  type ModerateReply,
  type ModerateRequest,
  type ModerationCategory,
  type ModerationResult,
  moderationCategories,
} from '../../operations/moderate.ts';
import { countPieces } from '../pieces.ts';
import { atOnce, type Turns } from '../turns.ts';
import { PhraseBook } from './moderation/phrases.ts';
import { PlainWords } from './moderation/plain-words.ts';
import { rules } from './moderation/rules.ts';
import { stretchesOf } from './moderation/stretches.ts';
import { wordClasses } from './moderation/word-classes.ts';

const flaggedFrom = 0.5;

/** What is threatening is harassment too, and so on: a parent never scores below its child. */
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

const book = new PhraseBook(
  rules.flatMap(({ phrases, verdicts }) => phrases.map((source) => ({ source, meaning: verdicts }))),
  wordClasses,
);
const plainWords = new PlainWords(book.vocabulary);

export function moderateInputs(request: ModerateRequest, id: string, model: string): ModerateReply {
  return atOnce(moderateInTurns(request, id, model));
}

export function* moderateInTurns(request: ModerateRequest, id: string, model: string): Turns<ModerateReply> {
  let tokens = 0;
  const results: ModerationResult[] = [];
  for (const parts of request.inputs) {
    const text = textOf(parts);
    tokens += countPieces(text);
    const scores: Scores = perCategory(() => 0);
    for (const stretch of stretchesOf(text)) {
      raiseScores(scores, stretch);
      yield;
    }
    results.push(resultOf(scores, parts));
  }
  return { id, model, results, consumption: { tokens: { input: { total: tokens, fresh: tokens }, output: {} } } };
}

function textOf(parts: readonly ModeratedPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Pictures are not looked at: they add nothing to the scores and are not named among what was judged. */
function resultOf(scores: Scores, parts: readonly ModeratedPart[]): ModerationResult {
  const judged = parts.some((part) => part.type === 'text') ? (['text'] as const) : [];
  return {
    flagged: moderationCategories.some((category) => scores[category] >= flaggedFrom),
    scores,
    categories: perCategory((category) => scores[category] >= flaggedFrom),
    appliedTo: perCategory(() => judged),
  };
}

/** The gravest thing said decides; saying many small ones does not add up, or every long text would be flagged. */
function raiseScores(scores: Scores, text: string): void {
  book.find(plainWords.read(text), (verdicts) => {
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
