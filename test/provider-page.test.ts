/** The documents about presets are generated from the presets; after a change of a row they are generated again. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { countedReadme, providerPage, providerPageFile, readmeFile } from '../scripts/provider-page.ts';
import { presets } from '../src/providers/presets.ts';

/** The first wrong line, since the whole difference of two long pages is unreadable. */
function firstDifference(written: string, made: string): string | undefined {
  const [old, fresh] = [written.split('\n'), made.split('\n')];
  const line = Array.from({ length: Math.max(old.length, fresh.length) }, (_, index) => index).find(
    (index) => old[index] !== fresh[index],
  );
  if (line === undefined) return undefined;
  return `line ${line + 1} is not what \`npm run docs:providers\` writes: ${fresh[line] ?? '(nothing)'}`;
}

test('the page about providers is what the presets say', () => {
  expect(firstDifference(readFileSync(providerPageFile, 'utf8'), providerPage())).toBeUndefined();
});

test('the page has a row for every preset and nothing beside', () => {
  const rows = providerPage().match(/^\| `[^`]+` \| \[/gm) ?? [];
  expect(rows.length).toBe(presets.length);
});

test('the front page counts the presets', () => {
  const page = readFileSync(readmeFile, 'utf8');
  expect(firstDifference(page, countedReadme(page))).toBeUndefined();
  expect(page).toContain(`${presets.length} presets`);
});
