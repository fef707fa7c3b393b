/** The moderations endpoint: every form of input, and replies in which every category is found. */

import { describe, expect, test } from 'bun:test';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { type ModerationResult, moderationCategories } from '../moderate.ts';
import { openaiModerationsClient as wire } from './openai-moderations-client.ts';
import { perCategory } from './verdicts.ts';

const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const text = (value: string) => ({ type: 'text', text: value });
const check = (tree: Tree, bytes = 60) => wire.check({ kind: 'json', tree }, bytes);
const read = (tree: Tree) => wire.readRequest({ kind: 'json', tree }, 'chosen').value;

describe('checks', () => {
  const most = (total: number) => ({ tokens: { input: { total }, output: { total: 0 } } });

  test('facts; the model may be absent', () => {
    expect(check({ input: 'a' })).toEqual({ model: undefined, stream: false, most: most(60) });
    expect(check({ input: ['a', ''], model: 'm' }).model).toBe('m');
    expect(check({ input: 'a', model: null }).model).toBeUndefined();
  });

  test('an image counts by its kind, not by its length', () => {
    const url = `data:image/png;base64,${'A'.repeat(10_000)}`;
    expect(check({ input: [image(url)] }, url.length + 60).most).toEqual(most(60 + 8192));
    expect(check({ input: [text('a'), image('https://h/i.png')] }).most).toEqual(most(60 + 8192));
  });

  const wrong: readonly [Tree, string][] = [
    [{}, 'input'],
    [{ input: null }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: 1 }, 'input'],
    [{ input: {} }, 'input'],
    [{ input: Array.from({ length: 2049 }, () => 'a') }, 'input'],
    [{ input: ['a', 1] }, 'input[1]'],
    [{ input: ['a', text('b')] }, 'input[1]'],
    [{ input: [text('a'), 'b'] }, 'input[1]'],
    [{ input: [[]] }, 'input[0]'],
    [{ input: [{}] }, 'input[0].type'],
    [{ input: [{ type: 'audio' }] }, 'input[0].type'],
    [{ input: [{ type: 'text' }] }, 'input[0].text'],
    [{ input: [{ type: 'image_url' }] }, 'input[0].image_url'],
    [{ input: [image('ftp://h/i')] }, 'input[0].image_url.url'],
    [{ input: [image('data:text/html,x')] }, 'input[0].image_url.url'],
    [{ input: 'a', model: '' }, 'model'],
    [{ input: 'a', model: [] }, 'model'],
  ];
  for (const [tree, param] of wrong) {
    test(`${JSON.stringify(tree).slice(0, 60)} names ${param}`, () => {
      let named: unknown;
      try {
        check(tree);
      } catch (error) {
        named = error instanceof GatewayError && error.status === 400 && error.param;
      }
      expect(named).toBe(param);
    });
  }
});

test('requests: a list of texts is many inputs, a list of parts is one', () => {
  expect(read({ input: 'a', odd: 1 })).toEqual({
    model: 'chosen',
    inputs: [[{ type: 'text', text: 'a' }]],
    extras: { format: 'openai-moderations', fields: { odd: 1 } },
  });
  expect(read({ input: ['a', 'b'], model: 'm' })).toEqual({
    model: 'm',
    inputs: [[{ type: 'text', text: 'a' }], [{ type: 'text', text: 'b' }]],
  });
  expect(read({ input: [text('a'), image('https://h/i')] }).inputs).toEqual([
    [
      { type: 'text', text: 'a' },
      { type: 'image', url: 'https://h/i' },
    ],
  ]);
});

describe('replies', () => {
  const result: ModerationResult = {
    flagged: true,
    scores: perCategory((category) => (category === 'violence' ? 0.9 : 0)),
    categories: perCategory((category) => category === 'violence'),
  };
  const write = (results: readonly ModerationResult[], tree: Tree, id = 'modr-7') => {
    const reply = { id, model: 'up', results, consumption: {} };
    const shown = JSON.parse(String(wire.writeReply(reply, read(tree), making).body));
    expectValid('CreateModerationResponse', shown);
    return shown;
  };

  test('every category in every map', () => {
    const shown = write([result, result], { input: ['a', 'b'] });
    expect([shown.id, shown.model, shown.results.length]).toEqual(['modr-7', 'up', 2]);
    for (const { flagged, ...maps } of shown.results) {
      expect(flagged).toBe(true);
      for (const map of Object.values(maps)) expect(Object.keys(map as object)).toEqual([...moderationCategories]);
    }
    expect(shown.results[0].categories.violence).toBe(true);
    expect(shown.results[0].category_scores.violence).toBe(0.9);
    expect(shown.results[0].category_applied_input_types.violence).toEqual(['text']);
  });

  test("a provider's own id and categories", () => {
    const native = { categories: { pii: true, hate: true, odd: 1 }, category_scores: { pii: 0.8 } };
    const shown = write([{ ...result, native }], { input: 'a' }, 'abc');
    expect(shown.id).toBe('modr-abc');
    expect(shown.results[0].categories).toMatchObject({ pii: true, hate: false, violence: true });
    expect(shown.results[0].categories).not.toHaveProperty('odd');
    expect(shown.results[0].category_scores.pii).toBe(0.8);
  });

  test('what was looked at, within what the wire allows', () => {
    const appliedTo = { violence: ['image', 'text'], hate: ['image', 'text'] } as const;
    const [shown] = write([{ ...result, appliedTo }], { input: [text('a'), image('https://h/i')] }).results;
    const { violence, hate, sexual } = shown.category_applied_input_types;
    expect([violence, hate, sexual]).toEqual([['image', 'text'], ['text'], []]);
    const [imaged] = write([result], { input: [image('https://h/i')] }).results;
    expect(imaged.category_applied_input_types.violence).toEqual([]);
  });

  test('what suits the caller', () => {
    const whole = write([result], { input: 'a' });
    const suits = (tree: unknown, input: unknown = 'a') => wire.suits?.(tree, read({ input }));
    const [first] = whole.results;
    expect(suits(whole)).toBe(true);
    expect(suits(whole, ['a', 'b'])).toBe(false);
    for (const name of ['id', 'model', 'results']) expect(suits({ ...whole, [name]: undefined })).toBe(false);
    for (const map of ['categories', 'category_scores', 'category_applied_input_types']) {
      const { 'violence/graphic': _, ...less } = first[map];
      expect(suits({ ...whole, results: [{ ...first, [map]: less }] })).toBe(false);
    }
    for (const odd of [null, [], { results: [null] }, { id: 'a', model: 'b', results: [null] }])
      expect(suits(odd)).toBe(false);
  });
});
