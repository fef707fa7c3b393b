/** Reads the contents of a content-generation request into neutral messages, and gives an id to every call that came without one. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type {
  MediaPart,
  Message,
  NativePart,
  Part,
  ThinkingPart,
  ToolResultPart,
} from '../../../conversation/parts.ts';
import { readSeal } from '../../../conversation/seals/seal.ts';
import { ranText, returnedText } from '../../../conversation/tools/provider-ran.ts';
import { withCarriedThoughts } from '../carried-thoughts.ts';
import { formatName, listOf, readSignature, readThinkingSeal, said } from '../wire.ts';
import { argumentsOf, readAnswer, readMedia, textOf } from './parts.ts';

interface Draft {
  readonly role: Message['role'];
  readonly parts: Part[];
}

export function readContents(tree: Tree, losses: LossList): Message[] {
  const calls = new CallPairing();
  const messages: Draft[] = [];
  const instruction = said(tree, 'systemInstruction');
  if (instruction !== undefined) {
    const parts = listOf(isObject(instruction) && instruction.parts !== undefined ? instruction.parts : instruction);
    messages.push({ role: 'instruction', parts: readParts(parts, 'systemInstruction', calls, losses) });
  }
  for (const [index, content] of listOf(tree.contents).entries()) {
    const place = `contents[${index}]`;
    // Libraries turn a bare text into the user's turn.
    const role = isObject(content) ? roleOf(content.role) : typeof content === 'string' ? 'user' : undefined;
    if (role === undefined) {
      losses.add(place, 'is not a content');
      continue;
    }
    const wireParts = listOf(isObject(content) ? content.parts : content);
    const last = messages.at(-1);
    if (role !== 'assistant') addTurn(messages, role, readParts(wireParts, place, calls, losses));
    else if (last?.role === 'assistant') continueTurn(last, readParts(wireParts, place, calls, losses));
    else {
      calls.newTurn();
      messages.push({ role, parts: joined(readParts(wireParts, place, calls, losses)) });
    }
  }
  return messages.map((turn) =>
    turn.role === 'assistant' ? { ...turn, parts: withCarriedThoughts(turn.parts) } : turn,
  );
}

function roleOf(role: unknown): Message['role'] | undefined {
  switch (typeof role === 'string' ? role.toLowerCase() : 'user') {
    case 'model':
    case 'assistant':
      return 'assistant';
    case 'system':
      return 'instruction';
    // `function` is the older role; its contents mean the same.
    default:
      return 'user';
  }
}

/** Results come first: in every format they answer the turn before, and the user's own text comes after. */
function addTurn(messages: Draft[], role: Message['role'], parts: Part[]): void {
  const results = parts.filter((part) => part.type === 'tool-result');
  if (results.length > 0) messages.push({ role: 'tool', parts: results });
  if (results.length === 0) messages.push({ role, parts });
  else if (results.length < parts.length) {
    messages.push({ role, parts: parts.filter((part) => part.type !== 'tool-result') });
  }
}

/**
 * The official libraries keep a streamed answer as one content for each chunk. Such adjacent contents are pieces of one
 * turn, and a signature over the thinking holds only for the whole of it.
 */
function continueTurn(turn: Draft, parts: Part[]): void {
  const [first, ...rest] = joined(parts);
  if (first === undefined || (rest.length === 0 && saysNothing(first))) return;
  const last = turn.parts.at(-1);
  if (first.type === 'text' && last?.type === 'text' && last.seal === undefined) {
    turn.parts[turn.parts.length - 1] = { ...last, ...first, text: last.text + first.text };
  } else if (!joinThinking(turn.parts, first)) {
    turn.parts.push(first);
  }
  turn.parts.push(...rest);
}

/** Within a content texts stay apart; pieces of thinking, and a signature that comes after its text, join what they belong to. */
function joined(parts: Part[]): Part[] {
  if (parts.length < 2) return parts;
  const result: Part[] = [];
  for (const part of parts) {
    if (saysNothing(part)) continue;
    const last = result.at(-1);
    if (part.type === 'text' && part.text === '' && part.seal !== undefined && last?.type === 'text' && !last.seal) {
      result[result.length - 1] = { ...last, seal: part.seal };
    } else if (!joinThinking(result, part)) {
      result.push(part);
    }
  }
  return result.length > 0 ? result : parts.slice(0, 1);
}

