import { describe, expect, test } from 'bun:test';
import { lookUp } from './look-up.ts';
import { loadPriceLibrary } from './price-library.ts';
import { createPrices, type PriceQuestion } from './prices.ts';
import { readLitellm } from './tables/read-litellm.ts';
import { readModelsDev } from './tables/read-models-dev.ts';
import { flatRate, type PriceTable, type TableEntry } from './tables/table.ts';

const bundled = await loadPriceLibrary();
const usd = (value: number) => flatRate(BigInt(Math.round(value * 1e9)));

/** One host's models in the form of models.dev. */
const modelsDev = (hosts: Record<string, Record<string, object>>): PriceTable =>
  readModelsDev(
    Object.fromEntries(Object.entries(hosts).map(([host, models]) => [host, { models }])),
    'models.dev 2026-07-02',
  );
const litellm = (models: Record<string, object>): PriceTable => readLitellm(models, 'litellm 2026-08-08');
const cost = (input: number, output: number, more: object = {}) => ({ cost: { input, output, ...more } });

interface Given {
  readonly tables: readonly PriceTable[];
  readonly names?: PriceQuestion['tables'];
  readonly model?: string;
  readonly listed?: TableEntry;
  readonly vendors?: { readonly 'models.dev'?: ReadonlySet<string> };
  readonly at?: string;
}
const find = ({ tables, names, model = 'm', listed, vendors = {}, at = '2026-11-16T12:00:00Z' }: Given) =>
  lookUp({ tables, names, model, listed, vendors, atMs: Date.parse(at) });

