import { expect, test } from 'bun:test';
import type { ListedModel } from '../conversation/model-profile.ts';
import { entryOfListed } from './listed-entry.ts';
import { createPrices, zeroPrice } from './prices.ts';
import { LeftOuts } from './tables/left-out.ts';
import type { PriceTable, TableEntry } from './tables/table.ts';

const listed: ListedModel = {
  name: 'm',
  profile: { contextTokens: 9_000, outputTokensMax: 800, input: ['text', 'pdf'], output: ['text'] },
  price: {
    rates: { input: { nano: '5', steps: [{ above: 10, nano: '7' }] }, output: { nano: '9' }, cacheRead: { nano: '1' } },
    units: { webSearches: '11' },
  },
  deprecatedAt: '2026-06-01',
  shutdownAt: '2027-01-14',
};

test('everything that a list says', () => {
  expect(entryOfListed(listed)).toEqual({
    contextTokens: 9_000,
    outputTokensMax: 800,
    inputModalities: ['text', 'file'],
    outputModalities: ['text'],
    deprecatedAt: '2026-06-01',
    shutdownAt: '2027-01-14',
    price: {
      input: { nanoPerMillion: 5n, tiers: [{ aboveInputTokens: 10, nanoPerMillion: 7n }] },
      output: { nanoPerMillion: 9n, tiers: [] },
      cacheRead: { nanoPerMillion: 1n, tiers: [] },
      units: { webSearches: 11n },
    },
  });
  expect(entryOfListed({ name: 'm' })).toEqual({});
});

test('what was kept and is not as Weir writes it is no price', () => {
  const kept = (price: unknown) => entryOfListed({ name: 'm', price } as ListedModel);
  const rate = { nano: '1' };
  for (const price of [
    {},
    { rates: {} },
    { rates: { input: rate } },
    { rates: { input: { nano: '-1' }, output: rate } },
    { rates: { input: { nano: 1 }, output: { nano: '1.5' } } },
    { rates: { input: { nano: '1', steps: [{ above: 'x', nano: '1' }] }, output: rate } },
    { rates: { input: rate, output: rate }, units: { requests: 'x' } },
  ]) {
    expect(kept(price)).toEqual({});
  }
});

const tableOf = (entry: TableEntry): PriceTable => ({
  source: 'models.dev',
  version: 'models.dev 2026-07-02',
  unread: new Map(),
  leftOut: new LeftOuts().report(),
  listingOf: (host, model) => [host, model],
  find: () => entry,
  elsewhere: () => [],
  entries: () => [],
});

test('a list goes before tables and behind the operator; facts that it does not name are those of tables', async () => {
  const rate = (nano: bigint) => ({ nanoPerMillion: nano, tiers: [] });
  let said: ListedModel | undefined = { name: 'm', price: { rates: { input: { nano: '5' }, output: { nano: '9' } } } };
  const prices = createPrices({
    overrides: [],
    listed: () => said && entryOfListed(said),
    load: async () =>
      tableOf({
        contextTokens: 1_000,
        shutdownAt: '2026-12-24',
        price: { input: rate(100n), output: rate(200n), outputImage: rate(300n) },
      }),
  });
  await prices.ready();
  const question = { providerName: 'up', tables: { modelsDev: 'up' }, model: 'm' };
  expect(prices.priceOf(question)).toMatchObject({
    input: rate(5n),
    output: rate(9n),
    outputImage: rate(300n),
    version: 'provider list + models.dev 2026-07-02',
  });
  expect(prices.factsOf(question)).toMatchObject({ contextTokens: 1_000, shutdownAt: '2026-12-24' });
  said = undefined;
  expect(prices.priceOf(question)?.input).toEqual(rate(5n));
  prices.forget();
  expect(prices.priceOf(question)?.input).toEqual(rate(100n));
  said = { name: 'm', price: { rates: { input: { nano: '0' }, output: { nano: '0' } } } };
  prices.forget();
  expect(prices.priceOf(question)?.input).toEqual(zeroPrice('x').input);
  prices.replace([{ pattern: 'up/m', input: 1, output: 2, cacheRead: undefined, cacheWrite: undefined }]);
  expect(prices.priceOf(question)?.version).toBe('operator');
});
