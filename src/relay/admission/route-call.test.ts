/** What ties a request to earlier ones: a session is its token's own, the start of a conversation is not. */

import { expect, test } from 'bun:test';
import { callerOf } from '../../access/levels/caller-of.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import { affinityOf } from './route-call.ts';

const keyOf = (tokenId: string, headers: Record<string, string>, tree: Record<string, unknown> = {}) =>
  affinityOf(
    { routing: { affinityBytesMin: 1 } as never },
    {
      headers: new Headers(headers),
      format: openaiChat,
      tree,
      caller: callerOf({ id: tokenId, hint: '', createdAtMs: 0, terms: { name: 't' } }),
    },
  )?.key;

test.each([
  ['x-weir-session', { 'x-weir-session': 's' }, {}],
  ['session_id', { session_id: 's' }, {}],
  ['x-session-id', { 'x-session-id': 's' }, {}],
  ['prompt_cache_key', {}, { prompt_cache_key: 's' }],
] as const)('a session in %s is of one token', (_, headers, tree) => {
  expect(keyOf('tok_a', headers, tree)).toBeDefined();
  expect(keyOf('tok_a', headers, tree)).toBe(keyOf('tok_a', headers, tree) ?? '');
  expect(keyOf('tok_a', headers, tree)).not.toBe(keyOf('tok_b', headers, tree));
});

test('the same start of a conversation is one for all tokens, which share the provider’s cache', () => {
  const tree = { messages: [{ role: 'system', content: 'You are a lighthouse.' }] };
  expect(keyOf('tok_a', {}, tree)).toBeDefined();
  expect(keyOf('tok_a', {}, tree)).toBe(keyOf('tok_b', {}, tree) ?? '');
});
