/** Continuing earlier replies in wire form: what is put before what, and what is said of storing. */

import { describe, expect, test } from 'bun:test';
import { memory } from './memory.ts';

const earlier = [
  { role: 'user', content: 'hello' },
  { type: 'reasoning', id: 'rs_1', summary: [] },
  { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sealed' },
  { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
];

describe('a request that continues a reply', () => {
  const request = { model: 'm', input: 'more', previous_response_id: 'resp_1', store: true };

  test('names the earlier reply', () => {
    expect(memory.previousId(request)).toBe('resp_1');
    expect(memory.previousId({ previous_response_id: null })).toBeUndefined();
    expect(memory.previousId({})).toBeUndefined();
  });

  test('gets the earlier turns before its own and loses the reference', () => {
    const changed = memory.continued(request, earlier, false);
    expect([...changed]).toEqual([
      ['input', [...earlier, { type: 'message', role: 'user', content: 'more' }]],
      ['previous_response_id', undefined],
    ]);
  });

  test('leaves references out for a provider that would look them up', () => {
    const input = memory.continued(request, earlier, true).get('input') as { id?: string }[];
    expect(input.map(({ id }) => id)).toEqual([undefined, 'rs_2', 'msg_1', undefined]);
  });

  test('may add nothing', () => {
    expect(memory.continued({ previous_response_id: 'x' }, earlier, false).get('input')).toEqual(earlier);
  });
});

test('a reply is stored unless its request says no, and an echo shows when it is not', () => {
  expect(['x', null, true, undefined].map((store) => memory.wantsKept({ store }))).toEqual([true, true, true, true]);
  expect(memory.wantsKept({ store: false })).toBe(false);
  const request = { model: 'm', store: false };
  expect(memory.unkept(request)).toBe(request);
  expect(memory.unkept({ model: 'm' })).toEqual({ model: 'm', store: false });
});

test.each([
  ['{"type":"response.completed","response":{"id":"resp_1"}}'],
  ['event: response.completed\ndata: {"type":"response.completed","response":{"id":"resp_1"}}\n\n'],
])('the last event carries the reply: %p', (event) => {
  const reply = memory.replyIn(event);
  expect(reply && memory.idOf(reply)).toBe('resp_1');
});

test('an event without a reply carries none', () => {
  expect(memory.replyIn('')).toBeUndefined();
  expect(memory.replyIn('data: {"type":"x"}')).toBeUndefined();
});
