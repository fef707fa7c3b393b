/** The list of a reply's items: pages, order, and an id for everything. */

import { expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { writeItemList } from './item-list.ts';

const items = [
  { role: 'user', content: 'a' },
  { type: 'function_call_output', call_id: 'c', output: 'x' },
  { type: 'message', id: 'msg_1', role: 'assistant', content: 'b' },
  'no item',
];
const list = (query = ''): Record<string, unknown> =>
  writeItemList(items, new URLSearchParams(query)) as Record<string, unknown>;

test('every item has an id and messages have parts', () => {
  expect(list('order=asc')).toEqual({
    object: 'list',
    data: [
      {
        id: 'item_0',
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'a' }],
      },
      { id: 'item_1', type: 'function_call_output', call_id: 'c', output: 'x' },
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'b' }],
      },
    ],
    first_id: 'item_0',
    last_id: 'msg_1',
    has_more: false,
  });
});

test('pages follow each other, newest first', () => {
  expect(list('limit=2')).toMatchObject({ first_id: 'msg_1', last_id: 'item_1', has_more: true });
  expect(list('limit=2&after=item_1')).toMatchObject({ first_id: 'item_0', last_id: 'item_0', has_more: false });
  expect(writeItemList([], new URLSearchParams())).toMatchObject({ data: [], first_id: '', has_more: false });
});

test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'order=up', 'after=missing'])('%s is refused', (query) => {
  expect(() => list(query)).toThrow(GatewayError);
});
