/** The turns of a conversation in the responses format look alike, those of two do not. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { affinityOf } from './affinity.ts';

const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }];
const guidance = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Mind the folder.' }] };
const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Will it rain?' }] };
const later = [
  { type: 'reasoning', encrypted_content: 'x', summary: [] },
  { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c', output: 'yes' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And tomorrow?' }] },
];
const first: Tree = { model: 'm', instructions: 'Be brief.', input: [guidance, asked], tools };
const prefixOf = (tree: Tree) => affinityOf(tree)?.prefix;

test('every turn gives the prefix of the first, and a size that grows', () => {
  const opening = affinityOf(first);
  for (const said of ['Be brief.', 'Mind the folder.', 'weather', 'Will it rain?']) {
    expect(opening?.prefix).toContain(said);
  }
  for (let end = 1; end <= later.length; end += 1) {
    const turn = affinityOf({ ...first, input: [guidance, asked, ...later.slice(0, end)] });
    expect(turn?.prefix).toBe(opening?.prefix ?? '');
    expect(turn?.prefixBytes).toBeGreaterThan(opening?.prefixBytes ?? 0);
  }
});

test.each<[string, Tree]>([
  ['another question', { ...first, input: [guidance, { role: 'user', content: 'Will it snow?' }] }],
  ['other instructions', { ...first, instructions: 'Be long.' }],
  ['other guidance', { ...first, input: [{ role: 'developer', content: 'Mind the gap.' }, asked] }],
  ['other tools', { ...first, tools: [] }],
  ['a stored prompt', { ...first, prompt: { id: 'pmpt_1' } }],
])('%s is another conversation', (_, tree) => {
  expect(prefixOf(tree)).not.toBe(prefixOf(first));
});

test('a text alone is the user’s turn', () => {
  const spoken = prefixOf({ input: 'Will it rain?' });
  expect(spoken).toContain('Will it rain?');
  expect(prefixOf({ input: [asked, ...later] })).toBe(spoken ?? '');
});

test('the session is what the client says, a conversation before a key that many may share', () => {
  expect(affinityOf({ ...first, prompt_cache_key: 'k' })?.session).toBe('k');
  expect(affinityOf({ ...first, prompt_cache_key: 'k', conversation: 'conv_1' })?.session).toBe('conv_1');
  expect(affinityOf({ ...first, conversation: { id: 'conv_2' } })?.session).toBe('conv_2');
  expect(affinityOf({ ...first, conversation: { id: 5 }, prompt_cache_key: '' })).not.toHaveProperty('session');
});

test('a request that continues an earlier reply shows no opening', () => {
  const continued = { ...first, previous_response_id: 'resp_1', input: 'And tomorrow?' };
  expect(affinityOf(continued)).toBeUndefined();
  expect(affinityOf({ ...continued, prompt_cache_key: 'k' })).toMatchObject({ session: 'k', prefix: '' });
  expect(prefixOf({ ...first, previous_response_id: null })).toBe(prefixOf(first) ?? '');
});

test('an empty request has no affinity', () => {
  for (const tree of [{}, { input: 5 }, { input: [null, { role: 'user' }, 'x'] }, { instructions: 5 }]) {
    expect(affinityOf(tree)).toBeUndefined();
  }
});
