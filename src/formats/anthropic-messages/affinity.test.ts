/** The turns of a conversation in the messages format look alike, those of two do not. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { affinityOf } from './affinity.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const tools = [{ name: 'weather', input_schema: { type: 'object' } }];
const system = [
  { type: 'text', text: 'You are a clerk.' },
  { type: 'text', text: 'Be brief.', ...mark },
];
const asked = { role: 'user', content: 'Will it rain?' };
const later = [
  { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'weather', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'yes' }] },
  { role: 'assistant', content: 'Yes.' },
  { role: 'system', content: 'A reminder of the client.' },
  { role: 'user', content: [{ type: 'text', text: 'And tomorrow?', ...mark }] },
];
const first: Tree = { model: 'm', system, tools, messages: [asked] };
const prefixOf = (tree: Tree) => affinityOf(tree)?.prefix;

test('every turn gives the prefix of the first, and a size that grows', () => {
  const opening = affinityOf(first);
  for (const said of ['You are a clerk.', 'Be brief.', 'weather', 'Will it rain?']) {
    expect(opening?.prefix).toContain(said);
  }
  for (let end = 1; end <= later.length; end += 1) {
    const turn = affinityOf({ ...first, messages: [asked, ...later.slice(0, end)] });
    expect(turn?.prefix).toBe(opening?.prefix ?? '');
    expect(turn?.prefixBytes).toBeGreaterThan(opening?.prefixBytes ?? 0);
  }
});

test('a moved cache mark does not change the conversation', () => {
  const marked = { role: 'user', content: [{ type: 'text', text: 'Will it rain?', ...mark }] };
  expect(prefixOf({ ...first, messages: [marked] })).toBe(prefixOf(first) ?? '');
  expect(prefixOf({ ...first, tools: tools.map((tool) => ({ ...tool, ...mark })) })).toBe(prefixOf(first) ?? '');
  const image = { type: 'image', source: { type: 'url', url: 'https://h/i' } };
  const shown = (block: object) => prefixOf({ messages: [{ role: 'user', content: [block] }] });
  expect(shown({ ...image, ...mark })).toBe(shown(image) ?? '');
  expect(shown(image)).not.toBe(shown({ ...image, source: { type: 'url', url: 'https://h/j' } }));
});

test('details of the single request do not change the conversation', () => {
  const counted = (check: string) => [
    { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cc_entrypoint=cli; cch=${check};` },
    ...system,
  ];
  expect(prefixOf({ ...first, system: counted('56445') })).toBe(prefixOf(first) ?? '');
  expect(prefixOf({ ...first, system: counted('0a1b2') })).toBe(prefixOf(first) ?? '');
});

test.each<[string, Tree]>([
  ['another question', { ...first, messages: [{ role: 'user', content: 'Will it snow?' }] }],
  ['other instructions', { ...first, system: 'Be long.' }],
  ['instructions among the turns', { ...first, messages: [{ role: 'system', content: 'Hush.' }, asked] }],
  ['other tools', { ...first, tools: [] }],
])('%s is another conversation', (_, tree) => {
  expect(prefixOf(tree)).not.toBe(prefixOf(first));
});

test.each<[string, unknown, string | undefined]>([
  [
    'as JSON',
    JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: '2c4e1cf0-7a67-4d2e-9a4b-1d16d3f44752' }),
    '2c4e1cf0-7a67-4d2e-9a4b-1d16d3f44752',
  ],
  ['as JSON without one', '{"device_id":"d"}', undefined],
  ['as JSON that is none', '{"session_id":', undefined],
  ['as a list', '["_session_x"]', undefined],
  [
    'after a prefix',
    `user_${'a1'.repeat(32)}_account__session_123e4567-e89b-12d3-a456-426614174000`,
    '123e4567-e89b-12d3-a456-426614174000',
  ],
  ['of a user without a session', 'user-7', undefined],
  ['without a user', '', undefined],
  ['of something else', { session_id: 's' }, undefined],
  ['of unreasonable length', `{"session_id":"${'s'.repeat(2_000)}"}`, undefined],
])('a session %s', (_, userId, session) => {
  expect(affinityOf({ ...first, metadata: { user_id: userId } })?.session).toBe(session as string);
});

test('a request that continues a thread shows no opening', () => {
  expect(affinityOf({ ...first, thread: { type: 'continue', id: 't' } })).toBeUndefined();
  expect(prefixOf({ ...first, thread: { type: 'create' } })).toBe(prefixOf(first) ?? '');
});

test('an empty request has no affinity', () => {
  for (const tree of [
    {},
    { messages: 5, metadata: 5 },
    { messages: [null, { role: 'user' }] },
    { system: [null, 5] },
  ]) {
    expect(affinityOf(tree)).toBeUndefined();
  }
});
