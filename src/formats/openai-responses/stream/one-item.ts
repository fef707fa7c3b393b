/** One output item of a stream while it grows: the interface of its writer, and what all kinds of items share. */

import type { LossList } from '../../../conversation/loss-list.ts';
import type { Citation, Seal, TokenLogprob } from '../../../conversation/parts.ts';
import type { ItemStatus, Tools } from '../output-items.ts';

export interface ItemEvents {
  readonly place: number;
  open(): string;
  add(delta: string, logprobs: readonly TokenLogprob[] | undefined): string;
  cite(citation: Citation): string;
  seal(seal: Seal): void;
  /** Its part ended, and the next one may continue it; absent where an item is one part. */
  pause?(): string;
  resume?(): void;
  close(): string;
  /** The item as far as it has come. */
  item(status: ItemStatus): object;
}

export interface ItemContext {
  readonly place: number;
  newId(prefix: string): string;
  /** The number of the next event. */
  next(): number;
  readonly tools: Tools;
  readonly losses: LossList;
}

/** What all items have in common. */
export abstract class Events implements ItemEvents {
  readonly place: number;
  protected readonly id: string;
  protected readonly context: ItemContext;
  protected said = '';
  /** What every event of this item begins with after its type. */
  protected readonly address: string;

  constructor(context: ItemContext, prefix: string) {
    this.context = context;
    this.place = context.place;
    this.id = context.newId(prefix);
    this.address = `"item_id":${JSON.stringify(this.id)},"output_index":${this.place}`;
  }

  abstract open(): string;
  abstract add(delta: string, logprobs: readonly TokenLogprob[] | undefined): string;
  abstract close(): string;
  abstract item(status: ItemStatus): object;

  cite(_citation: Citation): string {
    this.context.losses.add('output citation', 'belongs to a text in this format');
    return '';
  }

  seal(_seal: Seal): void {
    // A call's seal is remembered by the relay: the format has no field for it.
  }

  /** `fields` is the JSON text of the event's own members. */
  protected event(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"sequence_number":${this.context.next()}}\n\n`;
  }

  protected added(): string {
    return this.event(
      'response.output_item.added',
      `"output_index":${this.place},"item":${this.#printed('in_progress')}`,
    );
  }

  protected done(): string {
    return this.event('response.output_item.done', `"output_index":${this.place},"item":${this.#printed('completed')}`);
  }

  #printed(status: ItemStatus): string {
    return JSON.stringify(this.item(status));
  }
}

/** The head of a delta event, printed once: thousands of them share it. */
export function deltaHead(type: string, address: string): string {
  return `event: ${type}\ndata: {"type":"${type}",${address},"delta":`;
}
