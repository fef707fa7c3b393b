/** One mistake costs what it is in: every key of a model of every form, broken in every way. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { testShared } from '../../../test/harness/recordings.ts';
import { leftOutText } from './left-out.ts';
import { readTable } from './read-table.ts';
import type { PriceTable, TablePrice } from './table.ts';

type Tree = Record<string, unknown>;

/** Models with every class that the form has. */
const samples: Record<string, readonly Tree[]> = {
  litellm: [
    {
      mode: 'chat',
      input_cost_per_token: 1e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
      input_cost_per_token_priority: 3e-6,
      output_cost_per_token: 4e-6,
      output_cost_per_reasoning_token: 5e-6,
      cache_read_input_token_cost: 1e-7,
      cache_creation_input_token_cost_above_1hr: 2e-6,
      search_context_cost_per_query: { low: 0.01, high: 0.02 },
      code_interpreter_cost_per_session: 0.03,
      input_cost_per_request: 0.005,
      max_input_tokens: 1000,
      supported_modalities: ['text'],
    },
    { mode: 'chat', tiered_pricing: [{ range: [0, 1000], input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }] },
    { mode: 'video_generation', output_cost_per_second: 0.05, output_cost_per_second_1080p: 0.08 },
    { mode: 'audio_transcription', input_cost_per_second: 0.0001 },
    { mode: 'ocr', ocr_cost_per_page: 0.004 },
    { mode: 'rerank', input_cost_per_query: 0.002 },
    { mode: 'image_generation', output_cost_per_image: 0.04 },
  ],
  'models.dev': [
    {
      limit: { context: 1000, output: 100 },
      modalities: { input: ['text'], output: ['text'] },
      cost: {
        input: 1,
        output: 2,
        cache_read: 0.1,
        reasoning: 3,
        tiers: [{ input: 2, output: 4, tier: { type: 'context', size: 200_000 } }],
      },
    },
    { cost: { input: 1, output: 2, context_over_200k: { input: 2, output: 4 } } },
  ],
  'genai-prices': [
    {
      context_window: 1000,
      prices: {
        input_mtok: { base: 1, tiers: [{ start: 200, price: 2 }] },
        output_mtok: 2,
        cache_read_mtok: 0.1,
        web_searches_kcount: 10,
        storage_searches_kcount: 2.5,
      },
    },
    {
      prices: [
        { prices: { input_mtok: 1, output_mtok: 2 } },
        { constraint: { start_date: '2020-01-01' }, prices: { input_mtok: 2, output_mtok: 3 } },
      ],
    },
    { prices: { input_audio_hours: 0.3 } },
  ],
};

const others = ['a', 'b', 'm-2'];

/** The text of a table with the model between others; each value is on a line of its own. */
const forms: Record<string, (model: Tree) => string> = {
  litellm: (model) => {
    const whole = { litellm_provider: 'h', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
    const [first, ...rest] = others.map((name) => [name, whole] as const);
    return lines(Object.fromEntries([first ?? [], ['m', { litellm_provider: 'h', ...model }], ...rest]));
  },
  'models.dev': (model) => {
    const [first, ...rest] = others.map((name) => [name, { cost: { input: 1, output: 2 } }] as const);
    return lines({ h: { models: Object.fromEntries([first ?? [], ['m', model], ...rest]) } });
  },
  'genai-prices': (model) => {
    const whole = (id: string) => ({ id, match: { equals: id }, prices: { input_mtok: 1, output_mtok: 2 } });
    const [first, ...rest] = others.map(whole);
    return lines([{ id: 'h', models: [first, { id: 'm', match: { equals: 'm' }, ...model }, ...rest] }]);
  },
};
const lines = (value: unknown) => JSON.stringify(value, null, 1);

/** Every way to break a value; `delete` is what an absent key means. */
const breakages: Record<string, (at: Tree, key: string) => void> = {
  negative: (at, key) => set(at, key, -1),
  'a text': (at, key) => set(at, key, 'three'),
  true: (at, key) => set(at, key, true),
  'a list': (at, key) => set(at, key, [1]),
  'a map': (at, key) => set(at, key, { a: 'x' }),
  huge: (at, key) => set(at, key, 1e300),
  null: (at, key) => set(at, key, null),
  'an unknown unit': (at, key) => {
    const value = at[key];
    delete at[key];
    at['cost_per_banana'] = value;
  },
};
const set = (at: Tree, key: string, value: unknown): void => {
  at[key] = value;
};

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** The paths of all keys, those of maps inside as well. */
function pathsIn(value: unknown, before: readonly string[] = []): string[][] {
  if (!isTree(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...before, key], ...pathsIn(inner, [...before, key])]);
}

function broken(model: Tree, path: readonly string[], breakIt: (at: Tree, key: string) => void): Tree {
  const copy = structuredClone(model);
  const at = path.slice(0, -1).reduce<unknown>((inner, key) => (isTree(inner) ? inner[key] : undefined), copy);
  if (isTree(at)) breakIt(at, path.at(-1) ?? '');
  return copy;
}

const nowMs = Date.parse('2026-11-16T00:00:00Z');
const priceOf = (table: PriceTable): TablePrice | undefined => table.find('h', 'm', nowMs)?.price;
const restOf = (table: PriceTable) => [...table.entries(nowMs)].filter(([, model]) => model !== 'm');

