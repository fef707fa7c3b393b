/** Proves that every language says everything, in its own words, and that the best one is found for a browser. */

import { describe, expect, test } from 'bun:test';
import { bestLanguage, languageNames, languages } from './languages.ts';

type Entry = string | readonly string[] | ((...gaps: never[]) => string) | { readonly [key: string]: Entry };

/** Every text by its path; a sentence with gaps is filled with something recognisable. */
function texts(entry: Entry, path = ''): Map<string, string> {
  if (typeof entry === 'string') return new Map([[path, entry]]);
  if (typeof entry === 'function') {
    const fill = entry as (...gaps: unknown[]) => string;
    return new Map([[path, fill(7, 7)]]);
  }
  return new Map(Object.entries(entry).flatMap(([key, inner]) => [...texts(inner, path ? `${path}.${key}` : key)]));
}

/** Of products, formats and units: the same in every language. */
const names = new Set([
  'curl',
  'Python',
  'Node',
  'TypeScript',
  'OpenTelemetry',
  'JSON',
  'CSV',
  'YAML',
  'API',
  'USD',
  'CI',
  'ID',
  'p50',
  'p95',
  'ms',
  'weir.yaml',
  'URL',
  'Webhook',
  'Slack',
  'Discord',
  'Microsoft Teams',
]);

describe('every language', async () => {
  const english = texts(await languages.en.load());
  for (const name of languageNames) {
    const own = texts(await languages[name].load());
    test(`${name} has the same entries, none of them empty`, () => {
      expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
      expect([...own].filter(([, text]) => text.trim() === '')).toEqual([]);
    });
    test(`${name} fills every gap that English has`, () => {
      const dropped = [...english].filter(([path, text]) => text.includes('7') !== (own.get(path) ?? '').includes('7'));
      expect(dropped).toEqual([]);
    });
  }

  test('Chinese is translated, apart from names and what is a sign everywhere', async () => {
    const chinese = texts(await languages.zh.load());
    const same = [...chinese].filter(([path, text]) => text === english.get(path) && !names.has(text));
    expect(same.filter(([, text]) => /\p{Letter}{2}/u.test(text))).toEqual([]);
  });
});

describe('the best language', () => {
  for (const [wanted, found] of [
    [['zh-CN', 'en'], 'zh'],
    [['zh-Hans-SG'], 'zh'],
    [['fr-FR', 'zh', 'en'], 'zh'],
    [['EN-gb', 'zh'], 'en'],
    [['fr'], 'en'],
    [[], 'en'],
  ] as const) {
    test(`of ${wanted.join(', ') || 'nothing'} is ${found}`, () => expect(bestLanguage(wanted)).toBe(found));
  }
});
