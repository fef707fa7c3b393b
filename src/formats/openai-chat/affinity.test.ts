/** The turns of a chat conversation look alike, those of two do not. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { affinityOf } from './affinity.ts';

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const system = { role: 'system', content: 'Be brief.' };
const asked = { role: 'user', content: 'Will it rain?' };
const later = [
  { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'weather', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c', content: 'yes' },
  { role: 'assistant', content: 'Yes.' },
  { role: 'user', content: 'And tomorrow?' },
  { role: 'system', content: 'A reminder of the client.' },
];
const first: Tree = { model: 'm', messages: [system, asked], tools };
const prefixOf = (tree: Tree) => affinityOf(tree)?.prefix;

test('every turn gives the prefix of the first, and a size that grows', () => {
  const opening = affinityOf(first);
  expect(opening?.prefix).toContain('Will it rain?');
  expect(opening?.prefix).toContain('weather');
  let size = opening?.prefixBytes ?? 0;
  for (let end = 1; end <= later.length; end += 1) {
    const turn = affinityOf({ ...first, temperature: end, messages: [system, asked, ...later.slice(0, end)] });
    expect(turn?.prefix).toBe(opening?.prefix ?? '');
    expect(turn?.prefixBytes).toBeGreaterThan(size);
    size = turn?.prefixBytes ?? 0;
  }
});

test.each<[string, Tree]>([
  ['another question', { ...first, messages: [system, { role: 'user', content: 'Will it snow?' }] }],
  ['other instructions', { ...first, messages: [{ role: 'system', content: 'Be long.' }, asked] }],
  ['other tools', { ...first, tools: [{ type: 'function', function: { name: 'news' } }] }],
  ['no tools', { ...first, tools: undefined }],
  ['another image', { ...first, messages: [{ role: 'user', content: [asked, { image_url: 'https://h/2' }] }] }],
])('%s is another conversation', (_, tree) => {
  expect(prefixOf(tree)).not.toBe(prefixOf(first));
});

test('neither the spelling of a text, nor marks, nor a greeting make another conversation', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const parts = { role: 'user', content: [{ type: 'text', text: 'Will it rain?', ...mark }] };
  const greeted = { role: 'assistant', content: 'Hello!' };
  const marked = tools.map((tool) => ({ ...tool, ...mark }));
  expect(prefixOf({ messages: [system, greeted, parts], tools: marked })).toBe(prefixOf(first) ?? '');
  expect(prefixOf({ messages: [{ ...system, role: 'developer' }, asked], tools })).toBe(prefixOf(first) ?? '');
});

test('a large opening is cut, and only what is before the cut distinguishes it', () => {
  const long = (head: string) => ({ messages: [{ role: 'user', content: head + 'x'.repeat(1_000_000) }] });
  expect(prefixOf(long('a'))?.length).toBeLessThan(4_100);
  expect(prefixOf(long('a'))).not.toBe(prefixOf(long('b')));
});

test('the session is what the client says', () => {
  expect(affinityOf(first)).not.toHaveProperty('session');
  expect(affinityOf({ ...first, prompt_cache_key: 'k' })?.session).toBe('k');
  expect(affinityOf({ ...first, prompt_cache_key: 'k', session_id: 's' })?.session).toBe('s');
  expect(affinityOf({ prompt_cache_key: 'k' })).toEqual({ session: 'k', prefix: '', prefixBytes: 2 });
  expect(affinityOf({ ...first, prompt_cache_key: 5, session_id: '' })).not.toHaveProperty('session');
});

test('an empty request has no affinity', () => {
  for (const tree of [{}, { messages: 'x' }, { messages: [null, { role: 'user' }] }, { messages: [{ role: 5 }] }]) {
    expect(affinityOf(tree)).toBeUndefined();
  }
});
