import { describe, expect, test } from 'bun:test';
import { readModelsDev } from './read-models-dev.ts';
import type { TableEntry } from './table.ts';
import { TableError } from './table-error.ts';

const entryOf = (model: object): TableEntry | undefined =>
  readModelsDev({ h: { id: 'h', models: { m: model } } }, 'models.dev 2026-01-01').find('h', 'm', 0);
const priceOf = (cost: unknown, more: object = {}) => entryOf({ cost, ...more })?.price;
const cost1 = { cost: { input: 1, output: 1 } };
const usd = (value: number) => ({ nanoPerMillion: BigInt(Math.round(value * 1e9)), tiers: [] });

describe('prices', () => {
  test('of every kind that the table has', () => {
    const cost = {
      input: 1,
      output: 2,
      cache_read: 0.1,
      cache_write: 1.25,
      reasoning: 3,
      input_audio: 4,
      output_audio: 5,
    };
    expect(priceOf(cost)).toEqual({
      input: usd(1),
      output: usd(2),
      cacheRead: usd(0.1),
      cacheWrite: usd(1.25),
      thinking: usd(3),
      inputAudio: usd(4),
      outputAudio: usd(5),
    });
  });

  test('in steps, by size or by the older key, each once', () => {
    const long = { input: 2, output: 3, cache_read: 0.2 };
    const step = (rate: number, above: number, then: number) => ({
      nanoPerMillion: BigInt(rate * 1e9),
      tiers: [{ aboveInputTokens: above, nanoPerMillion: BigInt(then * 1e9) }],
    });
    const base = { input: 1, output: 2, cache_read: 0.1 };
    const expected = { input: step(1, 200_000, 2), output: step(2, 200_000, 3), cacheRead: step(0.1, 200_000, 0.2) };
    expect(priceOf({ ...base, context_over_200k: long })).toEqual(expected);
    expect(
      priceOf({ ...base, tiers: [{ tier: { type: 'context', size: 200_000 }, ...long }], context_over_200k: long }),
    ).toEqual(expected);
    expect(priceOf({ input: 1, output: 2, tiers: [{ tier: { size: 32_000 }, cache_read: 9 }] })?.cacheRead).toEqual(
      step(1, 32_000, 9),
    );
  });

  test('of a faster mode that a tier of service calls for', () => {
    const experimental = {
      modes: {
        fast: { cost: { input: 5 }, provider: { body: { service_tier: 'priority' } } },
        odd: { cost: { input: 9 } },
      },
    };
    expect(priceOf({ input: 1, output: 2 }, { experimental })?.serviceTiers).toEqual({ priority: { input: usd(5) } });
  });

  test('nothing for a part beside a whole that costs something is not known', () => {
    expect(priceOf({ input: 1, output: 2, cache_read: 0, cache_write: 0, reasoning: 0 })).toEqual({
      input: usd(1),
      output: usd(2),
    });
  });

  test('nothing at all is free for text, and unknown for what draws, speaks or listens', () => {
    const none = { input: 0, output: 0 };
    const kinds = (input: string[], output: string[]) => ({ modalities: { input, output } });
    expect(priceOf(none)).toEqual({ input: usd(0), output: usd(0) });
    expect(priceOf(none, kinds(['text', 'image'], ['text']))).toBeDefined();
    expect(priceOf(none, kinds(['text'], ['image']))).toBeUndefined();
    expect(priceOf(none, kinds(['audio'], ['text']))).toBeUndefined();
  });

  test('of what only draws or listens count where they are prices of tokens, not of images and minutes', () => {
    const kinds = (input: string[], output: string[]) => ({ modalities: { input, output } });
    expect(priceOf({ input: 5, output: 30 }, kinds(['text'], ['image']))).toBeDefined();
    expect(priceOf({ input: 2.5, output: 10 }, kinds(['audio'], ['text']))).toBeDefined();
    expect(priceOf({ input: 0.08, output: 0 }, kinds(['text'], ['image']))).toBeUndefined();
    expect(priceOf({ input: 0.6, output: 0 }, kinds(['text'], ['video']))).toBeUndefined();
    expect(priceOf({ input: 0.003, output: 0 }, kinds(['audio'], ['text']))).toBeUndefined();
    expect(priceOf({ input: 0.035, output: 0.035 }, kinds(['audio'], ['text']))).toBeUndefined();
    expect(priceOf({ input: 2, output: 1, image: 120 }, kinds(['text'], ['image']))?.outputImage).toEqual(usd(120));
    expect(priceOf(null)).toBeUndefined();
    expect(entryOf({})).toEqual({});
  });

  test('of unknown kinds are reported and left out', () => {
    const table = readModelsDev({ h: { models: { m: { cost: { input: 1, output: 1, citation: 2 } } } } }, 'x');
    expect([...table.unread]).toEqual([['citation', 1]]);
    expect(table.find('h', 'M', 0)?.price).toEqual({ input: usd(1), output: usd(1), incomplete: true });
  });
});

