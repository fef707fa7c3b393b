/** How this format refers to earlier replies: by `previous_response_id`, kept unless `store` is false. */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { isOwnId } from '../../conversation/references/own-ids.ts';
import type { ReplyMemory } from '../format.ts';
import { inputItemsOf, outputItemsOf } from './items.ts';
import { text } from './wire.ts';

const previousField = 'previous_response_id';

export const memory: ReplyMemory = {
  previousField,
  previousId: (request) => text(request[previousField]),
  wantsKept: (request) => request['store'] !== false,
  unkept: (request) => (request['store'] === false ? request : { ...request, store: false }),
  continued(request, earlier, looksUp) {
    const kept = looksUp ? earlier.filter((item) => !isBareThinking(item)) : earlier;
    return new Map<string, unknown>([
      ['input', [...kept, ...inputItemsOf(request)]],
      [previousField, undefined],
    ]);
  },
  asked: (request, earlier) => [...earlier, ...inputItemsOf(request)],
  answered: outputItemsOf,
  idOf: (reply) => text(reply['id']),
  ownItems(reply) {
    const items = new Map<string, unknown>();
    for (const item of outputItemsOf(reply)) {
      const id = isObject(item) ? text(item['id']) : undefined;
      if (id !== undefined && isOwnId(id)) items.set(id, item);
    }
    return items;
  },
  namedItems({ input }) {
    if (!Array.isArray(input)) return none;
    let ids: string[] | undefined;
    // Of every request with a conversation: nearly none names an item.
    for (let index = 0; index < input.length; index++) {
      const id = namedItem(input[index]);
      if (id === undefined) continue;
      ids ??= [];
      ids.push(id);
    }
    return ids ?? none;
  },
  withItems(exact, items) {
    if (!Array.isArray(exact)) return exact;
    // Each once, as in any conversation: a body that repeats an id cannot make itself larger than what is kept.
    const left = new Map(items);
    return exact.map((item) => {
      const id = namedItem(item);
      const whole = id === undefined ? undefined : left.get(id);
      if (id === undefined || whole === undefined) return item;
      left.delete(id);
      return whole;
    });
  },
  turnsField: 'input',
  replyIn,
};

const none: readonly string[] = [];

/** The id of Weir's own that is sent instead of a whole item. */
function namedItem(item: unknown): string | undefined {
  if (!isObject(item) || item['type'] !== 'item_reference') return undefined;
  return isOwnId(item['id']) ? text(item['id']) : undefined;
}

/** Thinking without its sealed text is a reference to what its provider stored; anywhere else it is useless. */
function isBareThinking(item: unknown): boolean {
  return isObject(item) && item['type'] === 'reasoning' && typeof item['encrypted_content'] !== 'string';
}

/** No event name holds a brace, so the data is the text between the outermost braces. */
function replyIn(lastEvent: string): Tree | undefined {
  const start = lastEvent.indexOf('{');
  const end = lastEvent.lastIndexOf('}');
  if (start === -1 || end < start) return undefined;
  const event: unknown = JSON.parse(lastEvent.slice(start, end + 1));
  return isObject(event) && isObject(event['response']) ? event['response'] : undefined;
}
