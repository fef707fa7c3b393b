import { describe, expect, test } from 'bun:test';
import { readHeld, withHeld, writeHeld } from '../held-prices.ts';
import { type CompareParts, type Comparison, compareInSteps } from './compare-tables.ts';
import { LeftOuts } from './left-out.ts';
import { flatRate, type PriceTable, type TableEntry, type TablePrice } from './table.ts';

const usd = (amount: number): bigint => BigInt(amount * 1_000_000_000);
const tokens = (input: number, output: number): TablePrice => ({
  input: flatRate(usd(input)),
  output: flatRate(usd(output)),
});

/** Knows models by their names and, like tables with rules for names, by any name that begins with one. */
function aTable(prices: Readonly<Record<string, TablePrice>>): PriceTable {
  const rows = Object.entries(prices).map(([name, price]) => {
    const [host = '', model = ''] = name.split('/');
    return [host, model, { price, contextTokens: 1_000 } as TableEntry] as const;
  });
  const find = (host: string, model: string) =>
    rows.find(([at, name]) => at === host && name === model) ??
    rows.find(([at, name]) => at === host && model.startsWith(`${name}-`));
  return {
    source: 'models.dev',
    version: 'models.dev 2026-11-01',
    unread: new Map(),
    leftOut: new LeftOuts().report(),
    listingOf(host, model) {
      const [at, name] = find(host, model) ?? [];
      return at === undefined || name === undefined ? undefined : [at, name];
    },
    find: (host, model) => find(host, model)?.[2],
    elsewhere: (model) =>
      rows.filter(([, name]) => name === model).map(([host, , entry]) => ({ host, entry, isVendor: false })),
    entries: () => rows,
  };
}

function compareTables(parts: CompareParts): Comparison {
  const steps = compareInSteps(parts);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const nothingElse = () => undefined;
const compare = (table: PriceTable, previous?: PriceTable, elsewhere: () => TablePrice | undefined = nothingElse) =>
  compareTables({ table, previous, elsewhere, nowMs: 0 });

describe('a new table beside the one before', () => {
  const previous = aTable({ 'a/same': tokens(1, 2), 'a/moved': tokens(1, 2), 'a/gone': tokens(1, 2) });

  test('says what was added, changed and removed, with both sides', () => {
    const next = aTable({ 'a/same': tokens(1, 2), 'a/moved': tokens(1, 3), 'b/new': tokens(5, 6) });
    const { changes, held, models, unchanged } = compare(next, previous);
    expect(changes).toEqual([
      {
        host: 'a',
        model: 'moved',
        kind: 'changed',
        differences: [{ rate: 'output', before: usd(2), after: usd(3) }],
      },
      {
        host: 'b',
        model: 'new',
        kind: 'added',
        differences: [
          { rate: 'input', before: undefined, after: usd(5) },
          { rate: 'output', before: undefined, after: usd(6) },
        ],
      },
      {
        host: 'a',
        model: 'gone',
        kind: 'removed',
        differences: [
          { rate: 'input', before: usd(1), after: undefined },
          { rate: 'output', before: usd(2), after: undefined },
        ],
      },
    ]);
    expect([held, models, unchanged]).toEqual([[], 3, 1]);
  });

  test('more than ten times is held, with what it costs until then', () => {
    const next = aTable({ 'a/same': tokens(1, 21), 'a/moved': tokens(0, 2), 'a/gone': tokens(1, 20) });
    const { changes, held } = compare(next, previous);
    expect(changes.map(({ model, kind }) => [model, kind])).toEqual([
      ['same', 'held'],
      ['moved', 'held'],
      ['gone', 'changed'],
    ]);
    expect(held.map(({ model, price }) => [model, price])).toEqual([
      ['same', tokens(1, 2)],
      ['moved', tokens(1, 2)],
    ]);
  });

  test('a model that is new in the table is compared with what it costs by other sources', () => {
    const known: TablePrice = { ...tokens(1, 2), cacheRead: flatRate(usd(0.1)) };
    const { changes } = compare(aTable({ 'a/m': tokens(100, 2), 'a/n': tokens(1, 2) }), undefined, () => known);
    expect(changes.map(({ model, kind }) => [model, kind])).toEqual([['m', 'held']]);
  });

  test('until it is confirmed, the other sources keep pricing such a model', () => {
    const table = aTable({ 'a/m': tokens(100, 2) });
    const { held } = compare(table, undefined, () => tokens(1, 2));
    expect(held.map(({ price }) => price)).toEqual([undefined]);
    const effective = withHeld(table, readHeld(writeHeld(held)), 0);
    expect(effective.find('a', 'm', 0)).toEqual({ contextTokens: 1_000 });
    expect(compare(table, effective, () => tokens(1, 2)).held).toEqual(held);
  });
});

test('a price that begins later is judged as one of today', () => {
  const now = aTable({ 'a/m': tokens(1, 2), 'a/n': tokens(1, 2) });
  const later = aTable({ 'a/m': tokens(1, 21), 'a/n': tokens(1, 3) });
  const table: PriceTable = {
    ...now,
    find: (host, model, atMs) => (atMs > 1e12 ? later : now).find(host, model, atMs),
  };
  const { changes, unchanged } = compare(table, now);
  expect(changes).toEqual([
    { host: 'a', model: 'm', kind: 'held', differences: [{ rate: 'output', before: usd(2), after: usd(21) }] },
  ]);
  expect(unchanged).toBe(1);
});

describe('what is held', () => {
  const previous = aTable({ 'a/m': tokens(1, 2), 'a/n': tokens(1, 2) });
  const table = aTable({ 'a/m': tokens(100, 200), 'a/n': tokens(100, 200), 'b/m': tokens(100, 200) });
  const { held } = compare(table, previous);
  const onlyM = held.filter(({ model }) => model === 'm');

  test('costs what it cost, under every name that the table knows it by; what is not held costs what the table says', () => {
    const effective = withHeld(table, onlyM, 0);
    expect(effective.find('a', 'm', 0)).toEqual({ price: tokens(1, 2), contextTokens: 1_000 });
    expect(effective.find('a', 'm-2026-01-01', 0)?.price).toEqual(tokens(1, 2));
    expect(effective.find('a', 'n', 0)?.price).toEqual(tokens(100, 200));
    expect(effective.find('b', 'm', 0)?.price).toEqual(tokens(100, 200));
    expect(effective.elsewhere('m', 0).map(({ host, entry }) => [host, entry.price])).toEqual([
      ['a', tokens(1, 2)],
      ['b', tokens(100, 200)],
    ]);
    expect([...effective.entries(0)].map(([, , { price }]) => price?.input?.nanoPerMillion)).toEqual([
      usd(1),
      usd(100),
      usd(100),
    ]);
  });

  test('comes back from its text with every digit', () => {
    expect(readHeld(writeHeld(held))).toEqual(held);
  });

  test('is held again by the next table that says the same, and no more by one that does not', () => {
    const effective = withHeld(table, held, 0);
    expect(compare(table, effective).held).toEqual(held);
    expect(compare(previous, effective).held).toEqual([]);
  });

  test('is believed once it was confirmed', () => {
    expect(compare(table, withHeld(table, [], 0)).changes).toEqual([]);
  });
});
