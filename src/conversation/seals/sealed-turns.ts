/**
 * What a client's format cannot give back by itself: the seals of a turn, remembered by the ids of its tool calls and put
 * back when the client returns with the results. The relay decides where they are remembered.
 */

import { Folding } from '../events/fold.ts';
import type { Message, Part, Seal, ThinkingPart, ToolCallPart } from '../parts.ts';
import type { StreamEvent } from '../text-reply.ts';
import type { TextRequest } from '../text-request.ts';

export interface SealedTurn {
  /** The sealed thinking before the call in its turn. */
  readonly thinking: readonly ThinkingPart[];
  readonly callSeal?: Seal;
  /** The model thought before the call, and the client gives its thinking back by itself. */
  readonly thought?: true;
}

/** Of a call that nothing was sealed for: to know that is not the same as not to know the call. */
const nothingSealed: SealedTurn = { thinking: [] };
const onlyThought: SealedTurn = { thinking: [], thought: true };

export function isSealed({ thinking, callSeal }: SealedTurn): boolean {
  return thinking.length > 0 || callSeal !== undefined;
}

/** Which seals a client gives back by itself. */
export interface CarriedSeals {
  readonly thinkingSeals: boolean;
  readonly callSeals: boolean;
  /** Some clients of the format drop them all the same, so that they are remembered as well. */
  readonly unreliably?: boolean;
}

const nothingCarried: CarriedSeals = { thinkingSeals: false, callSeals: false };

/** What need not be remembered for a client of this kind. */
export function reliablyCarried(carries: CarriedSeals): CarriedSeals {
  return carries.unreliably === true ? nothingCarried : carries;
}

/** By tool-call id, what a client of that kind would not give back, also where that is nothing. */
export function collectSealedTurns(parts: readonly Part[], carries: CarriedSeals): ReadonlyMap<string, SealedTurn> {
  const turns = new Map<string, SealedTurn>();
  if (carries.thinkingSeals && carries.callSeals) return turns;
  let thinking: readonly ThinkingPart[] = [];
  let thought = false;
  for (const part of parts) {
    if (part.type === 'thinking' && part.seal !== undefined) {
      if (carries.thinkingSeals) thought = true;
      else thinking = [...thinking, part];
    }
    if (part.type !== 'tool-call' || part.id === '') continue;
    const callSeal = carries.callSeals ? undefined : part.seal;
    const sealed = thinking.length > 0 || callSeal !== undefined;
    if (!sealed) turns.set(part.id, thought ? onlyThought : nothingSealed);
    else turns.set(part.id, { thinking, ...(callSeal !== undefined && { callSeal }), ...(thought && { thought }) });
  }
  return turns;
}

/** The same from a stream. Only thoughts and calls are kept, not what the calls say. */
export class SealedTurnCollector {
  readonly #carries: CarriedSeals;
  readonly #folding = new Folding();
  readonly #kept = new Set<string>();

  constructor(carries: CarriedSeals) {
    this.#carries = carries;
  }

