import { describe, expect, test } from 'bun:test';
import packageJson from '../../package.json';
import { libraryVersion } from './price-library.ts';
import { createPrices } from './prices.ts';
import { LeftOuts } from './tables/left-out.ts';
import type { PriceTable, TableEntry, TableSource } from './tables/table.ts';

const prices = createPrices({ overrides: [] });
await prices.ready();

function tableOf(
  source: TableSource,
  version: string,
  find: (host: string, model: string) => TableEntry | undefined,
  elsewhere: PriceTable['elsewhere'] = () => [],
): PriceTable {
  return {
    source,
    version,
    unread: new Map(),
    leftOut: new LeftOuts().report(),
    listingOf: (host, model) => [host, model],
    find,
    elsewhere,
    entries: () => [],
  };
}

const ask = (model: string, genaiPrices?: string) =>
  prices.priceOf({ providerName: 'up', ...(genaiPrices !== undefined && { tables: { genaiPrices } }), model });

describe('the library', () => {
  test('is the version that rows will name', () => {
    expect(libraryVersion).toBe(`genai-prices@${packageJson.dependencies['@pydantic/genai-prices']}`);
  });

  test('gives exact integers', () => {
    expect(ask('gpt-4.1', 'openai')).toEqual({
      version: libraryVersion,
      input: { nanoPerMillion: 2_000_000_000n, tiers: [] },
      output: { nanoPerMillion: 8_000_000_000n, tiers: [] },
      cacheRead: { nanoPerMillion: 500_000_000n, tiers: [] },
      units: { webSearches: 10_000_000_000_000n, tools: { file_search: 2_500_000_000_000n } },
    });
  });

  test('gives tiers in order', () => {
    expect(ask('gemini-2.5-pro', 'google')?.input).toEqual({
      nanoPerMillion: 1_250_000_000n,
      tiers: [{ aboveInputTokens: 200_000, nanoPerMillion: 2_500_000_000n }],
    });
  });

  test('is found through prefixes and dates', () => {
    const plain = ask('gpt-4.1', 'openai');
    for (const name of [
      'openai/gpt-4.1',
      'gpt-4.1-2025-04-14',
      'GPT-4.1',
      'openai/gpt-4.1-2025-04-14',
      'gpt-4.1-20991231',
    ])
      expect(ask(name, 'openai')).toEqual(plain);
    expect(ask('models/gemini-2.5-pro', 'google')).toEqual(ask('gemini-2.5-pro', 'google'));
  });

  test('knows nothing of unknown models', () => {
    expect(ask('no-such-model')).toBeUndefined();
    expect(ask('no-such-model', 'openai')).toBeUndefined();
    expect(ask('__proto__')).toBeUndefined();
    expect(ask('__proto__', 'openai')).toBeUndefined();
  });

  /** Finding F1 and F2: 6 of 26 kinds of price were read. */
  test('gives every class that it has a price for', () => {
    const rate = (usd: number) => ({ nanoPerMillion: BigInt(usd * 1e9), tiers: [] });
    expect(ask('gemini-2.5-flash-image', 'google')).toMatchObject({ outputImage: rate(30) });
    expect(ask('gemini-3.1-flash-image-preview', 'google')).toMatchObject({ outputImage: rate(60) });
    expect(ask('gemini-3-pro-image-preview', 'google')).toMatchObject({ outputImage: rate(120) });
    expect(ask('gpt-image-1.5', 'openai')).toMatchObject({
      outputImage: rate(32),
      inputImage: rate(8),
      cachedImage: rate(2),
    });
    expect(ask('claude-opus-4-5', 'anthropic')).toMatchObject({
      cacheWrite: rate(6.25),
      cacheWrite1h: rate(10),
      units: { webSearches: 10_000_000_000_000n },
    });
    expect(ask('gpt-realtime', 'openai')).toMatchObject({
      inputAudio: rate(32),
      cachedAudio: rate(0.4),
      cachedImage: rate(0.5),
    });
    expect(ask('gemini-omni-flash-preview', 'google')).toMatchObject({ outputVideo: rate(17.5) });
    expect(ask('sonar-deep-research', 'perplexity')).toMatchObject({ thinking: rate(3) });
    expect(ask('sonar', 'perplexity')?.units).toMatchObject({ requests: 12_000_000_000_000n });
  });

  test('prices models that are sold by the hour or the page, whose tokens cost nothing', () => {
    const none = { nanoPerMillion: 0n, tiers: [] };
    const whisper = ask('whisper-1', 'openai');
    expect([whisper?.input, whisper?.output]).toEqual([none, none]);
    expect(whisper?.units).toEqual({ seconds: 6_000_000_000_000n });
    expect(ask('mistral-ocr-2505', 'mistral')?.units).toEqual({ pages: 1_000_000_000_000n });
  });

  test('gives context windows', () => {
    expect(prices.contextWindowOf({ providerName: 'up', tables: { genaiPrices: 'openai' }, model: 'gpt-4.1' })).toBe(
      1_000_000,
    );
    expect(prices.contextWindowOf({ providerName: 'up', model: 'no-such-model' })).toBeUndefined();
  });
});

