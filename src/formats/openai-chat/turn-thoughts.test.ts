/** Thinking by the ids of calls, from whole replies and streams, and back into the turns that lack it. */

import { describe, expect, test } from 'bun:test';
import { turnThoughts } from './turn-thoughts.ts';

const field = 'reasoning_content';
/** Ids as services make them; counted ones are tried by themselves. */
const idOf = (name: string): string => name.repeat(24);
const calls = (...names: string[]) =>
  names.map((name, index) => ({
    index,
    id: name.length === 1 ? idOf(name) : name,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
const turn = (id: string, more: object = {}) => ({ role: 'assistant', content: null, tool_calls: calls(id), ...more });

describe('a reply', () => {
  test('gives its thinking to each of its calls, choice by choice', () => {
    const choices = [
      { index: 0, message: { reasoning_content: 'One.', tool_calls: calls('a', 'b') } },
      { index: 1, message: { reasoning_content: 'Two.', tool_calls: calls('c') } },
      { index: 2, message: { reasoning_content: 'No call.' } },
      { index: 3, message: { tool_calls: calls('d') } },
    ];
    expect([...turnThoughts.inReply({}, { choices }, field)]).toEqual([
      [idOf('a'), 'One.'],
      [idOf('b'), 'One.'],
      [idOf('c'), 'Two.'],
    ]);
  });

  test('is collected from a stream', () => {
    const collector = turnThoughts.collector({}, field);
    for (const delta of [
      { reasoning_content: 'I ' },
      { reasoning_content: 'look.' },
      { content: 'x' },
      { tool_calls: calls('a') },
    ]) {
      collector.add({ index: 0, delta });
    }
    collector.add({ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } });
    expect([...collector.byKey]).toEqual([[idOf('a'), 'I look.']]);
  });

  test.each([
    [1_048_576, 1],
    [1_048_577, 0],
  ])('of %p characters is kept for %p calls', (length, count) => {
    const collector = turnThoughts.collector({}, field);
    collector.add({ index: 0, delta: { reasoning_content: 'x'.repeat(length), tool_calls: calls('a') } });
    expect(collector.byKey.size).toBe(count);
  });
});

describe('a body', () => {
  const messages = [
    { role: 'user', content: 'x' },
    turn('a'),
    turn('b', { reasoning_content: 'Mine.' }),
    turn('c', { reasoning_content: '' }),
    turn('d', { reasoning_content: null }),
    { role: 'assistant', content: 'Done.' },
    { role: 'user', tool_calls: calls('e') },
  ];

  test('lacks the thinking of turns with calls that say none', () => {
    expect(turnThoughts.missing({ messages }, field)).toEqual(['a', 'c', 'd'].map(idOf));
    expect(turnThoughts.missing({ messages: 'x' }, field)).toEqual([]);
  });

  test('gets back what is known, and keeps everything else as it is', () => {
    const restored = turnThoughts.restored(messages, field, (key) => ({ a: 'A.', d: 'Ü.' })[key[0] ?? '']);
    expect(restored?.places).toEqual([`messages[1].${field}`, `messages[4].${field}`]);
    expect(restored?.bytes).toBe(5);
    const changed = restored?.turns.get('messages') as unknown[];
    expect(changed[1]).toEqual(turn('a', { reasoning_content: 'A.' }));
    for (const index of [0, 2, 3, 5, 6]) expect(changed[index]).toBe(messages[index]);
    expect(turnThoughts.restored(messages, field, () => undefined)).toBeUndefined();
  });

  test('gets the thinking of a call once, however often it repeats the call', () => {
    const restored = turnThoughts.restored([turn('a'), turn('a'), turn('a')], field, () => 'x');
    expect(restored?.places).toEqual([`messages[0].${field}`]);
  });
});

describe('ids that a server only counts', () => {
  const id = 'functions.look_at_a_long_name:0';
  const before = [
    { role: 'system', content: 'It is noon.' },
    { role: 'user', content: 'Go.' },
  ];
  const called = { index: 0, id, type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
  const choices = [{ index: 0, message: { reasoning_content: 'I look.', tool_calls: [called] } }];
  const kept = turnThoughts.inReply({ messages: before }, { choices }, field);
  const again = (before: readonly object[], args = '{"a":1}') => {
    const said = { role: 'assistant', tool_calls: [{ ...called, function: { name: 'f', arguments: args } }] };
    return turnThoughts.restored([...before, said], field, (key) => kept.get(key))?.places;
  };

  test('are distinguished by what was said right before and what was called', () => {
    expect(again(before)).toEqual([`messages[2].${field}`]);
    expect(
      again([
        { role: 'system', content: 'It is one.' },
        { role: 'user', content: 'Go.' },
      ]),
    ).toBeDefined();
    expect(again([{ role: 'user', content: 'Another conversation.' }])).toBeUndefined();
    expect(again(before, '{"a":2}')).toBeUndefined();
  });

  test('in streams too', () => {
    const collector = turnThoughts.collector({ messages: before }, field);
    collector.add({ index: 0, delta: { reasoning_content: 'I look.' } });
    const begun = { ...called, function: { name: 'f', arguments: '' } };
    collector.add({ index: 0, delta: { tool_calls: [begun] } });
    for (const piece of ['{"a"', ': 1}']) {
      collector.add({ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } });
    }
    expect([...collector.byKey]).toEqual([...kept]);
  });
});
