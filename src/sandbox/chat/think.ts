/** The thoughts of `sandbox-reasoner`: how it came to its answer, within the thinking budget, signed. */

import type { Origin, ThinkingPart } from '../../conversation/parts.ts';
import type { TextRequest, Thinking } from '../../conversation/text-request.ts';
import { countTokens, firstTokens } from '../tokens.ts';
import { findSums } from './arithmetic.ts';
import type { PlannedCall } from './choose-tool.ts';
import { describeSum, plural, quote } from './compose-answer.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import { type SealCheck, sealThought } from './seals.ts';

export interface Thoughts {
  readonly part: ThinkingPart;
  /** Counted also where the text is hidden. */
  readonly tokens: number;
}

interface ThinkingInput {
  readonly request: TextRequest;
  readonly facts: ConversationFacts;
  readonly calls: readonly PlannedCall[];
  readonly seals: SealCheck;
  readonly origin: Origin;
}

const tokensByEffort: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 12],
  ['low', 30],
  ['medium', 80],
  ['high', 200],
]);
const tokensMax = 400;
const hideRequest = /\bredact your thinking\b/i;

/** The question without the instruction about thinking. */
export function withoutHideRequest(question: string): string {
  return question.replace(hideRequest, '');
}

function isThinkingOff(thinking: Thinking | undefined): boolean {
  return thinking?.mode === 'off' || thinking?.effort === 'none' || thinking?.budgetTokens === 0;
}

/** Undefined where thinking is off or has no budget. */
export function think(input: ThinkingInput): Thoughts | undefined {
  const { request, facts, origin } = input;
  const text = fitting(sentencesOf(input), tokensFor(request));
  if (text === '') return undefined;
  const redacted = hideRequest.test(facts.question);
  const hidden = redacted || request.thinking?.visible === false;
  const part: ThinkingPart = {
    type: 'thinking',
    text: hidden ? '' : text,
    ...(redacted && { redacted }),
    seal: { value: sealThought(text, hidden), origin },
  };
  return { part, tokens: countTokens(text) };
}

/** At most half of the reply's limit, so that there is always room for an answer. */
function tokensFor({ thinking, maxOutputTokens }: TextRequest): number {
  if (isThinkingOff(thinking)) return 0;
  const { effort = '', budgetTokens = tokensMax } = thinking ?? {};
  const half = Math.floor((maxOutputTokens ?? Number.POSITIVE_INFINITY) / 2);
  return Math.max(0, Math.min(tokensByEffort.get(effort) ?? tokensMax, budgetTokens, half));
}

/** Whole sentences as long as they fit; only the first may be cut. */
function fitting(sentences: readonly string[], limit: number): string {
  let text = '';
  let left = limit;
  for (const sentence of sentences) {
    const next = text === '' ? sentence : ` ${sentence}`;
    const tokens = countTokens(next);
    if (tokens > left) return text === '' ? firstTokens(sentence, left).text : text;
    text += next;
    left -= tokens;
  }
  return text;
}

/** The most important first, since a small budget cuts the end. */
function sentencesOf({ request, facts, calls, seals }: ThinkingInput): string[] {
  const counts = [plural(facts.messages, 'message'), plural(facts.words, 'word'), plural(request.tools.length, 'tool')];
  if (facts.media.length > 0) counts.push(plural(facts.media.length, 'file'));
  return [
    `I have ${counts.join(', ')}.`,
    ...decisionOn(request, facts, calls),
    ...findSums(facts.question).map((sum) => `I work out ${describeSum(sum)}`),
    ...describeSeals(seals, request.thinking),
    facts.question === '' ? 'The last message has no text.' : `The last message is ${quote(facts.question, 120)}.`,
  ];
}

function decisionOn(request: TextRequest, facts: ConversationFacts, calls: readonly PlannedCall[]): string[] {
  if (calls.length > 0) return calls.map((call) => `I call ${call.name}, since ${call.reason}.`);
  const { tools, toolChoice, output } = request;
  const decisions: string[] = [];
  if (facts.results.length > 0)
    decisions.push(`${plural(facts.results.length, 'result')} came back, so an answer is due.`);
  else if (tools.length === 0) decisions.push('There is no tool to call, so I answer.');
  else if (toolChoice.kind === 'none') decisions.push('I may not call a tool, so I answer.');
  else decisions.push('No tool fits the message, so I answer.');
  if (output.kind === 'json') decisions.push('The answer must be a JSON object.');
  if (output.kind === 'json-schema') decisions.push('The answer must be JSON that fits the schema.');
  return decisions;
}

/** The result of checking the signatures of earlier turns. Without thinking no signature is expected. */
export function describeSeals(seals: SealCheck, thinking: Thinking | undefined): string[] {
  const { verified, mismatched, unsigned } = seals;
  const sentences: string[] = [];
  if (verified > 0) sentences.push(`I verified ${plural(verified, 'signature')} of my earlier turns.`);
  if (mismatched > 0) sentences.push(`${plural(mismatched, 'signature')} did not match.`);
  if (unsigned > 0 && !isThinkingOff(thinking)) {
    sentences.push(`${plural(unsigned, 'tool turn')} came back without a signature.`);
  }
  return sentences;
}
