/**
 * The thinking of a chat reply, by its tool calls, and its way back into turns that came without it: some models refuse a
 * tool loop whose thinking does not come back, and some clients drop it.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ThoughtCollector, TurnThoughts } from '../format.ts';

export const turnThoughts: TurnThoughts = {
  missing({ messages }, field) {
    const keys: string[] = [];
    for (const [index, message] of listOf(messages).entries()) {
      if (lacksThought(message, field)) keys.push(...keysOf(message, listOf(messages), index));
    }
    return keys;
  },
  restored(exact, field, find) {
    if (!Array.isArray(exact)) return undefined;
    const places: string[] = [];
    // Each call once, as in any conversation: a body that repeats one cannot make itself larger than what is kept.
    const used = new Set<string>();
    let bytes = 0;
    const messages = exact.map((message: unknown, index) => {
      if (!lacksThought(message, field)) return message;
      const keys = keysOf(message, exact, index).filter((key) => !used.has(key));
      for (const key of keys) used.add(key);
      const thought = keys.map(find).find(isSaid);
      if (thought === undefined) return message;
      bytes += Buffer.byteLength(thought);
      places.push(`messages[${index}].${field}`);
      return { ...message, [field]: thought };
    });
    return places.length === 0 ? undefined : { turns: new Map([['messages', messages]]), places, bytes };
  },
  inReply(tree, reply, field) {
    const thoughts = new Collected(tree, field);
    for (const choice of listOf(reply['choices'])) if (isObject(choice)) thoughts.take(choice, choice['message']);
    return thoughts.byKey;
  },
  collector: (tree, field) => new Collected(tree, field),
};

function lacksThought(message: unknown, field: string): message is Tree {
  return isObject(message) && message['role'] === 'assistant' && !isSaid(message[field]) && hasCalls(message);
}

function hasCalls({ tool_calls }: Tree): boolean {
  return Array.isArray(tool_calls) && tool_calls.length > 0;
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface Called {
  readonly id: string;
  name: string;
  args: string;
}

/** The keys of the calls of the turn at this place. */
function keysOf({ tool_calls }: Tree, messages: readonly unknown[], index: number): string[] {
  const keyOf = keyFinder(messages, index);
  return listOf(tool_calls).flatMap((call) => {
    if (!isObject(call) || !isSaid(call['id'])) return [];
    const called: unknown = call['function'];
    const { name, arguments: args } = isObject(called) ? called : {};
    return [keyOf({ id: call['id'], name: String(name ?? ''), args: String(args ?? '') })];
  });
}

/** Ids that a server only counts, such as `functions.read:0`: every conversation has the same ones. */
const countedEnd = /[:#.]\d{1,6}$/;
const uniqueLengthMin = 20;

/** A counted id is distinguished by what was called, and by the messages right before, which are printed once for a turn. */
function keyFinder(messages: readonly unknown[], index: number): (called: Called) => string {
  let before: string | undefined;
  return ({ id, name, args }) => {
    if (id.length >= uniqueLengthMin && !countedEnd.test(id)) return id;
    before ??= digestOf(JSON.stringify(messagesBefore(messages, index)));
    return JSON.stringify([id, name, plainArguments(args), before]);
  };
}

/** Back to the turn before. Instructions are left out: they may hold the time of day. */
function messagesBefore(messages: readonly unknown[], index: number): readonly unknown[] {
  let from = index;
  while (from > 0 && !isAssistant(messages[from - 1])) from--;
  return messages.slice(from, index).map((message) => {
    const { role, content, tool_call_id } = isObject(message) ? message : {};
    return role === 'system' || role === 'developer' ? [] : [role, content, tool_call_id];
  });
}

function digestOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('base64url');
}

function isAssistant(message: unknown): boolean {
  return isObject(message) && message['role'] === 'assistant';
}

/** Some clients parse the arguments and print them again. */
function plainArguments(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args));
  } catch {
    return args;
  }
}

/** Thoughts beyond this are not kept: they would push out those of other conversations. */
const thoughtLengthMax = 1_048_576;

interface CollectedChoice {
  thought: string;
  readonly calls: Map<unknown, Called>;
}

/** What the choices said so far, and which tools they called. */
class Collected implements ThoughtCollector {
  readonly #messages: readonly unknown[];
  readonly #field: string;
  readonly #choices = new Map<unknown, CollectedChoice>();

  constructor({ messages }: Tree, field: string) {
    this.#messages = listOf(messages);
    this.#field = field;
  }

  add(choice: Tree): void {
    this.take(choice, choice['delta']);
  }

  take({ index }: Tree, said: unknown): void {
    if (!isObject(said)) return;
    const thought = said[this.#field];
    if (!isSaid(thought) && !hasCalls(said)) return;
    const known: CollectedChoice = this.#choices.get(index) ?? { thought: '', calls: new Map() };
    this.#choices.set(index, known);
    if (isSaid(thought) && known.thought.length <= thoughtLengthMax) known.thought += thought;
    for (const [place, call] of listOf(said['tool_calls']).entries()) {
      if (isObject(call)) takeCall(known.calls, call, call['index'] ?? place);
    }
  }

  get byKey(): ReadonlyMap<string, string> {
    const thoughts = new Map<string, string>();
    const keyOf = keyFinder(this.#messages, this.#messages.length);
    for (const { thought, calls } of this.#choices.values()) {
      if (thought === '' || thought.length > thoughtLengthMax) continue;
      for (const call of calls.values()) thoughts.set(keyOf(call), thought);
    }
    return thoughts;
  }
}

/** A call, or a further piece of one: some servers repeat the id with every piece. */
function takeCall(calls: Map<unknown, Called>, { id, function: called }: Tree, place: unknown): void {
  const { name, arguments: args } = isObject(called) ? called : {};
  const known = calls.get(place);
  if (known === undefined) {
    if (isSaid(id)) calls.set(place, { id, name: String(name ?? ''), args: String(args ?? '') });
    return;
  }
  if (isSaid(name)) known.name = name;
  if (isSaid(args)) known.args += args;
}
