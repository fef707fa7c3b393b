import { describe, expect, test } from 'bun:test';
import { calcPrice, waitForUpdate } from '@pydantic/genai-prices';
import { sized } from '../../../test/harness/size.ts';
import { tokenRateNames } from '../price.ts';
import { loadPriceLibrary } from '../price-library.ts';
import { readGenaiPrices } from './read-genai-prices.ts';
import type { TableEntry, TablePrice } from './table.ts';
import { TableError } from './table-error.ts';

const bundled = await loadPriceLibrary();
const atMs = Date.parse('2026-11-16T12:00:00Z');

const host = (models: unknown[], more: object = {}) => ({ id: 'h', name: 'H', api_pattern: '.*', models, ...more });
const model = (prices: unknown, more: object = {}) => ({ id: 'm', match: { equals: 'm' }, prices, ...more });
const table = (...hosts: unknown[]) => readGenaiPrices(hosts, 'genai-prices 2026-01-01');
const priceIn = (prices: unknown, ms = atMs): TablePrice | undefined =>
  table(host([model(prices)])).find('h', 'm', ms)?.price;
const usd = (value: number) => ({ nanoPerMillion: BigInt(Math.round(value * 1e9)), tiers: [] });

describe('the bundled data', () => {
  test('is the same as its own library says, for every model and at several hours of a day', async () => {
    const hosts = (await waitForUpdate()) ?? [];
    let compared = 0;
    for (const { id, models } of hosts) {
      for (const { id: name } of models) {
        for (let hour = 0; hour < 24; hour += sized(8, 3)) {
          const ms = Date.parse('2026-11-16T00:45:00Z') + hour * 3_600_000;
          const said = calcPrice({}, name, { providerId: id, timestamp: new Date(ms) });
          const read = bundled.find(id, name, ms);
          expect([id, name, read === undefined]).toEqual([id, name, said === null]);
          if (said === null) continue;
          const input = said.model_price['input_mtok'];
          const base = typeof input === 'object' ? input.base : input;
          const isFree = Object.keys(said.model_price).length === 0;
          const shown = base === undefined ? (isFree ? 0n : undefined) : BigInt(Math.round(base * 1e9));
          expect([id, name, read?.price?.input?.nanoPerMillion]).toEqual([id, name, shown]);
          expect(read?.contextTokens).toBe(said.model.context_window);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(sized(4_000, 10_000));
  });

  test('leaves out only kinds that have no class, and reports them', () => {
    expect([...bundled.unread.keys()].sort()).toEqual([
      'input_annotated_document_kpages',
      'input_text_messages_kcount',
      'output_citation_mtok',
    ]);
  });

  test('can be listed', () => {
    const all = [...bundled.entries(atMs)];
    expect(all.length).toBeGreaterThan(1_400);
    expect(all.filter(([, , entry]) => entry.price === undefined)).toEqual([]);
  });
});

describe('prices', () => {
  test('of every class', () => {
    const names = [
      ['input_mtok', 'input'],
      ['cache_read_mtok', 'cacheRead'],
      ['cache_write_mtok', 'cacheWrite'],
      ['cache_write_1h_mtok', 'cacheWrite1h'],
      ['input_audio_mtok', 'inputAudio'],
      ['input_image_mtok', 'inputImage'],
      ['input_video_mtok', 'inputVideo'],
      ['cache_audio_read_mtok', 'cachedAudio'],
      ['cache_image_read_mtok', 'cachedImage'],
      ['cache_video_read_mtok', 'cachedVideo'],
      ['output_mtok', 'output'],
      ['output_reasoning_mtok', 'thinking'],
      ['output_audio_mtok', 'outputAudio'],
      ['output_image_mtok', 'outputImage'],
      ['output_video_mtok', 'outputVideo'],
    ] as const;
    expect(names.map(([, name]) => name).sort()).toEqual([...tokenRateNames].sort());
    const given = Object.fromEntries(names.map(([key], index) => [key, index + 0.125]));
    const expected = Object.fromEntries(names.map(([, name], index) => [name, usd(index + 0.125)]));
    expect(priceIn(given)).toEqual(expected);
  });

  test('of units, the higher where two are of one class', () => {
    expect(
      priceIn({
        audio_hours: 0.36,
        input_audio_hours: 0.3,
        input_mchars: 15,
        input_document_kpages: 2,
        rerank_searches_kcount: 2,
        web_searches_kcount: 10,
        requests_kcount: 5,
      })?.units,
    ).toEqual({
      seconds: 6_000_000_000_000n,
      characters: 15_000_000_000n,
      pages: 2_000_000_000_000n,
      searches: 2_000_000_000_000n,
      webSearches: 10_000_000_000_000n,
      requests: 5_000_000_000_000n,
    });
    expect(priceIn({ audio_hours: 0.1 })?.units).toEqual({ seconds: 1_666_666_666_667n });
  });

  test('that are empty are nothing; those that have no class are not known', () => {
    expect(priceIn({})).toEqual({ input: usd(0), output: usd(0) });
    expect(priceIn({ input_text_messages_kcount: 2.5 })).toBeUndefined();
  });

  test('of searches of files are a fee of that tool', () => {
    expect(priceIn({ storage_searches_kcount: 2.5 })?.units).toEqual({ tools: { file_search: 2_500_000_000_000n } });
  });

  test('in steps, in order', () => {
    const steps = {
      base: 1,
      tiers: [
        { start: 500, price: 3 },
        { start: 200, price: 2 },
      ],
    };
    expect(priceIn({ input_mtok: steps })?.input).toEqual({
      nanoPerMillion: 1_000_000_000n,
      tiers: [
        { aboveInputTokens: 200, nanoPerMillion: 2_000_000_000n },
        { aboveInputTokens: 500, nanoPerMillion: 3_000_000_000n },
      ],
    });
  });

  test('by day and by time of day, also over midnight and in another zone', () => {
    const prices = [
      { prices: { input_mtok: 1 } },
      { constraint: { start_date: '2026-01-01' }, prices: { input_mtok: 2 } },
      { constraint: { start_time: '22:00:00Z', end_time: '02:00:00Z' }, prices: { input_mtok: 3 } },
      { constraint: { start_time: '08:00:00+08:00', end_time: '09:00:00+08:00' }, prices: { input_mtok: 4 } },
    ];
    const at = (time: string) => priceIn(prices, Date.parse(time))?.input?.nanoPerMillion;
    expect(at('2025-12-31T12:00:00Z')).toBe(1_000_000_000n);
    expect(at('2026-01-01T12:00:00Z')).toBe(2_000_000_000n);
    expect(at('2026-01-01T22:00:00Z')).toBe(3_000_000_000n);
    expect(at('2026-01-01T01:59:59Z')).toBe(3_000_000_000n);
    expect(at('2026-01-01T02:00:00Z')).toBe(2_000_000_000n);
    expect(at('2026-01-01T00:30:00Z')).toBe(4_000_000_000n);
  });

  test('elsewhere know no discount of the night', () => {
    const prices = [
      { prices: { input_mtok: 1 } },
      { constraint: { start_time: '08:00:00Z', end_time: '16:00:00Z' }, prices: { input_mtok: 4 } },
    ];
    const given = table(host([model(prices)]), host([], { id: 'other', fallback_model_providers: ['h'] }));
    const night = Date.parse('2026-01-01T20:00:00Z');
    const inputOf = (entry: TableEntry | undefined) => entry?.price?.input?.nanoPerMillion;
    expect(inputOf(given.find('h', 'm', night))).toBe(1_000_000_000n);
    expect(inputOf(given.find('other', 'm', night))).toBe(4_000_000_000n);
    expect(given.elsewhere('m', night).map(({ host: id, entry }) => [id, inputOf(entry)])).toEqual([
      ['h', 4_000_000_000n],
    ]);
  });
});

describe('what is wrong is named', () => {
  const errorOf = (prices: unknown): string => {
    try {
      priceIn(prices);
      return 'nothing';
    } catch (error) {
      return error instanceof TableError ? error.message : String(error);
    }
  };
  for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, '3', true, 1e7]) {
    test(`a price of ${JSON.stringify(bad)} (${String(bad)})`, () => {
      expect(errorOf({ input_mtok: 1, output_mtok: bad })).toStartWith('h/m/prices/output_mtok: ');
    });
  }
  test('another currency, broken steps and constraints', () => {
    expect(errorOf({ input_mtok: 1, currency: 'CNY' })).toStartWith('h/m/prices/currency: "CNY" is another currency');
    expect(errorOf({ input_mtok: { base: 1, tiers: [{ start: -1, price: 1 }] } })).toStartWith(
      'h/m/prices/input_mtok/tiers/0/start: ',
    );
    expect(errorOf({ input_mtok: { base: 1, tiers: [{ start: 1, price: -1 }] } })).toStartWith(
      'h/m/prices/input_mtok/tiers/0/price: ',
    );
    expect(errorOf([{ constraint: { start_date: '2026-02-30' }, prices: {} }])).toStartWith(
      'h/m/prices/0/constraint/start_date',
    );
  });

  test('names and rules that are written to do harm', () => {
    const ruled = (match: unknown) => () => table(host([{ id: 'm', match, prices: {} }]));
    for (const pattern of ['(a+)+$', '(.*)(.*)(.*)x', '(a|aa)*b', '\\1', '(', `${'a'.repeat(201)}`])
      expect(ruled({ regex: pattern })).toThrow(TableError);
    expect(ruled({ regex: '^gpt-5\\.4-\\d{4}-\\d{2}-\\d{2}$' })).not.toThrow();
    let deep: unknown = { equals: 'm' };
    for (let depth = 0; depth < 50; depth++) deep = { or: [deep] };
    expect(ruled(deep)).toThrow(TableError);
    const own = JSON.parse(
      '[{"id":"__proto__","models":[{"id":"__proto__","match":{"equals":"__proto__"},"prices":{"input_mtok":1}}]}]',
    );
    expect(readGenaiPrices(own, 'x').find('__proto__', '__proto__', atMs)?.price?.input).toEqual(usd(1));
    expect(table(host([])).find('__proto__', 'constructor', atMs)).toBeUndefined();
    expect(() => table({ ...host([]), id: 'x'.repeat(301) })).toThrow(TableError);
    expect(() =>
      readGenaiPrices(
        Array.from({ length: 2_001 }, () => host([])),
        'x',
      ),
    ).toThrow('longer than 2000');
    expect(() => readGenaiPrices({}, 'x')).toThrow(TableError);
  });
});
