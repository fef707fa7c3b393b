/** Finds out which result answers which call, also where ids are missing or used twice. */

import type { Message, ToolCallPart, ToolResultPart } from '../parts.ts';
import { CallIds } from './call-ids.ts';
import type { ConversationRules } from './rules.ts';

/** What a result that answers no call has for its turn. */
export const noTurn = -1;

/** A call, or the placeholder for the missing call of an orphaned result. */
export interface Call {
  /** As it is sent to the target. */
  readonly id: string;
  readonly name: string;
  /** The message that holds the call. */
  readonly turn: number;
  answered: boolean;
}

/** For each message the call of each of its parts; `undefined` where a message has neither calls nor results. */
export type CallLinks = readonly (readonly (Call | undefined)[] | undefined)[];

export function matchCalls(messages: readonly Message[], rules: ConversationRules): CallLinks {
  const matcher = new CallMatcher(rules);
  return messages.map(({ role, parts }, turn) => {
    let links: (Call | undefined)[] | undefined;
    if (role === 'user') matcher.userSpoke();
    for (const [index, part] of parts.entries()) {
      let call: Call | undefined;
      if (part.type === 'tool-call' && role === 'assistant') call = matcher.call(part, turn);
      if (part.type === 'tool-result' && role !== 'assistant') call = matcher.result(part);
      if (call === undefined) continue;
      links ??= new Array<Call | undefined>(parts.length).fill(undefined);
      links[index] = call;
    }
    return links;
  });
}

/** Calls in order, of which the oldest that has no answer yet is the next. */
class Queue {
  readonly #calls: Call[] = [];
  #next = 0;

  push(call: Call): void {
    this.#calls.push(call);
  }

  answer(): Call | undefined {
    while (this.#next < this.#calls.length) {
      const call = this.#calls[this.#next];
      this.#next += 1;
      if (call === undefined || call.answered) continue;
      call.answered = true;
      return call;
    }
    return undefined;
  }
}

class OpenCalls {
  readonly byId = new Map<string, Queue>();
  readonly byName = new Map<string, Queue>();
  readonly all = new Queue();

  add({ id, name }: ToolCallPart, call: Call): void {
    enqueue(this.byId, id, call);
    enqueue(this.byName, name, call);
    this.all.push(call);
  }
}

class CallMatcher {
  readonly #ids: CallIds;
  readonly #unique: boolean;
  readonly #written = new Map<string, string>();
  readonly #every = new OpenCalls();
  /** Calls since the last result or word of the user: an id or name that is used again means the newest of them. */
  #round = new OpenCalls();
  #roundOver = false;
  #ordinal = 0;

  constructor({ callId, pairsCalls = false }: ConversationRules) {
    this.#ids = new CallIds(callId);
    this.#unique = pairsCalls;
  }

  call(part: ToolCallPart, turn: number): Call {
    if (this.#roundOver) this.#round = new OpenCalls();
    this.#roundOver = false;
    this.#ordinal += 1;
    const call: Call = { id: this.#idOf(part), name: part.name, turn, answered: false };
    this.#round.add(part, call);
    this.#every.add(part, call);
    return call;
  }

  userSpoke(): void {
    this.#roundOver = true;
  }

  result({ callId, name }: ToolResultPart): Call {
    this.#roundOver = true;
    const call = callId === '' ? this.#nameless(name) : this.#named(callId, name);
    if (call !== undefined) return call;
    return { id: this.#orphanId(callId), name: name ?? '', turn: noTurn, answered: true };
  }

  #orphanId(callId: string): string {
    // Where pairs are demanded an orphan does not stay a result, and its id must not be in a later call's way.
    if (this.#unique) return callId;
    this.#ordinal += 1;
    return callId === '' ? this.#ids.make(`\0${this.#ordinal}`) : (this.#written.get(callId) ?? this.#write(callId));
  }

  #named(callId: string, name: string | undefined): Call | undefined {
    const call = this.#oldest((calls) => calls.byId.get(callId));
    if (call !== undefined || name === undefined || this.#every.byId.has(callId)) return call;
    // The caller gave the answer an id of its own although the call had none.
    return this.#round.byId.has('') ? this.#round.byName.get(name)?.answer() : undefined;
  }

  #nameless(name: string | undefined): Call | undefined {
    return this.#oldest((calls) => (name === undefined ? calls.all : calls.byName.get(name)));
  }

  #oldest(choose: (calls: OpenCalls) => Queue | undefined): Call | undefined {
    return choose(this.#round)?.answer() ?? choose(this.#every)?.answer();
  }

  #idOf({ id, name }: ToolCallPart): string {
    // The number among all calls so far stays the same when the conversation grows, and so does the id.
    if (id === '') return this.#ids.make(`\0${this.#ordinal}\0${name}`);
    const written = this.#written.get(id);
    if (written === undefined) return this.#write(id);
    return this.#unique ? this.#ids.make(`${id}\0${this.#ordinal}`) : written;
  }

  #write(id: string): string {
    const written = this.#ids.fits(id) && !this.#ids.isTaken(id) ? this.#ids.take(id) : this.#ids.make(id);
    this.#written.set(id, written);
    return written;
  }
}

function enqueue(queues: Map<string, Queue>, key: string, call: Call): void {
  let queue = queues.get(key);
  if (queue === undefined) {
    queue = new Queue();
    queues.set(key, queue);
  }
  queue.push(call);
}
