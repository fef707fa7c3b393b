/** The items a reply was made from, as its clients list them: page by page, each with an id, messages with their parts. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';

/** The query parameters of the list. */
export const listParameters: readonly string[] = ['after', 'before', 'include', 'include[]', 'limit', 'order'];

const limitMax = 100;
const limitDefault = 20;

export function writeItemList(items: readonly unknown[], query: URLSearchParams): object {
  const limit = readLimit(query.get('limit'));
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order', 'must be `asc` or `desc`');
  const all = items.flatMap((item, index) => (isObject(item) ? [writeListed(item, index)] : []));
  if (order === 'desc') all.reverse();
  const after = query.get('after');
  const at = after === null ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== null && at === -1) throw invalid('after', 'must be the id of an item of this reply');
  const data = all.slice(at + 1, at + 1 + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? '',
    last_id: data.at(-1)?.id ?? '',
    has_more: at + 1 + limit < all.length,
  };
}

/** An item without an id is named after its place, which never changes. */
function writeListed(item: Tree, index: number): Tree & { readonly id: string } {
  const id = typeof item['id'] === 'string' && item['id'] !== '' ? item['id'] : `item_${index}`;
  const { type, role, content } = item;
  if (type !== undefined && type !== 'message') return { ...item, id };
  const kind = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type: kind, text: content }] : content;
  return { status: 'completed', ...item, id, type: 'message', content: parts };
}

function readLimit(text: string | null): number {
  if (text === null) return limitDefault;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
    throw invalid('limit', `must be a whole number from 1 to ${limitMax}`);
  }
  return limit;
}

export function writeDeleted(id: string): object {
  return { id, object: 'response', deleted: true };
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The parameter \`${param}\` ${rule}.`, { param });
}
