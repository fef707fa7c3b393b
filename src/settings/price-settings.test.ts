import { expect, test } from 'bun:test';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/problem.ts';

function load(file: string, environment: Record<string, string> = {}) {
  return loadConfig({
    environment,
    readFile: (path) => (path.endsWith('weir.yaml') ? file : undefined),
    workingFolder: '/w',
  });
}

const none = { guesses: 'display', places: [], refreshHours: 24 };

function problemsOf(file: string): string {
  try {
    load(file);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

test('tables of prices are off, and guesses are for display, unless the configuration says otherwise', () => {
  expect(load('').priceTables).toEqual(none as never);
});

test('one place or several, in the file or in a variable', () => {
  const one = { ...none, places: ['https://models.dev/api.json'] } as never;
  expect(load('price_tables: { url: https://models.dev/api.json }').priceTables).toEqual(one);
  expect(load('', { WEIR_PRICE_TABLES_URL: 'https://models.dev/api.json' }).priceTables).toEqual(one);
  expect(load('price_tables: { url: [./a.json, "file:///b.json"] }').priceTables.places).toEqual([
    './a.json',
    'file:///b.json',
  ]);
  expect(load('', { WEIR_PRICE_TABLES_URL: 'a.json, http://h/b' }).priceTables.places).toEqual([
    'a.json',
    'http://h/b',
  ]);
});

test('beside the prices they mean the same, and no pattern is mistaken for one', () => {
  const file = 'prices: { url: [a.json], guesses: budgets, refresh_hours: 1, "m*": { input: 1, output: 2 } }';
  expect(load(file).priceTables).toEqual({ guesses: 'budgets', places: ['a.json'], refreshHours: 1 });
  expect(load(file).prices.map(({ pattern }) => pattern)).toEqual(['m*']);
  const patterns = load('prices: { url: { input: 1, output: 2 }, guesses: { image: 1 } }');
  expect(patterns.prices.map(({ pattern }) => pattern)).toEqual(['url', 'guesses']);
  expect(patterns.priceTables).toEqual(none as never);
});

test('what is not allowed is named', () => {
  expect(problemsOf('price_tables: { guesses: maybe }')).toContain('price_tables.guesses');
  expect(problemsOf('prices: { guesses: maybe }')).toContain('price_tables.guesses');
  expect(problemsOf('price_tables: { url: ftp://h/x }')).toContain('price_tables.url');
  expect(problemsOf('price_tables: { url: [""] }')).toContain('price_tables.url');
  expect(problemsOf('price_tables: { refresh_hours: 0 }')).toContain('price_tables.refresh_hours');
  expect(problemsOf('price_tables: { guesses: off, urls: x }')).toContain('price_tables.urls');
  expect(problemsOf('price_tables: { url: a }\nprices: { url: b }')).toContain('prices.url');
});

test('a password in an address is not shown', () => {
  const { settings } = load('price_tables: { url: ["https://me:secret@h/x?key=hidden", b.json] }');
  const shown = settings.find(({ key }) => key === 'price_tables.url');
  expect(shown).toMatchObject({ shown: 'https://me:***@h/x?***, b.json' });
  expect(JSON.stringify(shown)).not.toContain('secret');
});
