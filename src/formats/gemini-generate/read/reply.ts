/** Reads a whole content-generation reply into the neutral one. */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { defined, isFilled, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Converted, Part, Seal, TextPart } from '../../../conversation/parts.ts';
import type { Candidate, TextReply } from '../../../conversation/text-reply.ts';
import { unknownUsage } from '../../../conversation/usage.ts';
import type { ReadContext } from '../../codec.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { failedTurn } from '../errors.ts';
import { replyTable } from '../fields.ts';
import { readCitations } from '../grounding.ts';
import { readLogprobs } from '../logprobs.ts';
import { isReply, keepCandidateFields, keepReplyFields, readHead, readTierOf } from '../reply-fields.ts';
import { isBlocked } from '../tap.ts';
import { besideIn, readUsage, withBeside } from '../usage.ts';
import { finishOf, formatName, isFailedFinish, listOf, readFinish, readSignature } from '../wire.ts';
import { argumentsOf, readMedia, textOf } from './parts.ts';

export function readReply(tree: unknown, context: ReadContext): Converted<TextReply> {
  if (!isReply(tree)) throw new SyntaxError('A reply of generated content has `candidates`.');
  if (isFilled(tree.error)) throw new SyntaxError('A reply of generated content has no `error`.');
  failWithoutTurn(listOf(tree.candidates).filter(isObject));
  const losses = new LossList();
  reportUnread(tree, replyTable, losses);
  const kept = new Map<string, unknown>();
  keepReplyFields(tree, kept);
  const candidates = listOf(tree.candidates)
    .filter(isObject)
    .map((candidate, place) => {
      keepCandidateFields(candidate, kept, `candidates[${place}].`);
      return readCandidate(candidate, context, losses);
    });
  const value: TextReply = {
    ...readHead(tree, context),
    candidates: candidates.length > 0 ? candidates : [withoutAnswer(tree)],
    usage: withBeside(readUsage(tree.usageMetadata) ?? unknownUsage, besideIn(tree)),
    ...defined('serviceTier', readTierOf(tree.usageMetadata)),
    ...(kept.size > 0 && { extras: { format: formatName, fields: Object.fromEntries(kept) } }),
  };
  return { value, losses: losses.all };
}

/** Nothing but thinking, and a call that cannot be read: the caller must not take it for the model's answer. */
function failWithoutTurn(candidates: readonly Tree[]): void {
  const [first] = candidates;
  if (first === undefined || !isFailedFinish(first.finishReason)) return;
  if (!candidates.every((candidate) => isFailedFinish(candidate.finishReason) && !saysAnything(candidate))) return;
  const { message, code } = failedTurn(first.finishReason, first.finishMessage);
  throw new GatewayError('upstream_failed', message, { providerCode: code });
}

function saysAnything({ content }: Tree): boolean {
  return listOf(isObject(content) ? content.parts : undefined).some(
    (part) => isObject(part) && part.thought !== true && part.text !== '' && Object.keys(part).length > 0,
  );
}

/** A prompt that was blocked has no candidates, only a reason. */
export function withoutAnswer(tree: Tree): Candidate {
  const feedback = tree.promptFeedback;
  if (!isBlocked(tree) || !isObject(feedback)) return { parts: [], finish: { reason: 'other' } };
  const message = textOf(feedback.blockReasonMessage);
  return {
    parts: message === undefined ? [] : [{ type: 'refusal', text: message }],
    finish: { reason: 'content-filter', raw: String(feedback.blockReason) },
  };
}

function readCandidate(candidate: Tree, context: ReadContext, losses: LossList): Candidate {
  const content = isObject(candidate.content) ? candidate.content : {};
  const wireParts = listOf(content.parts);
  const parts: Part[] = [];
  /** The neutral part of each part of the wire. */
  const places: number[] = [];
  for (const wirePart of wireParts) {
    addPart(parts, isObject(wirePart) ? readPart(wirePart, context, losses) : undefined);
    places.push(parts.length - 1);
  }
  addLogprobs(parts, candidate);
  addCitations(parts, places, candidate);
  const called = parts.some(({ type }) => type === 'tool-call');
  const raw = finishOf(candidate.finishReason);
  return { parts, finish: raw === undefined ? { reason: 'other' } : readFinish(raw, called) };
}

/** An empty text has no content; its signature belongs to the part before it. */
function addPart(parts: Part[], part: Part | undefined): void {
  const last = parts.at(-1);
  if (part === undefined) return;
  if (part.type === 'text' && part.text === '') {
    if (part.seal === undefined) return;
    if (last?.type === 'text' && last.seal === undefined) {
      parts[parts.length - 1] = { ...last, seal: part.seal };
      return;
    }
  }
  parts.push(part);
}

function readPart(part: Tree, context: ReadContext, losses: LossList): Part | undefined {
  const seal = sealOf(part, context);
  if (part.thought === true && (typeof part.text === 'string' || seal !== undefined)) {
    return { type: 'thinking', text: textOf(part.text) ?? '', ...defined('seal', seal) };
  }
  if (typeof part.text === 'string') return { type: 'text', text: part.text, ...defined('seal', seal) };
  const call = part.functionCall;
  if (isObject(call)) {
    if (typeof call.name !== 'string') return undefined;
    const id = textOf(call.id) ?? context.newId('call_');
    return { type: 'tool-call', id, name: call.name, arguments: argumentsOf(call), ...defined('seal', seal) };
  }
  const media = part.thought === true ? undefined : readMedia(part);
  if (media === undefined) return { type: 'native', format: formatName, value: part };
  if (seal !== undefined) losses.add(`signature of ${media.media}`, 'only texts, thinking and calls carry one');
  return media;
}

export function sealOf(part: Tree, context: ReadContext): Seal | undefined {
  const value = readSignature(part);
  return value === undefined ? undefined : { value, origin: context.origin };
}

/** The tokens are those of the whole answer; the last text is where their end is. */
function addLogprobs(parts: Part[], candidate: Tree): void {
  const logprobs = readLogprobs(candidate.logprobsResult);
  const place = parts.findLastIndex(({ type }) => type === 'text');
  const part = parts[place];
  if (logprobs !== undefined && part?.type === 'text') parts[place] = { ...part, logprobs };
}

function addCitations(parts: Part[], places: readonly number[], candidate: Tree): void {
  if (candidate.groundingMetadata === undefined && candidate.citationMetadata === undefined) return;
  const lastText = parts.findLastIndex(({ type }) => type === 'text');
  // The index of the first part is omitted on this wire; if that part is no text, the answer is meant.
  const first = parts[places[0] ?? -1]?.type === 'text' ? (places[0] ?? lastText) : lastText;
  const placeOf = (part: number | undefined): number => (part === undefined ? first : (places[part] ?? lastText));
  const textAt = (part: number | undefined): string | undefined => {
    const found = parts[placeOf(part)];
    return found?.type === 'text' ? found.text : undefined;
  };
  const byPlace = new Map<number, Citation[]>();
  for (const { part, citation } of readCitations(candidate, textAt)) {
    const place = placeOf(part);
    const citations = byPlace.get(place) ?? [];
    citations.push(citation);
    byPlace.set(place, citations);
  }
  for (const [place, citations] of byPlace) {
    const part = parts[place];
    if (part?.type === 'text') parts[place] = { ...part, citations } satisfies TextPart;
  }
}