/** The last chunk of a stream holds an empty text, and clients keep it among the parts of the turn. */
function saysNothing(part: Part): boolean {
  return part.type === 'text' && part.text === '' && part.seal === undefined;
}

function joinThinking(parts: Part[], next: Part): boolean {
  const last = parts.at(-1);
  if (next.type !== 'thinking' || last?.type !== 'thinking' || last.seal !== undefined || next.redacted) return false;
  parts[parts.length - 1] = { ...last, ...next, text: last.text + next.text };
  return true;
}

function readParts(values: readonly unknown[], place: string, calls: CallPairing, losses: LossList): Part[] {
  const parts: Part[] = [];
  for (const [index, value] of values.entries()) {
    const part = typeof value === 'string' ? ({ type: 'text', text: value } as const) : readPart(value, calls);
    if (part === undefined) losses.add(`${place}.parts[${index}]`, 'is not a part');
    else parts.push(part);
  }
  return parts;
}

function readPart(part: unknown, calls: CallPairing): Part | undefined {
  if (!isObject(part)) return undefined;
  const signature = readSignature(part);
  if (part.thought === true && (typeof part.text === 'string' || signature !== undefined)) {
    return readThinking(textOf(part.text) ?? '', signature);
  }
  const seal = signature === undefined ? undefined : { seal: readSeal(signature, formatName) };
  if (typeof part.text === 'string') return { type: 'text', text: part.text, ...seal };
  const call = said(part, 'functionCall');
  if (isObject(call) && typeof call.name === 'string') {
    const id = calls.called(textOf(call.id), call.name);
    return { type: 'tool-call', id, name: call.name, arguments: argumentsOf(call), ...seal };
  }
  const response = said(part, 'functionResponse');
  if (isObject(response)) return readResult(response, calls);
  // Metadata of a video, and a signature on an image, have no neutral field: such parts stay whole.
  const whole = signature !== undefined || said(part, 'videoMetadata') !== undefined;
  const media = readMedia(part);
  if (media !== undefined) return whole ? readWhole(part, media, signature !== undefined) : media;
  return Object.keys(part).length === 0 ? undefined : readNative(part);
}

function readThinking(text: string, signature: string | undefined): ThinkingPart {
  if (signature === undefined) return { type: 'thinking', text };
  const { seal, redacted } = readThinkingSeal(signature);
  return { type: 'thinking', text, ...(redacted && { redacted }), seal };
}

function readResult(response: Tree, calls: CallPairing): ToolResultPart {
  const name = textOf(response.name);
  const { parts, failed } = readAnswer(response);
  const callId = calls.answered(textOf(response.id), name);
  return { type: 'tool-result', callId, ...(name !== undefined && { name }), parts, failed };
}

function readWhole(value: Tree, media: MediaPart, isSigned: boolean): NativePart {
  const what = isSigned ? `${media.media} signature` : 'videoMetadata';
  const dropped = { what, why: 'is supported by its own format only' };
  return { type: 'native', format: formatName, value, instead: [media], dropped };
}

/** Code that the provider ran can be read as text. */
function readNative(part: Tree): NativePart {
  const native: NativePart = { type: 'native', format: formatName, value: part };
  const code = said(part, 'executableCode');
  if (isObject(code)) return { ...native, instead: [ranText('code_execution', code.code)] };
  const result = said(part, 'codeExecutionResult');
  if (!isObject(result)) return native;
  const failed = typeof result.outcome === 'string' && !result.outcome.endsWith('OK');
  return { ...native, instead: [returnedText(result.output, failed)] };
}

/** Pairs results with calls: by id where the client sends one, else by name and order within the latest turn. */
class CallPairing {
  #ordinal = 0;
  #open: { readonly id: string; readonly name: string }[] = [];

  newTurn(): void {
    this.#open = [];
  }

  /** The same conversation gives the same ids every time, so that caches of the target stay valid. */
  called(id: string | undefined, name: string): string {
    this.#ordinal += 1;
    const known = id ?? `call-${this.#ordinal}-${name}`;
    this.#open.push({ id: known, name });
    return known;
  }

  answered(id: string | undefined, name: string | undefined): string {
    let place = this.#open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
    if (place < 0 && id === undefined && name === undefined) place = 0;
    const [call] = place < 0 ? [] : this.#open.splice(place, 1);
    if (call !== undefined) return call.id;
    this.#ordinal += 1;
    return id ?? `call-${this.#ordinal}-${name ?? ''}`;
  }
}