  add(event: StreamEvent): void {
    switch (event.type) {
      case 'part-start':
        if (!this.#keeps(event.opening.type)) return;
        this.#kept.add(`${event.candidate}.${event.part}`);
        this.#folding.add(event);
        break;
      case 'thinking-delta':
        if (!this.#carries.thinkingSeals) this.#folding.add(event);
        break;
      case 'seal':
        if (this.#kept.has(`${event.candidate}.${event.part}`)) this.#folding.add(event);
        break;
      default:
    }
  }

  #keeps(type: Part['type']): boolean {
    const { thinkingSeals, callSeals } = this.#carries;
    // Of thinking that the client gives back it is kept that there was some, and not what it said.
    return (type === 'tool-call' || type === 'thinking') && !(thinkingSeals && callSeals);
  }

  get turns(): ReadonlyMap<string, SealedTurn> {
    const { candidates } = this.#folding.reply;
    return new Map(candidates.flatMap(({ parts }) => [...collectSealedTurns(parts, this.#carries)]));
  }
}

/** The ids of calls in turns of the assistant that came without any seal, in their order. */
export function unsealedCalls({ messages }: TextRequest): readonly string[] {
  const calls: string[] = [];
  for (const message of messages) if (message.role === 'assistant') addUnsealed(message, calls);
  return calls;
}

function addUnsealed({ parts }: Message, calls: string[]): void {
  if (parts.some(isSealedThinking)) return;
  for (const part of parts)
    if (part.type === 'tool-call' && part.id !== '' && part.seal === undefined) calls.push(part.id);
}

/**
 * Which turns lack seals and have none remembered. Only those since the user's last message: thinking before that is no
 * longer needed, and providers drop it themselves.
 */
export function forgottenTurns(request: TextRequest, isKnown: (callId: string) => boolean): readonly number[] {
  return turnsSinceUser(request, (calls) => !calls.every(isKnown));
}

function turnsSinceUser(
  { messages }: TextRequest,
  lacks: (unsealedCalls: readonly string[]) => boolean,
): readonly number[] {
  const since = messages.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ type }) => type !== 'tool-result'),
  );
  const forgotten: number[] = [];
  for (let index = Math.max(since, 0); index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const calls: string[] = [];
    addUnsealed(message, calls);
    if (lacks(calls)) forgotten.push(index);
  }
  return forgotten;
}

/** Which turns came without the thinking that was before their calls, though the client could have sent it. */
export function thoughtlessTurns(request: TextRequest, hadThought: (callId: string) => boolean): readonly number[] {
  return turnsSinceUser(request, (calls) => calls.some(hadThought));
}

/** Puts back what was remembered. The same request where nothing was, or where nothing is missing. */
export function restoreSealedTurns(
  request: TextRequest,
  find: (callId: string) => SealedTurn | undefined,
): TextRequest {
  let messages: Message[] | undefined;
  // Each call once, as in any conversation: a body that repeats one cannot make itself larger than what is remembered.
  const used = new Set<string>();
  const findOnce = (callId: string): SealedTurn | undefined => {
    if (used.has(callId)) return undefined;
    used.add(callId);
    return find(callId);
  };
  for (const [index, message] of request.messages.entries()) {
    const restored = message.role === 'assistant' ? restoredMessage(message, findOnce) : message;
    if (restored === message) continue;
    messages ??= [...request.messages];
    messages[index] = restored;
  }
  return messages === undefined ? request : { ...request, messages };
}

function restoredMessage(message: Message, find: (callId: string) => SealedTurn | undefined): Message {
  let sealing: Map<Part, SealedTurn> | undefined;
  for (const part of message.parts) {
    if (part.type !== 'tool-call' || part.id === '') continue;
    const turn = find(part.id);
    if (turn === undefined || !isSealed(turn)) continue;
    sealing ??= new Map();
    sealing.set(part, turn);
  }
  if (sealing === undefined) return message;
  const found = sealing;
  const sealed = message.parts.map((part) => (part.type === 'tool-call' ? sealedCall(part, found.get(part)) : part));
  const parts = message.parts.some(isSealedThinking)
    ? sealed
    : withThinking(
        sealed,
        message.parts.map((part) => (part.type === 'tool-call' ? found.get(part)?.thinking : undefined)),
      );
  return parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index])
    ? message
    : { ...message, parts };
}

function sealedCall(call: ToolCallPart, turn: SealedTurn | undefined): ToolCallPart {
  if (call.seal !== undefined || turn?.callSeal === undefined) return call;
  return { ...call, seal: turn.callSeal };
}

function isSealedThinking(part: Part): boolean {
  return part.type === 'thinking' && part.seal !== undefined;
}

/**
 * The thoughts before the first call opened the turn, so they come first of all, or where the client put its own copy of
 * them; thoughts between two calls go back between them. `before` holds, for each part, what was before it.
 */
function withThinking(
  parts: readonly Part[],
  before: readonly (readonly ThinkingPart[] | undefined)[],
): readonly Part[] {
  const echoes = echoesAmong(parts, before);
  const firstKnown = before.findIndex((thinking) => thinking !== undefined);
  const firstEcho = parts.findIndex((_, index) => index < firstKnown && echoes.has(index));
  const start = firstEcho === -1 ? 0 : firstEcho;
  const placed = new Set<string>();
  const result: Part[] = [];
  const place = (thinking: readonly ThinkingPart[] | undefined): void => {
    for (const part of thinking ?? []) {
      const key = keyOf(part);
      if (!placed.has(key)) result.push(part);
      placed.add(key);
    }
  };
  for (const [index, part] of parts.entries()) {
    if (index === start) place(before[firstKnown]);
    place(before[index]);
    if (!echoes.has(index)) result.push(part);
  }
  return result;
}

/** A memory that was written down and read again holds equal parts, not the same ones. */
function keyOf({ text, seal }: ThinkingPart): string {
  return `${seal?.value ?? ''}\0${text}`;
}

/** Which parts are remembered thoughts that the client sent back as plain words: the sealed originals take their place. */
function echoesAmong(
  parts: readonly Part[],
  before: readonly (readonly ThinkingPart[] | undefined)[],
): ReadonlySet<number> {
  const known = before.flatMap((thinking) => thinking ?? []);
  const texts = new Set(known.map(({ text }) => text));
  // A format with one field for all thoughts of a turn gives them back in one piece.
  for (const thinking of before) texts.add((thinking ?? []).map(({ text }) => text).join(''));
  texts.delete('');
  const echoes = new Set<number>();
  for (const [index, part] of parts.entries()) {
    if (part.type === 'thinking' && texts.has(part.text)) echoes.add(index);
  }
  return echoes;
}
