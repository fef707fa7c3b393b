/** The items of a conversation in order. */

import { type Item, sizeOf } from './items.ts';
import { ProtocolFault } from './protocol/faults.ts';

export const itemsMax = 1_000;
const charactersMax = 16 * 1024 * 1024;

export class Conversation {
  #items: Item[] = [];
  #characters = 0;

  get items(): readonly Item[] {
    return this.#items;
  }

  get lastId(): string | undefined {
    return this.#items.at(-1)?.id;
  }

  find(id: string): Item | undefined {
    return this.#items.find((item) => item.id === id);
  }

  hasCall(callId: string): boolean {
    return this.#items.some((item) => item.type === 'function_call' && item.callId === callId);
  }

  /** After the item `previousId`, first where that is `root`, last without it. Returns the id of the item before it. */
  insert(item: Item, previousId?: string): string | undefined {
    const at = this.#placeBehind(previousId);
    if (this.find(item.id) !== undefined) {
      const message = `The conversation has an item '${item.id}' already.`;
      throw new ProtocolFault('item_create_duplicate_item_id', message, 'item.id');
    }
    const size = sizeOf(item);
    if (this.#items.length >= itemsMax || this.#characters + size > charactersMax) {
      const message = `A conversation holds ${itemsMax} items and ${charactersMax} characters. Delete some first.`;
      throw new ProtocolFault('conversation_full', message);
    }
    this.#characters += size;
    this.#items.splice(at, 0, item);
    return this.#items[at - 1]?.id;
  }

  /** Does nothing where it was deleted meanwhile. */
  replace(item: Item): void {
    const at = this.#items.findIndex(({ id }) => id === item.id);
    const old = this.#items[at];
    if (old === undefined) return;
    this.#characters += sizeOf(item) - sizeOf(old);
    this.#items[at] = item;
  }

  delete(id: string): boolean {
    const at = this.#items.findIndex((item) => item.id === id);
    const old = this.#items[at];
    if (old === undefined) return false;
    this.#characters -= sizeOf(old);
    this.#items.splice(at, 1);
    return true;
  }

  previousOf(id: string): string | undefined {
    const at = this.#items.findIndex((item) => item.id === id);
    return this.#items[at - 1]?.id;
  }

  #placeBehind(previousId: string | undefined): number {
    if (previousId === undefined) return this.#items.length;
    if (previousId === 'root') return 0;
    const at = this.#items.findIndex(({ id }) => id === previousId);
    if (at !== -1) return at + 1;
    const message = `The conversation has no item '${previousId.slice(0, 100)}' to put another one behind.`;
    throw new ProtocolFault('item_create_invalid_previous_item_id', message, 'previous_item_id');
  }
}
