/** OpenAI response streams: the documented order of events. https://platform.openai.com/docs/guides/streaming-responses (read 2026-11-16). */

import type { SocketOrder, StreamedEvent } from '../oracle.ts';

type Tree = Readonly<Record<string, unknown>>;

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
const opening = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** One response's events as they come: what is open, and the first rule that one of them breaks. */
class ResponseOrder {
  #last = -1;
  #type: string | undefined;
  readonly #open = new Map<unknown, string>();
  readonly #items = new Set<unknown>();
  readonly #parts = new Set<string>();

  fault(event: Tree): string | undefined {
    const type = String(event['type']);
    const before = this.#type;
    this.#type = type;
    const number = Number(event['sequence_number'] ?? this.#last + 1);
    if (number <= this.#last) return `${type} has the sequence_number ${number} after ${this.#last}`;
    this.#last = number;
    const afterError = before === 'error' && type === 'response.failed';
    if (before !== undefined && terminal.has(before) && !afterError) return `${type} follows ${before}`;
    if (type === 'error') return undefined;
    if ((before === undefined) !== (type === 'response.created')) {
      return before === undefined ? `the first event is ${type}` : 'response.created comes twice';
    }
    if (opening.has(type)) return this.#items.size > 0 ? `${type} comes after an item` : undefined;
    if (terminal.has(type)) return this.#endFault(type);
    return this.#itemFault(type, event);
  }

  get isComplete(): boolean {
    return this.#type !== undefined && terminal.has(this.#type);
  }

  #endFault(type: string): string | undefined {
    const [left] = this.#open.values();
    return type === 'response.completed' && left !== undefined ? `${type} comes while ${left} is open` : undefined;
  }

  #itemFault(type: string, event: Tree): string | undefined {
    const index = event['output_index'];
    if (index === undefined) return undefined;
    const item = event['item'] as Tree | undefined;
    if (type === 'response.output_item.added') {
      if (this.#items.has(index)) return `output_index ${index} is added twice`;
      this.#items.add(index);
      this.#open.set(index, String(item?.['id'] ?? ''));
      return undefined;
    }
    const open = this.#open.get(index);
    if (open === undefined) return `${type} is of output_index ${index}, which is not open`;
    const id = event['item_id'] ?? item?.['id'];
    if (id !== undefined && open !== '' && id !== open) return `${type} is of ${id}, but ${open} is open there`;
    if (type === 'response.output_item.done') this.#open.delete(index);
    return this.#partFault(type, event);
  }

  #partFault(type: string, event: Tree): string | undefined {
    const kind = event['content_index'] === undefined ? 'summary_index' : 'content_index';
    if (event[kind] === undefined) return undefined;
    const key = `${event['output_index']} ${kind} ${event[kind]}`;
    if (type.endsWith('_part.added')) {
      if (this.#parts.has(key)) return `${type} comes twice for ${key}`;
      this.#parts.add(key);
      return undefined;
    }
    if (!this.#parts.has(key)) return `${type} is of a part that is not open: ${key}`;
    if (type.endsWith('_part.done')) this.#parts.delete(key);
    return undefined;
  }
}

export function responseOrderFault(events: readonly StreamedEvent[], complete: boolean): string | undefined {
  const order = new ResponseOrder();
  for (const { name, data } of events) {
    if (data === '[DONE]') return 'the format has no [DONE]';
    const event = data as Tree;
    if (name !== event['type']) return `the event is named ${name}, its data ${event['type']}`;
    const fault = order.fault(event);
    if (fault !== undefined) return fault;
  }
  return complete && !order.isComplete ? 'the stream ends without a terminal event' : undefined;
}

/**
 * Over the WebSocket each lane has one response after the other; an error takes the place of the
 * response that it refuses.
 */
export function responseSocketOrder(): SocketOrder {
  const lanes = new Map<unknown, ResponseOrder>();
  return {
    fault(event) {
      const { type, stream_id: lane } = event;
      const order = lanes.get(lane) ?? new ResponseOrder();
      lanes.delete(lane);
      if (type === 'error' || type === 'response.steer.failed') return undefined;
      const fault = order.fault(event);
      if (!order.isComplete) lanes.set(lane, order);
      return fault;
    },
  };
}
