/** Keeps the tables of `docs/configuration.md` equal to the code: every row, its default and nothing that no longer exists. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { exampleFile, withExampleSettings, withSettingTable } from '../../scripts/setting-pages.ts';
import { settingList } from '../settings/settings.ts';
import { priceKeysAt } from './price-schema.ts';

const page = readFileSync('docs/configuration.md', 'utf8');
const shownDefault = (value: unknown): string => (value === undefined ? '' : String(value));

/** The rows of the table whose first column is headed like this. */
function tableRows(heading: string): string[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return start === -1 ? [] : lines.slice(start + 2, end);
}

test('the table of settings and the example file are what `npm run docs:settings` writes', () => {
  expect(page).toBe(withSettingTable(page));
  const example = readFileSync(exampleFile, 'utf8');
  expect(example).toBe(withExampleSettings(example));
});

test('every setting of the file has a default or an example', () => {
  const bare = settingList.filter(
    (row) => row.variableOnly !== true && row.example === undefined && shownDefault(row.default) === '',
  );
  expect(bare.map(({ key }) => key)).toEqual([]);
});

test('every example is a value that its setting accepts', () => {
  const wrong = settingList.filter(
    (row) => row.example !== undefined && !row.kind.schema.safeParse(row.example).success,
  );
  expect(wrong.map(({ key }) => key)).toEqual([]);
});

test('the table of prices has every key of a price', () => {
  const keys = tableRows('price key').map((row) => /^\| `(\w+)` \|/.exec(row)?.[1] ?? row);
  expect(keys.toSorted()).toEqual([...priceKeysAt([])].sort());
});

test('no two settings share a variable or a place', () => {
  expect(new Set(settingList.map((row) => row.variable)).size).toBe(settingList.length);
  expect(new Set(settingList.map((row) => row.path.join('.'))).size).toBe(settingList.length);
});
