/**
 * The thinking of a chat reply, by the ids of its tool calls, and its way back into turns that came without it: some
 * models refuse a tool loop whose thinking does not come back, and some clients drop it.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ThoughtCollector, TurnThoughts } from '../format.ts';

export const turnThoughts: TurnThoughts = {
  missing({ messages }, field) {
    const calls: string[] = [];
    if (!Array.isArray(messages)) return calls;
    for (const message of messages) if (lacksThought(message, field)) calls.push(...callIds(message));
    return calls;
  },
  restored(exact, field, find) {
    if (!Array.isArray(exact)) return undefined;
    const places: string[] = [];
    // Each call once, as in any conversation: a body that repeats one cannot make itself larger than what is kept.
    const used = new Set<string>();
    let bytes = 0;
    const messages = exact.map((message: unknown, index) => {
      if (!lacksThought(message, field)) return message;
      const ids = callIds(message).filter((id) => !used.has(id));
      for (const id of ids) used.add(id);
      const thought = ids.map(find).find(isSaid);
      if (thought === undefined) return message;
      bytes += Buffer.byteLength(thought);
      places.push(`messages[${index}].${field}`);
      return { ...message, [field]: thought };
    });
    return places.length === 0 ? undefined : { turns: new Map([['messages', messages]]), places, bytes };
  },
  inReply(reply, field) {
    const thoughts = new Collected(field);
    for (const choice of listOf(reply['choices'])) if (isObject(choice)) thoughts.take(choice, choice['message']);
    return thoughts.byCall;
  },
  collector: (field) => new Collected(field),
};

function lacksThought(message: unknown, field: string): message is Tree {
  return isObject(message) && message['role'] === 'assistant' && !isSaid(message[field]) && hasCalls(message);
}

function hasCalls({ tool_calls }: Tree): boolean {
  return Array.isArray(tool_calls) && tool_calls.length > 0;
}

function callIds({ tool_calls }: Tree): string[] {
  return listOf(tool_calls).flatMap((call) => (isObject(call) && isSaid(call['id']) ? [call['id']] : []));
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Thoughts beyond this are not kept: they would push out those of other conversations. */
const thoughtLengthMax = 1_048_576;

/** What the choices said so far, and which tools they called. */
class Collected implements ThoughtCollector {
  readonly #field: string;
  readonly #choices = new Map<unknown, { thought: string; readonly calls: Set<string> }>();

  constructor(field: string) {
    this.#field = field;
  }

  add(choice: Tree): void {
    this.take(choice, choice['delta']);
  }

  take({ index }: Tree, said: unknown): void {
    if (!isObject(said)) return;
    const thought = said[this.#field];
    if (!isSaid(thought) && !hasCalls(said)) return;
    const known = this.#choices.get(index) ?? { thought: '', calls: new Set() };
    this.#choices.set(index, known);
    if (isSaid(thought) && known.thought.length <= thoughtLengthMax) known.thought += thought;
    // Some servers repeat the id with every piece of the arguments.
    for (const id of callIds(said)) known.calls.add(id);
  }

  get byCall(): ReadonlyMap<string, string> {
    const thoughts = new Map<string, string>();
    for (const { thought, calls } of this.#choices.values()) {
      if (thought === '' || thought.length > thoughtLengthMax) continue;
      for (const id of calls) thoughts.set(id, thought);
    }
    return thoughts;
  }
}
