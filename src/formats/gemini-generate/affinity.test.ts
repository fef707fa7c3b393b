/** The turns of a conversation in the content-generation format look alike, those of two do not. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { affinityOf } from './affinity.ts';

const tools = [{ functionDeclarations: [{ name: 'weather' }] }];
const systemInstruction = { parts: [{ text: 'Be brief.' }] };
const asked = { role: 'user', parts: [{ text: 'Will it rain?' }] };
const later = [
  { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} }, thoughtSignature: 'x' }] },
  { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output: 'yes' } } }] },
  { role: 'model', parts: [{ text: 'Yes.' }] },
  { role: 'user', parts: [{ text: 'And tomorrow?' }] },
];
const first: Tree = { systemInstruction, tools, contents: [asked] };
const prefixOf = (tree: Tree) => affinityOf(tree)?.prefix;

test('every turn gives the prefix of the first, and a size that grows', () => {
  const opening = affinityOf(first);
  for (const said of ['Be brief.', 'weather', 'Will it rain?']) expect(opening?.prefix).toContain(said);
  for (let end = 1; end <= later.length; end += 1) {
    const turn = affinityOf({ ...first, contents: [asked, ...later.slice(0, end)] });
    expect(turn?.prefix).toBe(opening?.prefix ?? '');
    expect(turn?.prefixBytes).toBeGreaterThan(opening?.prefixBytes ?? 0);
  }
});

test('other spellings of the same are the same', () => {
  const spelled = {
    system_instruction: 'Be brief.',
    tools,
    contents: { parts: { text: 'Will it rain?' } },
  };
  expect(prefixOf(spelled)).toBe(prefixOf(first) ?? '');
});

test.each<[string, Tree]>([
  ['another question', { ...first, contents: [{ role: 'user', parts: [{ text: 'Will it snow?' }] }] }],
  ['another image', { ...first, contents: [{ parts: [...asked.parts, { inlineData: { data: 'AAAA' } }] }] }],
  ['other instructions', { ...first, systemInstruction: { parts: [{ text: 'Be long.' }] } }],
  ['other tools', { ...first, tools: [{ googleSearch: {} }] }],
])('%s is another conversation', (_, tree) => {
  expect(prefixOf(tree)).not.toBe(prefixOf(first));
});

test('the session is what was cached by name', () => {
  expect(affinityOf({ ...first, cachedContent: 'cachedContents/a' })?.session).toBe('cachedContents/a');
  expect(affinityOf({ ...first, cached_content: 'cachedContents/b' })?.session).toBe('cachedContents/b');
  expect(affinityOf(first)).not.toHaveProperty('session');
});

test('an empty request has no affinity', () => {
  for (const tree of [{}, { contents: 5 }, { contents: [null, { role: 'user' }] }, { contents: [{ role: 'model' }] }]) {
    expect(affinityOf(tree)).toBeUndefined();
  }
});
