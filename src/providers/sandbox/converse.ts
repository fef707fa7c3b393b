/** The sandbox's engine: a neutral request in, a neutral reply out, the same for the same. */

import type { Part, ToolCallPart } from '../../conversation/parts.ts';
import type { Candidate, Finish, TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { type PlannedCall, planCalls } from './choose-tool.ts';
import { composeAnswer, composeLong, composeObject, composeRefusal } from './compose-answer.ts';
import { type ConversationFacts, countPrompt, readFacts, textOf } from './conversation-facts.ts';
import { findModel } from './models.ts';
import { firstPieces } from './pieces.ts';
import { fillSchema } from './schema/fill.ts';
import { readHints } from './schema/hints.ts';

export interface ReplyContext {
  readonly id: string;
  readonly createdAtMs: number;
  readonly model: string;
}

interface Draft {
  readonly parts: readonly Part[];
  readonly finish: Finish;
}

export function converse(request: TextRequest, context: ReplyContext): TextReply {
  const facts = readFacts(request);
  const prompt = countPrompt(request);
  const draw = draftsFor(request, facts, context);
  const candidates: Candidate[] = [];
  let tokens = 0;
  for (let index = 0; index < request.candidates; index++) {
    const ended = endDraft(draw(index), request);
    candidates.push(ended.candidate);
    tokens += ended.tokens;
  }
  return {
    id: context.id,
    model: context.model,
    createdAtMs: context.createdAtMs,
    candidates,
    usage: {
      input: {
        total: prompt.total,
        fresh: prompt.total,
        cacheRead: 0,
        cacheWrite: 0,
        audio: prompt.audio,
        image: prompt.image,
      },
      output: { total: tokens, text: tokens, thinking: 0, audio: 0 },
    },
  };
}

/** What all candidates share is worked out once; only the wording differs between them. */
function draftsFor(request: TextRequest, facts: ConversationFacts, context: ReplyContext): (index: number) => Draft {
  const stopped: Finish = { reason: 'stop' };
  const said = (text: string): Draft => ({ parts: [{ type: 'text', text }], finish: stopped });
  const voice = findModel(context.model)?.voice;
  if (voice === 'refuse') {
    const refusal: Draft = {
      parts: [{ type: 'refusal', text: composeRefusal(facts) }],
      finish: { reason: 'content-filter' },
    };
    return () => refusal;
  }
  if (voice === 'long') {
    const long = said(composeLong(facts));
    return () => long;
  }
  const calls = callsDue(request, facts);
  if (calls.length > 0) {
    return (index) => ({
      parts: calls.map((call, number) => toolCall(call, context.id, index, number)),
      finish: { reason: 'tool-calls' },
    });
  }
  const seed = request.seed ?? 0;
  const { output } = request;
  if (output.kind === 'json-schema') {
    const source = [facts.question, ...facts.results.map((result) => textOf(result.parts))].join('\n');
    const json = said(JSON.stringify(fillSchema(output.schema, { hints: readHints(source), generous: true })));
    return () => json;
  }
  if (output.kind === 'json') return (index) => said(composeObject(request, facts, wording(seed, index)));
  return (index) => said(composeAnswer(request, facts, wording(seed, index)));
}

function wording(seed: number, index: number): number {
  return Math.abs(seed + index);
}

/** After results an answer is due, unless calls were to come one by one and some are left. */
function callsDue(request: TextRequest, facts: ConversationFacts): readonly PlannedCall[] {
  if (request.tools.length === 0 && request.toolChoice.kind !== 'tool') return [];
  const free = request.toolChoice.kind === 'auto';
  const oneByOne = request.parallelToolCalls === false;
  if (free && facts.resultsLast && !oneByOne) return [];
  const planned = planCalls(request, facts.question);
  if (!oneByOne) return planned;
  const made = facts.calls.length;
  return free ? planned.slice(made, made + 1) : planned.slice(0, 1);
}

function toolCall(call: PlannedCall, replyId: string, candidate: number, number: number): ToolCallPart {
  return { type: 'tool-call', id: callId(replyId, candidate, number), ...call };
}

/** Unique as the reply's id is, in the alphabet that every format accepts. */
function callId(replyId: string, candidate: number, number: number): string {
  const tail = replyId.replace(/[^A-Za-z0-9]/g, '').slice(-32);
  return `call_${tail}${candidate.toString(36)}x${number.toString(36)}`;
}

/** Cuts a draft where a stop sequence or the token limit says so, whichever comes first. */
function endDraft(draft: Draft, request: TextRequest): { readonly candidate: Candidate; readonly tokens: number } {
  const parts: Part[] = [];
  const limit = request.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  let tokens = 0;
  const full = (): Candidate => ({ parts, finish: { reason: 'length' } });
  for (const part of draft.parts) {
    if (part.type === 'tool-call') {
      // The name is a token of its own; a call whose name does not fit is not begun.
      if (tokens + 1 > limit) return { candidate: full(), tokens };
      const kept = firstPieces(part.arguments, limit - tokens - 1);
      tokens += 1 + kept.count;
      parts.push({ ...part, arguments: kept.text });
      if (kept.text.length < part.arguments.length) return { candidate: full(), tokens };
    } else if (part.type === 'text' || part.type === 'refusal') {
      const stop = part.type === 'text' ? firstStop(part.text, request.stop) : undefined;
      const whole = stop === undefined ? part.text : part.text.slice(0, stop.at);
      const kept = firstPieces(whole, limit - tokens);
      tokens += kept.count;
      parts.push({ ...part, text: kept.text });
      if (kept.text.length < whole.length) return { candidate: full(), tokens };
      if (stop !== undefined) {
        return { candidate: { parts, finish: { reason: 'stop-sequence', stopSequence: stop.sequence } }, tokens };
      }
    }
  }
  return { candidate: { parts, finish: draft.finish }, tokens };
}

function firstStop(
  text: string,
  stops: readonly string[],
): { readonly at: number; readonly sequence: string } | undefined {
  let first: { at: number; sequence: string } | undefined;
  for (const sequence of stops) {
    const at = text.indexOf(sequence);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, sequence };
  }
  return first;
}
