/** Events that differ in one string are read as `JSON.parse` reads them, whatever came before. */

import { describe, expect, test } from 'bun:test';
import { isObject } from '../json-tree.ts';
import { RepeatedJson } from './repeated-json.ts';

const reader = (): RepeatedJson =>
  new RepeatedJson('content', ({ choices }) => {
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    return isObject(choice) ? choice['delta'] : undefined;
  });

const chunk = (content: unknown, more: object = {}): string =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null, ...more });

/** Seeded, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const texts = [
  '',
  ' a',
  'word',
  'é漢😀',
  '"',
  '\\',
  '\n',
  'a"content":"b',
  '\u2028',
  '{}',
  '"}',
  '\ud800',
  'x'.repeat(300),
];
const forms: readonly ((text: string) => string)[] = [
  (text) => chunk(text),
  (text) => chunk(text, { id: 'd' }),
  (text) => chunk(text, { note: { content: text } }),
  (text) => chunk(text, { content: 'other' }),
  (text) => chunk(text, { path: 'a\\b' }),
  (text) => chunk(text).replace('"content":', '"content": '),
  (text) => chunk(text).replace('"content":', '"content" :'),
  (text) => chunk(text).replace('"content":', '"content":"first","content":'),
  (text) => chunk(text).replace('"finish_reason"', '"c\\u006fntent":"again","finish_reason"'),
  (text) => chunk(text).replace('{"content"', '{"c\\u006fntent":"x","content"'),
  (text) => chunk(text).replace('"id":"c"', '"id":"c","content":1'),
  (text) => JSON.stringify(text),
  () => chunk(null),
  () => chunk(7),
  () => chunk(undefined),
  () => '[DONE]',
  () => '{"choices":[]}',
  (text) => chunk(text).slice(0, -1),
];

const parsed = (read: (text: string) => unknown, text: string): unknown => {
  try {
    return structuredClone(read(text));
  } catch {
    return 'an error';
  }
};

test.each([1, 2, 3, 4])('random events are read as JSON.parse reads them (seed %d)', (seed) => {
  const below = numbers(seed);
  for (let stream = 0; stream < 200; stream++) {
    const repeated = reader();
    // Few forms in one stream, so that most events are like the one before.
    const used = Array.from({ length: 1 + below(3) }, () => forms[below(forms.length)] ?? chunk);
    for (let event = 0; event < 40; event++) {
      const text = (used[below(used.length)] ?? chunk)(texts[below(texts.length)] ?? '');
      expect([seed, text, parsed((given) => repeated.parse(given), text)]).toEqual([
        seed,
        text,
        parsed(JSON.parse, text),
      ]);
    }
  }
});

describe('what is parsed again', () => {
  test('is not the event that differs in its text alone', () => {
    const repeated = reader();
    const first = repeated.parse(chunk('one'));
    expect(repeated.parse(chunk('two'))).toBe(first as object);
    expect(first).toEqual(JSON.parse(chunk('two')));
  });

  test('is every event once many had nothing to repeat', () => {
    const repeated = reader();
    for (let event = 0; event < 20; event++) repeated.parse(chunk('word', { id: `c${event}` }));
    expect(repeated.parse(chunk('a'))).not.toBe(repeated.parse(chunk('b')) as object);
  });
});
