/** Reads the chat format's messages into neutral ones, the deprecated function turns included. */

import { defined, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import type { Citation, MediaPart, Message, NativePart, Part, TextPart } from '../../conversation/parts.ts';
import { readSeal } from '../../conversation/seal.ts';
import { readAnnotation } from './citations.ts';
import { readCacheMark, readPart } from './read-parts.ts';
import { readReasoning, sealFromClient } from './reasoning.ts';
import { formatName, readCallSignature } from './wire.ts';

const carriedFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'annotations',
  'cache_control',
]);

const clientSeal = sealFromClient(formatName);

export function readMessages(value: unknown, losses: LossList): Message[] {
  if (!Array.isArray(value)) {
    losses.add('messages', 'is not a list');
    return [];
  }
  const functions = new LegacyCalls();
  const messages: Message[] = [];
  for (const [index, entry] of value.entries()) {
    if (isObject(entry)) messages.push(readMessage(entry, `messages[${index}]`, functions, losses));
    else losses.add(`messages[${index}]`, 'is not an object');
  }
  return messages;
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

function readMessage(message: Tree, path: string, functions: LegacyCalls, losses: LossList): Message {
  reportUnread(message, path, losses);
  const name = typeof message.name === 'string' ? message.name : undefined;
  const named = defined('name', name);
  const content = marked(readContent(message.content, path, losses), message);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'instruction', parts: content, authority: message.role, ...named };
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message, content, path, functions, losses), ...named };
    case 'tool':
    case 'function': {
      const given = typeof message.tool_call_id === 'string' ? message.tool_call_id : undefined;
      const callId = given ?? (message.role === 'function' ? functions.result(name ?? '') : '');
      const parts = resultParts(content);
      return { role: 'tool', parts: [{ type: 'tool-result', callId, parts, failed: false, ...named }] };
    }
    case 'user':
      return { role: 'user', parts: content, ...named };
    default:
      losses.add(`${path}.role`, 'is a role the neutral message does not know; read as the user');
      return { role: 'user', parts: content, ...named };
  }
}

function reportUnread(message: Tree, path: string, losses: LossList): void {
  for (const field in message) {
    if (carriedFields.has(field)) continue;
    const value = message[field];
    const empty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (!empty) losses.add(`${path}.${field}`, 'has no place in a neutral message');
  }
}

/** A mark on the message stands for one on its last part. */
function marked(content: Part[], message: Tree): Part[] {
  const last = content.at(-1);
  const { cacheMark } = readCacheMark(message);
  if (cacheMark === undefined || (last?.type !== 'text' && last?.type !== 'media')) return content;
  return [...content.slice(0, -1), { ...last, cacheMark }];
}

function resultParts(content: readonly Part[]): (TextPart | MediaPart | NativePart)[] {
  return content.filter((part): part is TextPart | MediaPart | NativePart => {
    return part.type === 'text' || part.type === 'media' || part.type === 'native';
  });
}

/** Thinking comes first and calls last, which is the order in which a model made them. */
function readAssistant(
  message: Tree,
  content: readonly Part[],
  path: string,
  functions: LegacyCalls,
  losses: LossList,
): Part[] {
  const parts = readReasoning(message, clientSeal);
  parts.push(...cited(content, message.annotations));
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ type: 'refusal', text: message.refusal });
  }
  for (const [index, call] of (Array.isArray(message.tool_calls) ? message.tool_calls : []).entries()) {
    const part = readCall(call);
    if (part === undefined) losses.add(`${path}.tool_calls[${index}]`, 'is not a call');
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
    return isObject(call.custom) ? { type: 'native', format: formatName, value: call } : undefined;
  }
  const signature = readCallSignature(call);
  return {
    type: 'tool-call',
    id: text(call.id),
    name: text(call.function.name),
    arguments: text(call.function.arguments),
    ...(signature === undefined ? {} : { seal: readSeal(signature, formatName) }),
    ...readCacheMark(call),
  };
}

/** A few clients send arguments as the object itself. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}

function readContent(value: unknown, path: string, losses: LossList): Part[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    losses.add(`${path}.content`, 'is neither a text nor a list of parts');
    return [];
  }
  const parts: Part[] = [];
  for (const [index, entry] of value.entries()) {
    const part = readPart(entry);
    if (part === undefined) losses.add(`${path}.content[${index}]`, 'is not a part');
    else parts.push(part);
  }
  return parts;
}