describe('a host’s own price', () => {
  const names = { genaiPrices: 'google', modelsDev: 'google', litellm: ['gemini', 'palm'] };

  test('is the first source’s, and later ones fill in what it does not name', () => {
    const given = modelsDev({ google: { 'gemini-2.5-flash': cost(0.31, 2.6) } });
    const { price } = find({ tables: [given, bundled], names, model: 'gemini-2.5-flash' });
    expect(price).toMatchObject({ input: usd(0.31), output: usd(2.6), inputAudio: usd(1), cachedAudio: usd(0.1) });
    expect(price?.version).toBe('models.dev 2026-07-02 + genai-prices@0.1.8');
    expect(price?.guess).toBeUndefined();
  });

  test('of a model that draws has both rates, though one table has only the higher one', () => {
    const given = modelsDev({ google: { 'gemini-2.5-flash-image': cost(0.3, 30) } });
    const { price } = find({ tables: [given, bundled], names, model: 'gemini-2.5-flash-image' });
    expect(price).toMatchObject({ output: usd(2.5), outputImage: usd(30) });
  });

  test('names only the sources that it was made of', () => {
    const given = modelsDev({ h: { m: cost(1, 2, { cache_read: 0.1 }) } });
    const same = litellm({ m: { litellm_provider: 'h', input_cost_per_token: 9e-6, output_cost_per_token: 9e-6 } });
    expect(find({ tables: [given, same], names: { modelsDev: 'h', litellm: 'h' } }).price?.version).toBe(
      'models.dev 2026-07-02',
    );
  });

  test('does not become two prices for one use', () => {
    const tokens = modelsDev({ h: { m: cost(1, 2) } });
    const image = litellm({ m: { litellm_provider: 'h', mode: 'image_generation', output_cost_per_image: 0.04 } });
    const both = { modelsDev: 'h', litellm: 'h' };
    expect(find({ tables: [tokens, image], names: both }).price?.units).toBeUndefined();
    expect(find({ tables: [image, tokens], names: both }).price).toMatchObject({ input: usd(0), output: usd(0) });
  });

  test('takes over no discount for cached input that is more expensive than the input itself', () => {
    const given = modelsDev({ h: { m: cost(1, 2) } });
    const stale = litellm({
      m: {
        litellm_provider: 'h',
        input_cost_per_token: 5e-6,
        cache_read_input_token_cost: 2e-6,
        cache_creation_input_token_cost: 6e-6,
      },
    });
    const { price } = find({ tables: [given, stale], names: { modelsDev: 'h', litellm: 'h' } });
    expect([price?.cacheRead, price?.cacheWrite]).toEqual([undefined, usd(6)]);
  });

  test('takes over no class that costs what the whole costs: it would stay behind when the whole changes', () => {
    const given = modelsDev({ h: { m: cost(1, 3) } });
    const old = litellm({
      m: {
        litellm_provider: 'h',
        input_cost_per_token: 1e-6,
        output_cost_per_token: 2e-6,
        output_cost_per_reasoning_token: 2e-6,
      },
    });
    expect(find({ tables: [given, old], names: { modelsDev: 'h', litellm: 'h' } }).price).toEqual({
      input: usd(1),
      output: usd(3),
      version: 'models.dev 2026-07-02',
    });
  });

  test('of nothing gives way to one of something, unless the name or the host itself says free', () => {
    const none = modelsDev({ h: { m: cost(0, 0), 'm:free': cost(0, 0) } });
    const some = litellm({
      m: { litellm_provider: 'h', input_cost_per_token: 1e-6 },
      'm:free': { litellm_provider: 'h', input_cost_per_token: 1e-6 },
    });
    const both = { modelsDev: 'h', litellm: 'h' };
    expect(find({ tables: [none, some], names: both }).price).toMatchObject({
      input: usd(1),
      version: 'litellm 2026-08-08',
    });
    expect(find({ tables: [none, some], names: both, model: 'm:free' }).price).toMatchObject({ input: usd(0) });
    expect(
      find({ tables: [some], names: both, listed: { price: { input: usd(0), output: usd(0) } } }).price,
    ).toMatchObject({
      input: usd(0),
      version: 'provider list',
    });
    expect(find({ tables: [none], names: both }).price).toMatchObject({
      input: usd(0),
      version: 'models.dev 2026-07-02',
    });
  });

  test('is that of the closest name', () => {
    const dated = litellm({ 'm-2026-01-01': { litellm_provider: 'h', input_cost_per_token: 1e-6 } });
    const plain = modelsDev({ h: { m: cost(2, 2, { cache_read: 0.5 }) } });
    const both = { modelsDev: 'h', litellm: 'h' };
    expect(find({ tables: [plain, dated], names: both, model: 'vendor/m-2026-01-01' }).price).toMatchObject({
      input: usd(1),
    });
    expect(find({ tables: [plain, dated], names: both, model: 'm-2026-02-02' }).price).toMatchObject({ input: usd(2) });
  });

  test('is its own list’s before any table’s', () => {
    const given = modelsDev({ h: { m: cost(1, 2, { cache_read: 0.1 }) } });
    const listed = { price: { input: usd(3), output: usd(4) }, contextTokens: 5 };
    const { price, facts } = find({ tables: [given], names: { modelsDev: 'h' }, listed });
    expect(price).toMatchObject({
      input: usd(3),
      output: usd(4),
      cacheRead: usd(0.1),
      version: 'provider list + models.dev 2026-07-02',
    });
    expect(facts.contextTokens).toBe(5);
    const facted = find({ tables: [given], names: { modelsDev: 'h' }, listed: { contextTokens: 5 } });
    expect([facted.price?.version, facted.facts.contextTokens]).toEqual(['models.dev 2026-07-02', 5]);
  });
});

describe('a guess', () => {
  const hosts = modelsDev({
    cheap: { m: cost(1, 1) },
    vendor: { 'vendor/m': cost(2, 2) },
    expensive: { 'x/M': cost(3, 3) },
    free: { m: cost(0, 0) },
  });

  test('is the vendor’s price, else the most expensive, and names the host', () => {
    expect(find({ tables: [hosts], vendors: { 'models.dev': new Set(['vendor']) } }).price).toMatchObject({
      input: usd(2),
      guess: true,
      version: 'guess: models.dev 2026-07-02 vendor',
    });
    expect(find({ tables: [hosts], model: 'cheap/m' }).price).toMatchObject({ input: usd(1), guess: true });
    expect(find({ tables: [hosts] }).price).toMatchObject({
      input: usd(3),
      version: 'guess: models.dev 2026-07-02 expensive',
    });
  });

  test('is made only where the host has no price of its own, be it nothing', () => {
    for (const [host, input] of [
      ['cheap', 1],
      ['expensive', 3],
    ] as const) {
      const { price } = find({
        tables: [hosts],
        names: { modelsDev: host },
        ...(host === 'expensive' && { model: 'x/m' }),
      });
      expect([price?.input, price?.guess]).toEqual([usd(input), undefined]);
    }
    expect(find({ tables: [hosts], names: { modelsDev: 'free' } }).price).toMatchObject({ input: usd(0) });
    expect(find({ tables: [hosts], model: 'n' }).price).toBeUndefined();
  });

  /** Finding F4: DeepSeek's own night discount was applied to every other host. */
  test('knows no discount of the night: that is the host’s who grants it', () => {
    const inputAt = (at: string, names?: Given['names']) =>
      find({ tables: [bundled], model: 'deepseek-reasoner', at, ...(names && { names }) }).price?.input.nanoPerMillion;
    const own = { genaiPrices: 'deepseek' };
    expect(inputAt('2026-07-01T10:00:00Z', own)).toBe(550_000_000n);
    expect(inputAt('2026-07-01T20:00:00Z', own)).toBe(135_000_000n);
    for (const names of [undefined, { genaiPrices: 'azure' }, { modelsDev: 'deepinfra' }]) {
      expect(inputAt('2026-07-01T10:00:00Z', names)).toBe(550_000_000n);
      expect(inputAt('2026-07-01T20:00:00Z', names)).toBe(550_000_000n);
    }
  });
});

