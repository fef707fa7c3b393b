/** Reads the chat format's messages into neutral ones, the deprecated function turns included. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, MediaPart, Message, NativePart, Part, TextPart } from '../../../conversation/parts.ts';
import { readSeal } from '../../../conversation/seals/seal.ts';
import { readAnnotation } from '../citations.ts';
import { readReasoning, sealFromClient } from '../reasoning.ts';
import { isOwnWhole } from '../references.ts';
import { formatName, readCallSignature } from '../wire.ts';
import { readCacheMark, readPart } from './parts.ts';

const clientSeal = sealFromClient(formatName);
const noCalls: readonly unknown[] = [];

export function readMessages(value: unknown, losses: LossList): Message[] {
  if (!Array.isArray(value)) {
    losses.add('messages', 'is not a list');
    return [];
  }
  const functions = new LegacyCalls();
  const messages: Message[] = [];
  for (let index = 0; index < value.length; index++) {
    const entry: unknown = value[index];
    if (isObject(entry)) messages.push(readMessage(entry, index, functions, losses));
    else losses.add(`messages[${index}]`, 'is not an object');
  }
  return messages;
}

const knownRoles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** The place of the first role that only some server of the format supports: no other format has it. */
export function unknownRoleIn(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const at = value.findIndex((entry) => isObject(entry) && !knownRoles.has(entry.role));
  return at === -1 ? undefined : `messages[${at}].role`;
}

/** Function turns of before tools carry no ids, so a call and its result are paired by name and order. */
class LegacyCalls {
  #made = 0;
  readonly #waiting = new Map<string, string[]>();

  call(name: string): string {
    const id = `function-call-${++this.#made}`;
    const waiting = this.#waiting.get(name) ?? [];
    waiting.push(id);
    this.#waiting.set(name, waiting);
    return id;
  }

  result(name: string): string {
    return this.#waiting.get(name)?.shift() ?? `function-call-${++this.#made}`;
  }
}

/** Places are passed as numbers and printed only for a report: most messages have nothing to report. */
function readMessage(message: Tree, index: number, functions: LegacyCalls, losses: LossList): Message {
  const name = typeof message.name === 'string' ? message.name : undefined;
  const content = marked(readContent(message.content, index, losses), message);
  switch (message.role) {
    case 'system':
    case 'developer':
      return withName({ role: 'instruction', parts: content, authority: message.role }, name);
    case 'assistant':
      return withName({ role: 'assistant', parts: readAssistant(message, content, index, functions, losses) }, name);
    case 'tool':
    case 'function': {
      const given = typeof message.tool_call_id === 'string' ? message.tool_call_id : undefined;
      const callId = given ?? (message.role === 'function' ? functions.result(name ?? '') : '');
      const parts = resultParts(content, index, losses);
      const result = { type: 'tool-result', callId, parts, failed: false } as const;
      return { role: 'tool', parts: [name === undefined ? result : { ...result, name }] };
    }
    case 'user':
      return withName({ role: 'user', parts: content }, name);
    default:
      losses.add(`messages[${index}].role`, 'has no neutral role; read as the user');
      return withName({ role: 'user', parts: content }, name);
  }
}

function withName(message: Message, name: string | undefined): Message {
  return name === undefined ? message : { ...message, name };
}

/** A mark on the message is one on its last part. */
function marked(content: Part[], message: Tree): Part[] {
  if (message.cache_control === undefined && message.prompt_cache_breakpoint === undefined) return content;
  const last = content.at(-1);
  const { cacheMark } = readCacheMark(message);
  if (cacheMark === undefined || (last?.type !== 'text' && last?.type !== 'media')) return content;
  return [...content.slice(0, -1), { ...last, cacheMark }];
}

function resultParts(content: readonly Part[], index: number, losses: LossList): (TextPart | MediaPart | NativePart)[] {
  const isResultPart = (part: Part): part is TextPart | MediaPart | NativePart =>
    part.type === 'text' || part.type === 'media' || part.type === 'native';
  // Nearly always one text.
  if (content.every(isResultPart)) return content as (TextPart | MediaPart | NativePart)[];
  losses.add(`messages[${index}].content`, 'holds a part that a result cannot have');
  return content.filter(isResultPart);
}

/** Thinking comes first and calls last, which is the order in which a model made them. */
function readAssistant(
  message: Tree,
  content: readonly Part[],
  index: number,
  functions: LegacyCalls,
  losses: LossList,
): Part[] {
  const parts = readReasoning(message, clientSeal);
  for (const part of cited(content, message.annotations)) parts.push(part);
  // The recording itself is reported as lost.
  if (content.length === 0 && isOwnWhole(message.audio)) parts.push({ type: 'text', text: message.audio.transcript });
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ type: 'refusal', text: message.refusal });
  }
  const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : noCalls;
  for (let at = 0; at < calls.length; at++) {
    const part = readCall(calls[at]);
    if (part === undefined) losses.add(`messages[${index}].tool_calls[${at}]`, 'is not a call');
    else parts.push(part);
  }
  if (isObject(message.function_call)) {
    const name = text(message.function_call.name);
    const id = functions.call(name);
    parts.push({ type: 'tool-call', id, name, arguments: text(message.function_call.arguments) });
  }
  return parts;
}

function cited(content: readonly Part[], annotations: unknown): readonly Part[] {
  if (!Array.isArray(annotations) || annotations.length === 0) return content;
  const at = content.findIndex((part) => part.type === 'text');
  const citations = annotations.flatMap((one): Citation[] => {
    const citation = readAnnotation(one, 0);
    return citation === undefined ? [] : [citation];
  });
  return content.map((part, index) => (index === at && part.type === 'text' ? { ...part, citations } : part));
}

function readCall(call: unknown): Part | undefined {
  if (!isObject(call)) return undefined;
  if (!isObject(call.function)) {
    if (!isObject(call.custom)) return undefined;
    const { name, input } = call.custom;
    return { type: 'tool-call', id: text(call.id), name: text(name), arguments: text(input), freeform: true };
  }
  const part = {
    type: 'tool-call',
    id: text(call.id),
    name: text(call.function.name),
    arguments: text(call.function.arguments),
  } as const;
  const signature = readCallSignature(call);
  if (signature === undefined && call.cache_control === undefined) return part;
  return { ...part, ...(signature !== undefined && { seal: readSeal(signature, formatName) }), ...readCacheMark(call) };
}

/** A few clients send arguments as the object itself. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}

function readContent(value: unknown, index: number, losses: LossList): Part[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    losses.add(`messages[${index}].content`, 'is neither a text nor a list of parts');
    return [];
  }
  const parts: Part[] = [];
  for (let at = 0; at < value.length; at++) {
    const part = readPart(value[at]);
    if (part === undefined) losses.add(`messages[${index}].content[${at}]`, 'is not a part');
    else parts.push(part);
  }
  return parts;
}
