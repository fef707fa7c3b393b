/** The rule engine: a neutral request in, a neutral reply out. Equal requests get equal replies. */

import type { Origin, Part, ToolCallPart } from '../../conversation/parts.ts';
import type { Candidate, Finish, TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { findModel } from '../models.ts';
import { fillSchema } from '../schema/fill.ts';
import { readHints } from '../schema/hints.ts';
import { firstTokens } from '../tokens.ts';
import { isAgentPrompt } from './agent-wrappers.ts';
import { type PlannedCall, planCalls, planEnding } from './choose-tool.ts';
import { composeAnswer, composeLong, composeObject, composeRefusal, type Wording } from './compose-answer.ts';
import { type ConversationFacts, countPrompt, readFacts, textOf } from './conversation-facts.ts';
import { checkSeals, sealCall } from './seals.ts';
import { describeSeals, type Thoughts, think, withoutHideRequest } from './think.ts';

interface ReplyContext {
  readonly id: string;
  readonly createdAtMs: number;
  /** The origin of its signatures. */
  readonly origin: Origin;
}

interface Draft {
  readonly thoughts?: Thoughts | undefined;
  readonly parts: readonly Part[];
  readonly finish: Finish;
}

export function converse(asked: TextRequest, context: ReplyContext): TextReply {
  const request = onlyAllowed(asked);
  const facts = readFacts(request);
  const prompt = countPrompt(request);
  const draw = draftsFor(request, facts, context);
  const candidates: Candidate[] = [];
  let tokens = 0;
  let thinking = 0;
  for (let index = 0; index < request.candidates; index++) {
    const draft = draw(index);
    const ended = endDraft(draft, request);
    candidates.push(ended.candidate);
    tokens += ended.tokens;
    thinking += draft.thoughts?.tokens ?? 0;
  }
  return {
    id: context.id,
    model: context.origin.model,
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
      output: { total: tokens, text: tokens - thinking, thinking, audio: 0 },
    },
  };
}

/** Removes tools that may not be called. */
function onlyAllowed(request: TextRequest): TextRequest {
  const { toolChoice } = request;
  if (toolChoice.kind !== 'allowed') return request;
  const tools = request.tools.filter(({ name }) => toolChoice.names.includes(name));
  return { ...request, tools, toolChoice: { kind: toolChoice.required ? 'required' : 'auto' } };
}

/** Everything but the wording is computed once for all candidates. */
function draftsFor(request: TextRequest, facts: ConversationFacts, context: ReplyContext): (index: number) => Draft {
  const { voice, thinks = false } = findModel(context.origin.model) ?? {};
  if (voice === 'refuse') {
    const refusal: Draft = {
      parts: [{ type: 'refusal', text: composeRefusal(facts) }],
      finish: { reason: 'refusal' },
    };
    return () => refusal;
  }
  const stopped: Finish = { reason: 'stop' };
  if (voice === 'long') {
    const long: Draft = { parts: [{ type: 'text', text: composeLong(facts) }], finish: stopped };
    return () => long;
  }
  const calls = callsDue(request, facts, thinks ? withoutHideRequest(facts.question) : facts.question);
  const seals = thinks ? checkSeals(request.messages) : undefined;
  const thoughts = seals && think({ request, facts, calls, seals, origin: context.origin });
  if (calls.length > 0) {
    return (index) => ({
      thoughts,
      parts: calls.map((call, number) => toolCall(call, context, thinks, callId(context.id, index, number))),
      finish: { reason: 'tool-calls' },
    });
  }
  const said = (text: string): Draft => ({ thoughts, parts: [{ type: 'text', text }], finish: stopped });
  const remarks = seals === undefined ? [] : describeSeals(seals, request.thinking);
  const wording = (index: number): Wording => ({ variant: Math.abs((request.seed ?? 0) + index), remarks });
  const { output } = request;
  if (output.kind === 'json-schema') {
    const source = [facts.question, ...facts.results.map((result) => textOf(result.parts))].join('\n');
    const json = said(JSON.stringify(fillSchema(output.schema, { hints: readHints(source), generous: true })));
    return () => json;
  }
  if (output.kind === 'json') return (index) => said(composeObject(request, facts, wording(index)));
  return (index) => said(composeAnswer(request, facts, wording(index)));
}

/**
 * After tool results an answer is due, unless calls are sequential and some are left. An agent's request gets no call that is not
 * required, except the one that ends its run: words of its instructions would select the tool, and the agent would run it.
 */
function callsDue(request: TextRequest, facts: ConversationFacts, question: string): readonly PlannedCall[] {
  if (request.tools.length === 0 && request.toolChoice.kind !== 'tool') return [];
  const free = request.toolChoice.kind === 'auto';
  const oneByOne = request.parallelToolCalls === false;
  if (free && facts.wrapped) return [];
  if (free && facts.results.length > 0 && !oneByOne) return [];
  if (free && isAgentPrompt(request, question)) return facts.results.length > 0 ? [] : planEnding(request, question);
  const planned = planCalls(request, question);
  if (!oneByOne) return planned;
  const made = facts.calls.length;
  return free ? planned.slice(made, made + 1) : planned.slice(0, 1);
}

function toolCall(call: PlannedCall, { origin }: ReplyContext, sealed: boolean, id: string): ToolCallPart {
  const seal = sealed ? { seal: { value: sealCall(call), origin } } : {};
  return { type: 'tool-call', id, name: call.name, arguments: call.arguments, ...seal };
}

/** Unique like the reply's id, in characters that every format accepts. */
function callId(replyId: string, candidate: number, number: number): string {
  const tail = replyId.replace(/[^A-Za-z0-9]/g, '').slice(-32);
  return `call_${tail}${candidate.toString(36)}x${number.toString(36)}`;
}

/** Cuts a draft at a stop sequence or at the token limit, whichever comes first. */
function endDraft(draft: Draft, request: TextRequest): { readonly candidate: Candidate; readonly tokens: number } {
  const { thoughts } = draft;
  const parts: Part[] = thoughts === undefined ? [] : [thoughts.part];
  const limit = request.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  let tokens = thoughts?.tokens ?? 0;
  const full = (): Candidate => ({ parts, finish: { reason: 'length' } });
  for (const part of draft.parts) {
    if (part.type === 'tool-call') {
      // The name is one token; a call whose name does not fit is left out.
      if (tokens + 1 > limit) return { candidate: full(), tokens };
      const kept = firstTokens(part.arguments, limit - tokens - 1);
      tokens += 1 + kept.count;
      if (kept.text.length < part.arguments.length) {
        // Only a whole call is signed.
        parts.push({ type: 'tool-call', id: part.id, name: part.name, arguments: kept.text });
        return { candidate: full(), tokens };
      }
      parts.push(part);
    } else if (part.type === 'text' || part.type === 'refusal') {
      const stop = part.type === 'text' ? firstStop(part.text, request.stop) : undefined;
      const whole = stop === undefined ? part.text : part.text.slice(0, stop.at);
      const kept = firstTokens(whole, limit - tokens);
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
