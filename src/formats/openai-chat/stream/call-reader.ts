/** Puts the pieces of streamed tool calls together, however a service numbers, names or repeats them. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { StreamEvent } from '../../../conversation/text-reply.ts';
import type { ReadContext } from '../../codec.ts';
import { argumentsText } from '../read/reply.ts';
import { callIdPrefix, readCallSignature } from '../wire.ts';

interface Call {
  id: string;
  name: string;
  /** Set once the call's part is open; a call opens as soon as its name is known. */
  part: number | undefined;
  written: string;
  /** What came before the part was open. */
  signature: string | undefined;
  closed: boolean;
  readonly custom: boolean;
}

export class CallReader {
  readonly #candidate: number;
  readonly #context: ReadContext;
  readonly #losses: LossList;
  readonly #nextPart: () => number;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();
  #legacy: Call | undefined;

  constructor(candidate: number, context: ReadContext, losses: LossList, nextPart: () => number) {
    this.#candidate = candidate;
    this.#context = context;
    this.#losses = losses;
    this.#nextPart = nextPart;
  }

  get some(): boolean {
    return this.#calls.length > 0;
  }

  read(entry: unknown, events: StreamEvent[]): void {
    if (!isObject(entry)) {
      this.#losses.addOnce('tool_calls', 'holds something that is not a call');
      return;
    }
    const target: Tree = isObject(entry.function) ? entry.function : isObject(entry.custom) ? entry.custom : {};
    const id = typeof entry.id === 'string' ? entry.id : '';
    const name = typeof target.name === 'string' ? target.name : '';
    const index = typeof entry.index === 'number' ? entry.index : undefined;
    const call = this.#find(index, id, name) ?? this.#add(index, isObject(entry.custom));
    if (call.id === '') call.id = id;
    this.#extend(call, name, argumentsText(target.arguments ?? target.input), events);
    const signature = readCallSignature(entry);
    if (signature === undefined) return;
    if (call.closed) this.#losses.addOnce('tool call signature', 'came after the call was complete');
    else if (call.part === undefined) call.signature = signature;
    else this.#seal(call.part, signature, events);
  }

  #seal(part: number, value: string, events: StreamEvent[]): void {
    const seal = { value, origin: this.#context.origin };
    events.push({ type: 'seal', candidate: this.#candidate, part, seal });
  }

  readLegacy(target: Tree, events: StreamEvent[]): void {
    this.#legacy ??= this.#add(undefined, false);
    this.#extend(
      this.#legacy,
      typeof target.name === 'string' ? target.name : '',
      argumentsText(target.arguments),
      events,
    );
  }

  /** The number decides, unless another id under the same number shows that a service does not count its calls. */
  #find(index: number | undefined, id: string, name: string): Call | undefined {
    if (index !== undefined) {
      const call = this.#byIndex.get(index);
      const another = call !== undefined && id !== '' && call.id !== '' && id !== call.id && name !== '';
      return another ? undefined : call;
    }
    if (id !== '') return this.#calls.find((call) => call.id === id);
    return name === '' ? this.#calls.at(-1) : undefined;
  }

  #add(index: number | undefined, custom: boolean): Call {
    const call: Call = { id: '', name: '', part: undefined, written: '', signature: undefined, closed: false, custom };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  #extend(call: Call, name: string, text: string, events: StreamEvent[]): void {
    if (call.closed) {
      if (text.trim() !== '') this.#losses.addOnce('tool call arguments', 'continued after they were complete');
      return;
    }
    if (call.name === '') call.name = name;
    call.written += text;
    if (call.name === '') return;
    if (call.part === undefined) this.#open(call, events);
    else if (text !== '') this.#push(call.part, text, events);
  }

  /**
   * Calls may be streamed side by side, so an earlier one is closed only where its arguments are complete: formats that
   * write one part after the other can then pass the next one on at once.
   */
  #open(call: Call, events: StreamEvent[]): void {
    for (const earlier of this.#calls) {
      if (earlier !== call && earlier.part !== undefined && isComplete(earlier)) this.#close(earlier, events);
    }
    if (call.id === '') call.id = this.#context.newId(callIdPrefix);
    call.part = this.#nextPart();
    const { id, name, custom } = call;
    const opening = { type: 'tool-call', id, name, ...(custom && { freeform: true as const }) } as const;
    events.push({ type: 'part-start', candidate: this.#candidate, part: call.part, opening });
    if (call.written !== '') this.#push(call.part, call.written, events);
    if (call.signature !== undefined) this.#seal(call.part, call.signature, events);
  }

  #push(part: number, text: string, events: StreamEvent[]): void {
    events.push({ type: 'tool-input-delta', candidate: this.#candidate, part, text });
  }

  #close(call: Call, events: StreamEvent[]): void {
    if (call.closed || call.part === undefined) return;
    call.closed = true;
    events.push({ type: 'part-end', candidate: this.#candidate, part: call.part });
  }

  end(events: StreamEvent[]): void {
    for (const call of this.#calls) {
      if (call.part === undefined) this.#open(call, events);
      this.#close(call, events);
    }
  }
}

/** Nothing can follow a complete object; a text may always continue. */
function isComplete({ written: text, custom }: Call): boolean {
  if (custom || !text.endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