describe.each(Object.keys(samples))('%s', (source) => {
  const textOf = forms[source] ?? (() => '');
  const cases = (samples[source] ?? []).flatMap((model) => pathsIn(model).map((path) => ({ model, path })));

  test('a broken key costs its model or itself, is named with its line, and nothing becomes free', () => {
    let checked = 0;
    for (const { model, path } of cases) {
      const whole = readTable(textOf(model));
      expect([whole.leftOut.named, priceOf(whole)]).toEqual([[], expect.anything()]);
      const without = broken(model, path, (at, key) => delete at[key]);
      const absent = readTable(textOf(without));
      for (const [what, breakIt] of Object.entries(breakages)) {
        const where = `${path.join('/')}: ${what}`;
        const text = textOf(broken(model, path, breakIt));
        const table = readTable(text);
        expect([where, restOf(table)]).toEqual([where, restOf(whole)]);
        const [price, { named }] = [priceOf(table), table.leftOut];
        expect([where, named.every((one) => one.model === 'm' && one.host === 'h')]).toEqual([where, true]);
        if (Bun.deepEquals(price, priceOf(whole))) continue;
        // What is null is as what is absent, or nothing.
        if (what === 'null' && (price === undefined || Bun.deepEquals(price, priceOf(absent)))) continue;
        expect([where, named.length > 0, price?.incomplete ?? price]).toEqual([where, true, price && true]);
        // Between the lines of the models before and after it.
        const [from, to] = ['a', 'b'].map((name) => text.split('\n').findIndex((one) => one.includes(`"${name}"`)) + 1);
        for (const { line = 0 } of named)
          expect([where, line > (from ?? 0), line <= (to ?? 0)]).toEqual([where, true, true]);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(50);
  });

  test('another currency anywhere costs the model', () => {
    for (const model of samples[source] ?? []) {
      const table = readTable(textOf({ ...model, currency: 'EUR' }));
      expect([priceOf(table), table.leftOut.models]).toEqual([undefined, 1]);
      expect(restOf(table)).toEqual(restOf(readTable(textOf(model))));
      expect(table.leftOut.named.map(leftOutText)).toEqual([expect.stringContaining('"EUR" is another currency')]);
    }
  });

  test('no map in the place of a model costs that model', () => {
    for (const wrong of [1, 'x', null, [], true]) {
      const text = textOf({ wrong: '@' }).replace(
        /\{[^{}]*(\{[^{}]*\}[^{}]*)?"wrong": "@"\s*\}/,
        JSON.stringify(wrong),
      );
      const table = readTable(text);
      expect([priceOf(table), table.leftOut.models, restOf(table).length]).toEqual([undefined, 1, others.length]);
    }
  });

  test('a unit of no cost is none, and a model that is sold by an unknown unit alone has no price', () => {
    const at = (model: Tree, key: string, value: unknown) =>
      source === 'litellm'
        ? { ...model, [key]: value }
        : { ...model, [source === 'models.dev' ? 'cost' : 'prices']: { [key]: value } };
    const [nothing, some] = [0, 3].map((value) =>
      readTable(textOf(at({ mode: 'chat' }, 'input_cost_per_banana', value))),
    );
    expect([nothing?.leftOut.keys, some?.leftOut.keys]).toEqual([0, 1]);
    expect(some && priceOf(some)).toBeUndefined();
  });

  test('a table of which one in twenty models or more cannot be read is rejected, with the place of the first', () => {
    const many = (wrong: number, whole: number): string => {
      const names = Array.from({ length: wrong + whole }, (_, at) => `x${at}`);
      const rate = (at: number) => (at < wrong ? -1 : 1);
      if (source === 'litellm')
        return lines(
          Object.fromEntries(
            names.map((name, at) => [name, { litellm_provider: 'h', input_cost_per_token: rate(at) / 1e6 }]),
          ),
        );
      const models = names.map((id, at) => ({ id, match: { equals: id }, prices: { input_mtok: rate(at) } }));
      if (source === 'genai-prices') return lines([{ id: 'h', models }]);
      return lines({ h: { models: Object.fromEntries(names.map((id, at) => [id, { cost: { input: rate(at) } }])) } });
    };
    expect(readTable(many(20, 10)).leftOut.models).toBe(20);
    expect(readTable(many(21, 399)).leftOut.models).toBe(21);
    expect(() => readTable(many(21, 398))).toThrow(/^line \d+, .*x0\/.* 21 of 419 models cannot be read\.$/);
    expect(() => readTable(many(1, 0))).toThrow(/^line \d+/);
  });
});

testShared(
  'the table of November, with three new units',
  'tables/litellm-prices-2026-11.json',
  (place) => {
    const text = readFileSync(place, 'utf8');
    const units = 'input_cost_per_text_message';
    const table = readTable(text);
    const raw = JSON.parse(text) as Record<string, Tree>;
    const models = Object.keys(raw).filter((name) => Object.hasOwn(raw[name] ?? {}, units));
    for (const name of models) delete raw[name]?.[units];
    const cut = readTable(JSON.stringify(raw));
    expect([...table.entries(0)]).toEqual([...cut.entries(0)]);
    const named = table.leftOut.named.filter(({ path }) => path.at(-1) === units);
    expect(named.map(({ path }) => path[0])).toEqual(models);
    expect([models.length, table.leftOut.models, table.leftOut.keys - cut.leftOut.keys]).toEqual([3, 0, 3]);
    expect([...table.entries(0)].filter(([, , { price }]) => price !== undefined).length).toBeGreaterThan(4_000);
  },
  60_000,
);
