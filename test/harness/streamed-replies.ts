/** What a client that keeps a streamed reply has in the end: the whole reply of its format, each piece as it came. */

import type { FormatName } from '../../src/formats/format.ts';

type Json = Record<string, unknown>;

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []) as Json[];
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

export function eventsIn(text: string): Json[] {
  return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data = '']) => JSON.parse(data) as Json);
}

/** Throws where the format has no streams that a conversation continues from. */
export function replyOf(format: FormatName, events: readonly Json[]): Json {
  switch (format) {
    case 'openai-responses':
      return object(events.findLast(({ response }) => response !== undefined)?.['response']);
    case 'openai-chat':
      return { choices: [{ message: chatMessage(events) }] };
    case 'anthropic-messages':
      return { content: blocks(events) };
    case 'gemini-generate': {
      const parts = events.flatMap(({ candidates }) => list(object(list(candidates)[0]?.['content'])['parts']));
      return { candidates: [{ content: { role: 'model', parts } }] };
    }
    default:
      throw new Error(`No client continues streams of ${format}.`);
  }
}

function chatMessage(events: readonly Json[]): Json {
  const message: Json = { role: 'assistant', content: null };
  const calls: Json[] = [];
  for (const event of events) {
    const delta = object(list(event['choices'])[0]?.['delta']);
    for (const [name, value] of Object.entries(delta)) {
      if (name === 'tool_calls') for (const call of list(value)) addCall(calls, call);
      else if (typeof value === 'string' && name !== 'role') message[name] = String(message[name] ?? '') + value;
      else if (Array.isArray(value)) message[name] = [...list(message[name]), ...value];
      else if (value !== null && name !== 'role') message[name] = { ...object(message[name]), ...object(value) };
    }
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

function addCall(calls: Json[], piece: Json): void {
  const { index, ...rest } = piece;
  const known = calls[Number(index ?? 0)];
  if (known === undefined) {
    calls[Number(index ?? 0)] = rest;
    return;
  }
  for (const holder of ['function', 'custom'] as const) {
    if (piece[holder] === undefined) continue;
    const [before, more] = [object(known[holder]), object(piece[holder])];
    const field = holder === 'function' ? 'arguments' : 'input';
    known[holder] = { ...before, [field]: `${before[field] ?? ''}${more[field] ?? ''}` };
  }
}

function blocks(events: readonly Json[]): Json[] {
  const open: Json[] = [];
  const inputs = new Map<Json, string>();
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') open[Number(index)] = { ...object(content_block) };
    if (type !== 'content_block_delta') continue;
    const block = open[Number(index)] ?? {};
    const { text, thinking, signature, partial_json } = object(delta);
    if (typeof text === 'string') block['text'] = `${block['text'] ?? ''}${text}`;
    if (typeof thinking === 'string') block['thinking'] = `${block['thinking'] ?? ''}${thinking}`;
    if (typeof signature === 'string') block['signature'] = signature;
    if (typeof partial_json === 'string') inputs.set(block, (inputs.get(block) ?? '') + partial_json);
  }
  for (const [block, input] of inputs) block['input'] = parsed(input);
  return open;
}

/** What a model wrote need not be JSON; libraries give an empty object then. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}