describe('facts', () => {
  test('come field by field from the first source that says them', () => {
    const first = modelsDev({ h: { m: { limit: { context: 100, output: 0 }, status: 'deprecated' } } });
    const second = litellm({
      m: {
        litellm_provider: 'h',
        mode: 'chat',
        max_input_tokens: 7,
        max_output_tokens: 9,
        deprecation_date: '2027-01-01',
      },
    });
    expect(find({ tables: [first, second], names: { modelsDev: 'h', litellm: 'h' } }).facts).toEqual({
      contextTokens: 100,
      outputTokensMax: 9,
      deprecated: true,
      shutdownAt: '2027-01-01',
    });
  });

  test('of another host say only how much it reads at most, and whose that is', () => {
    const others = modelsDev({
      a: { m: { limit: { context: 100, output: 5 } } },
      b: { m: { limit: { context: 300, output: 6 } } },
    });
    expect(find({ tables: [others] }).facts).toEqual({ contextTokens: 300, contextOf: 'b' });
    expect(find({ tables: [others], names: { modelsDev: 'a' } }).facts).toEqual({
      contextTokens: 100,
      outputTokensMax: 5,
    });
  });
});

test('the operator goes before all, then lists, downloaded tables in their order, and the bundled one', async () => {
  const question = { providerName: 'up', tables: { genaiPrices: 'h', modelsDev: 'h' }, model: 'm' };
  const table = (version: string, input: number): PriceTable => ({
    ...modelsDev({ h: { m: cost(input, 1) } }),
    version,
  });
  let listed: TableEntry | undefined = { price: { input: usd(2), output: usd(1) } };
  const prices = createPrices({
    overrides: [{ pattern: 'up/m', input: 1, output: 1, cacheRead: undefined, cacheWrite: undefined }],
    listed: () => listed,
    load: async () => table('bundled', 5),
  });
  await prices.ready();
  const asked = () => [prices.priceOf(question)?.version, prices.priceOf(question)?.input];
  prices.setTables([table('first', 3), table('second', 4)]);
  expect(prices.tables().map(({ version }) => version)).toEqual(['first', 'second', 'bundled']);
  expect(asked()).toEqual(['operator', usd(1)]);
  prices.replace([]);
  expect(asked()).toEqual(['provider list', usd(2)]);
  listed = undefined;
  expect(asked()).toEqual(['provider list', usd(2)]);
  prices.forget();
  expect(asked()).toEqual(['first', usd(3)]);
  prices.setTables([table('second', 4)]);
  expect(asked()).toEqual(['second', usd(4)]);
  prices.setTables([]);
  expect(asked()).toEqual(['bundled', usd(5)]);
});

test('an incomplete price is a guess, gives way to a complete one, and is never free', () => {
  const names = { modelsDev: 'h', litellm: 'h' };
  const unknown = modelsDev({ h: { m: cost(3, 4, { banana: 1 }) } });
  const alone = find({ tables: [unknown], names }).price;
  expect(alone).toEqual({
    input: usd(3),
    output: usd(4),
    version: 'incomplete: models.dev 2026-07-02',
    guess: true,
  });
  const complete = litellm({
    m: { litellm_provider: 'h', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
  });
  const both = find({ tables: [unknown, complete], names }).price;
  expect([both?.version, both?.input, both?.guess]).toEqual(['litellm 2026-08-08', usd(1), undefined]);
  const zero = modelsDev({ h: { m: cost(0, 0, { banana: 1 }) } });
  expect(find({ tables: [zero], names }).price).toBeUndefined();
});
