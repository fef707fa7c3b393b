/** Writes the sandbox's answers: results, an introduction, what the request contained. */

import type { TextRequest } from '../../conversation/text-request.ts';
import { findSums, type Sum } from './arithmetic.ts';
import { type ConversationFacts, textOf } from './conversation-facts.ts';
import { describeMedia } from './media-header.ts';

const quoteLengthMax = 240;
const resultLengthMax = 600;
const listedMax = 10;
const longWordsDefault = 5_000;
const longWordsMax = 20_000;

const introductions = [
  "This is Weir's sandbox: it follows rules, there is no model behind it.",
  "You reached Weir's sandbox, a set of rules without a model.",
  "Weir's sandbox answers here, by rules and without a model.",
  "The answer comes from Weir's sandbox, which has rules instead of a model.",
] as const;

/** One line, not too long, cut between words. */
export function quote(text: string, lengthMax = quoteLengthMax): string {
  const line = text
    .slice(0, lengthMax * 4)
    .replace(/\s{1,1000}/g, ' ')
    .trim();
  if (line.length <= lengthMax) return `"${line}"`;
  const space = line.lastIndexOf(' ', lengthMax);
  const end = space > lengthMax / 2 ? space : lengthMax;
  // A surrogate pair is not split.
  const isTorn = /[\uD800-\uDBFF]$/.test(line.slice(0, end));
  return `"${line.slice(0, isTorn ? end - 1 : end)}…"`;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Variations of an answer. */
export interface Wording {
  /** The index of the introduction. */
  readonly variant: number;
  /** Sentences at the end. */
  readonly remarks: readonly string[];
}

export function composeAnswer(request: TextRequest, facts: ConversationFacts, wording: Wording): string {
  const sentences = [
    ...describeResults(facts),
    ...findSums(facts.question).map(describeSum),
    introductions[wording.variant % introductions.length] ?? introductions[0],
    `I got ${plural(facts.messages, 'message')} with ${plural(facts.words, 'word')}.`,
    facts.question === '' ? 'Your last message has no text.' : `Your last message: ${quote(facts.question)}.`,
  ];
  if (facts.instructions !== '') sentences.push(`Your instructions are noted: ${quote(facts.instructions, 120)}.`);
  const media = facts.media.slice(0, listedMax);
  sentences.push(...media.map((part, index) => describeMedia(part, index + 1)));
  if (facts.media.length > media.length) sentences.push(`And ${facts.media.length - media.length} more.`);
  if (request.tools.length > 0 && facts.results.length === 0) {
    sentences.push(`I called none of your ${plural(request.tools.length, 'tool')}.`);
  }
  return [...sentences, ...wording.remarks].join(' ');
}

export function describeSum(sum: Sum): string {
  return `${sum.expression} = ${sum.value ?? 'undefined'}.`;
}

function describeResults(facts: ConversationFacts): string[] {
  const names = new Map(facts.calls.map((call) => [call.id, call.name]));
  return facts.results.slice(-listedMax).map((result) => {
    const name = names.get(result.callId) ?? 'The tool';
    const verb = result.failed ? 'failed with' : 'returned';
    return `${name} ${verb} ${quote(textOf(result.parts), resultLengthMax)}.`;
  });
}

/** An object for requests of JSON without a schema. */
export function composeObject(request: TextRequest, facts: ConversationFacts, wording: Wording): string {
  const sums = findSums(facts.question);
  return JSON.stringify({
    sandbox: true,
    reply: composeAnswer(request, facts, wording),
    messages: facts.messages,
    words: facts.words,
    ...(sums.length === 0
      ? {}
      : { sums: sums.map((sum) => ({ expression: sum.expression, value: sum.value ?? null })) }),
  });
}

export function composeRefusal(facts: ConversationFacts): string {
  return `I'm sorry, but this sandbox model refuses every request, also this one: ${quote(facts.question, 120)}.`;
}

const longVocabulary =
  'water runs over the low wall of the weir and the keeper counts what passes while the stream runs on to the mill below'.split(
    ' ',
  );

/** Exactly as many words as were asked for. */
export function composeLong(facts: ConversationFacts): string {
  const question = facts.question.slice(0, 8_000);
  const counted = /(?<![\d.])(\d{1,9})[ -]words?\b/i.exec(question) ?? /(?<![\d.])(\d{1,9})(?![\d.]\d)/.exec(question);
  const asked = Number(counted?.[1] ?? longWordsDefault);
  const count = Math.min(longWordsMax, Math.max(1, asked));
  const words = `This is the long reply of Weir's sandbox, ${count} words of filling:`.split(' ').slice(0, count);
  for (let index = 0; words.length < count; index++) {
    words.push(longVocabulary[index % longVocabulary.length] ?? 'water');
  }
  return words.join(' ');
}
