/** Keeps the tables of `docs/configuration.md` equal to the code: every row, its default and nothing that no longer exists. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { settingsPage } from '../../scripts/settings-page.ts';
import { settingList } from '../settings/settings.ts';
import { priceKeysAt } from './price-schema.ts';

const page = readFileSync('docs/configuration.md', 'utf8');

/** The rows of the table whose first column is headed like this. */
function tableRows(heading: string): string[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return start === -1 ? [] : lines.slice(start + 2, end);
}

test('the table of settings is what `npm run docs:settings` writes', () => {
  expect(page).toBe(settingsPage(page));
});

test('the example file names every setting that a file can have', () => {
  const example = readFileSync('weir.example.yaml', 'utf8');
  const named = (key: string) => new RegExp(`^[ #]*${key.split('.').at(-1)}:`, 'm').test(example);
  const missing = settingList.filter((row) => row.variableOnly !== true && !named(row.key));
  expect(missing.map(({ key }) => key)).toEqual([]);
});

test('the table of prices has every key of a price', () => {
  const keys = tableRows('price key').map((row) => /^\| `(\w+)` \|/.exec(row)?.[1] ?? row);
  expect(keys.toSorted()).toEqual([...priceKeysAt([])].sort());
});

test('a derived variable’s name follows from its key', () => {
  const fixed = [
    'WEIR_CONFIG',
    'WEIR_HOST',
    'WEIR_PORT',
    'WEIR_DATA',
    'DATABASE_URL',
    'REDIS_URL',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'NO_PROXY',
  ];
  for (const row of settingList) {
    const derived = `WEIR_${row.key.replaceAll('.', '_').toUpperCase()}`;
    if (!fixed.includes(row.variable)) expect(row.variable).toBe(derived);
  }
  expect(new Set(settingList.map((row) => row.variable)).size).toBe(settingList.length);
});