test('facts', () => {
  expect(
    entryOf({
      limit: { context: 200_000, output: 64_000 },
      modalities: { input: ['text', 'pdf', 'image'], output: ['text'] },
      tool_call: true,
      reasoning: false,
      structured_output: true,
      status: 'deprecated',
    }),
  ).toEqual({
    contextTokens: 200_000,
    outputTokensMax: 64_000,
    inputModalities: ['text', 'image', 'file'],
    outputModalities: ['text'],
    capabilities: { tools: true, reasoning: false, structuredOutput: true },
    deprecated: true,
  });
  expect(entryOf({ limit: { context: 0, output: -1 }, status: 'beta' })).toEqual({});
});

test('the same model elsewhere, by its bare name', () => {
  const table = readModelsDev(
    { a: { models: { 'vendor/M-1': { cost: { input: 1, output: 1 } } } }, b: { models: { 'm-1': {} } } },
    'x',
  );
  expect(table.elsewhere('other/m-1', 0).map(({ host }) => host)).toEqual(['a', 'b']);
  expect(table.elsewhere('m-2', 0)).toEqual([]);
  expect([...table.entries(0)].map(([host, model]) => `${host} ${model}`)).toEqual(['a vendor/M-1', 'b m-1']);
});

test('a version that is served by default has the model’s own name', () => {
  const table = readModelsDev({ h: { models: { 'm@default': cost1, 'm@20260101': {} } } }, 'x');
  expect(table.find('h', 'm', 0)?.price?.input).toEqual(usd(1));
  expect(table.find('h', 'm@20260101', 0)).toEqual({});
});

describe('what is wrong is named', () => {
  const messageOf = (read: () => unknown): string => {
    try {
      read();
      return 'nothing';
    } catch (error) {
      return error instanceof TableError ? error.message : String(error);
    }
  };
  for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, '3', true, 1e7, {}, []]) {
    test(`a price of ${String(bad)} (${typeof bad})`, () => {
      expect(messageOf(() => priceOf({ input: 1, output: bad }))).toStartWith('h/models/m/cost/output: ');
    });
  }
  test('another currency, an unknown unit, a step of another kind or size', () => {
    expect(messageOf(() => priceOf({ input: 1, output: 1, currency: 'EUR' }))).toContain(
      'h/models/m/cost/currency: "EUR"',
    );
    expect(messageOf(() => priceOf({ input: 1, output: 1 }, { currency: 'CNY' }))).toContain('h/models/m/currency');
    expect(messageOf(() => priceOf({ input: 1, output: 1, currency: 'usd' }))).toBe('nothing');
    expect(messageOf(() => priceOf({ input: 1, output: 1, unit: '1K tokens' }))).toContain('h/models/m/cost/unit');
    expect(messageOf(() => priceOf({ input: 1, tiers: [{ tier: { type: 'hour', size: 1 } }] }))).toContain(
      'cost/tiers/0/tier/type',
    );
    expect(messageOf(() => priceOf({ input: 1, tiers: [{ tier: { size: '1' } }] }))).toContain(
      'cost/tiers/0/tier/size',
    );
  });
  test('shapes that do not belong', () => {
    expect(messageOf(() => readModelsDev([], 'x'))).toContain('Expected a map, found a list');
    expect(messageOf(() => readModelsDev({ h: { models: [] } }, 'x'))).toContain('h/models: ');
    expect(messageOf(() => readModelsDev({ h: { models: { m: 1 } } }, 'x'))).toContain(
      'h/models/m: Expected a map, found 1',
    );
    expect(messageOf(() => readModelsDev({ h: { models: { ['x'.repeat(301)]: {} } } }, 'x'))).toContain(
      'no name of 1 to 300',
    );
  });
  test('names of the language itself are names like others', () => {
    const raw: unknown = JSON.parse(
      '{"__proto__":{"models":{"__proto__":{"cost":{"input":1,"output":1}},"constructor":{}}}}',
    );
    const table = readModelsDev(raw, 'x');
    expect(table.find('__proto__', '__proto__', 0)?.price?.input).toEqual(usd(1));
    expect(table.find('constructor', 'toString', 0)).toBeUndefined();
    expect(Object.keys({})).toEqual([]);
  });
  test('a million models are too many', () => {
    const models = Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`m${index}`, {}]));
    expect(messageOf(() => readModelsDev({ h: { models } }, 'x'))).toBe('There are more than 100000 models.');
    const hosts = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`h${index}`, { models: { m: {} } }]));
    expect(messageOf(() => readModelsDev(hosts, 'x'))).toBe('There are more than 2000 hosts.');
  });
});