describe('overrides', () => {
  const rule = (pattern: string, input: number) => ({
    pattern,
    input,
    output: 2,
    cacheRead: 0.1,
    cacheWrite: undefined,
  });
  const own = createPrices({ overrides: [rule('up/gpt-*', 1), rule('gpt-4.1', 3), rule('a.c', 4)] });
  const inputOf = (providerName: string, model: string) => own.priceOf({ providerName, model })?.input.nanoPerMillion;

  test('win in their order, by provider and model or by model alone', () => {
    expect(inputOf('up', 'gpt-4.1')).toBe(1_000_000_000n);
    expect(inputOf('other', 'gpt-4.1')).toBe(3_000_000_000n);
    expect(inputOf('other', 'a.c')).toBe(4_000_000_000n);
    expect(inputOf('other', 'abc')).toBeUndefined();
    expect(own.priceOf({ providerName: 'up', model: 'gpt-x' })?.version).toBe('operator');
    expect(own.priceOf({ providerName: 'up', model: 'gpt-x' })?.cacheRead?.nanoPerMillion).toBe(100_000_000n);
  });

  test('in other units are exact integers for a million of each, of minutes where seconds are counted', () => {
    const base = { pattern: 'm', input: 0, output: 0, cacheRead: undefined, cacheWrite: undefined };
    const unitsOf = (given: object) =>
      createPrices({ overrides: [{ ...base, ...given }] }).priceOf({ providerName: 'up', model: 'm' })?.units;
    expect(unitsOf({ image: 0.04 })).toEqual({ images: 40_000_000_000_000n });
    expect(unitsOf({ minute: 0.006 })).toEqual({ seconds: 6_000_000_000_000n });
    expect(unitsOf({ characters: 15 })).toEqual({ characters: 15_000_000_000n });
    expect(unitsOf({ searches: 2 })).toEqual({ searches: 2_000_000_000_000n });
    expect(unitsOf({ image: 0, searches: 0.1 })).toEqual({ images: 0n, searches: 100_000_000_000n });
    expect(unitsOf({})).toEqual({});
  });

  test('win over the library too, which is asked only once it is ready', async () => {
    const priceOf = (providerName: string, model: string) =>
      own.priceOf({ providerName, tables: { genaiPrices: 'openai' }, model })?.input.nanoPerMillion;
    expect(priceOf('other', 'gpt-4o')).toBeUndefined();
    await own.ready();
    expect(priceOf('other', 'gpt-4o')).toBe(2_500_000_000n);
    expect(priceOf('up', 'gpt-4o')).toBe(1_000_000_000n);
  });
});

test('a price that changes with time is asked for again', async () => {
  let now = 0;
  let usd = 1n;
  const changing = createPrices({
    overrides: [],
    nowMs: () => now,
    load: async () => tableOf('genai-prices', 'x', () => ({ price: { input: { nanoPerMillion: usd, tiers: [] } } })),
  });
  await changing.ready();
  const asked = () =>
    changing.priceOf({ providerName: 'up', tables: { genaiPrices: 'h' }, model: 'm' })?.input.nanoPerMillion;
  expect(asked()).toBe(1n);
  usd = 2n;
  expect(asked()).toBe(1n);
  now += 15 * 60_000;
  expect(asked()).toBe(2n);
});

test('new overrides take effect, and a price that a request holds stays what it was', () => {
  const base = { pattern: 'up/*', output: 0, cacheRead: undefined, cacheWrite: undefined };
  const changing = createPrices({ overrides: [{ ...base, input: 1 }] });
  const held = changing.priceOf({ providerName: 'up', model: 'm' });
  changing.replace([{ ...base, input: 2, version: 'operator@later' }]);
  expect(held?.input.nanoPerMillion).toBe(1_000_000_000n);
  const now = changing.priceOf({ providerName: 'up', model: 'm' });
  expect([now?.input.nanoPerMillion, now?.version]).toEqual([2_000_000_000n, 'operator@later']);
  changing.replace([]);
  expect(changing.priceOf({ providerName: 'up', model: 'm' })).toBeUndefined();
});
