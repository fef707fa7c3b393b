/** What people read (the console, errors, settings, the home page, help and the API reference) is plain product English. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { en } from '../src/console/words/en.ts';
import { zh } from '../src/console/words/zh.ts';
import { errorTable } from '../src/conversation/error-table.ts';
import { settingList } from '../src/settings/settings.ts';
import { phrases, wholeTexts } from './phrases.ts';
import { replacements } from './vocabulary.ts';

const root = join(import.meta.dir, '..');

interface Visible {
  readonly place: string;
  readonly text: string;
}

type Entry = string | ((...gaps: unknown[]) => string) | { readonly [key: string]: Entry };

/** Every text of the console by its path; a sentence with gaps has `7` in each. */
function textsOf(entry: Entry, place: string): Visible[] {
  if (typeof entry === 'string') return [{ place, text: entry }];
  if (typeof entry === 'function') return [{ place, text: entry(7, 7, 7, 7) }];
  return Object.entries(entry).flatMap(([key, inner]) => textsOf(inner, `${place}.${key}`));
}

const consoleTexts = textsOf(en as unknown as Entry, 'en');

/** Literals of the code that have more than one word: messages, summaries, help, the banner and the home page. */
function literalsOf(path: string): Visible[] {
  const code = readFileSync(join(root, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, quoted, template = '']) => (quoted ?? template).replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '7'))
    .filter((text) => /\w \w/.test(text))
    .map((text) => ({ place: path, text }));
}

/** The console's texts have a place of their own; the sandbox and the tables of provider errors quote others. */
const messages = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: root })]
  .filter((path) => !/\.test\.ts$|^src\/(console|sandbox)\/|^src\/upstream\/faults\//.test(path))
  .sort()
  .flatMap(literalsOf);

const settingTexts = settingList.flatMap(({ key, meaning, kind }) => [
  { place: `settings.${key}`, text: meaning },
  { place: `settings.${key}`, text: kind.allowed },
]);
const errorTexts = Object.entries(errorTable).map(([code, { meaning }]) => ({
  place: `errors.${code}`,
  text: meaning,
}));

const visible = [...consoleTexts, ...settingTexts, ...errorTexts, ...messages];

const plain = (text: string): string => text.trim().replaceAll("'", '’');
const asPattern = (text: string): string => text.replace(/[?.]/g, '\\$&');
const anywhere = phrases.map((phrase) => new RegExp(`(?<!\\w)${asPattern(phrase)}(?!\\w)`, 'i'));
/** The first letter may be a capital; `IDs` are not `Ids`. */
const alone = wholeTexts.map(
  (text) => new RegExp(`^(?:${text[0]}|${text[0]?.toUpperCase()})${asPattern(text.slice(1)).replaceAll('…', '.+')}$`),
);

function oldPhrase(text: string): string | undefined {
  const shown = plain(text);
  return [...anywhere, ...alone].find((pattern) => pattern.test(shown))?.exec(shown)?.[0];
}

/** Beside the words that the code avoids: those that only pages had. */
const words: readonly (readonly [pattern: RegExp, instead: string])[] = [
  ...replacements,
  [/\b(?:requests|tokens|calls|USD|dollars) an? (?:minute|hour|day|week|month)\b/i, 'per minute'],
  [/\b(?:one|name|pattern|network|header) an? line\b/i, 'per line'],
  [/\bstands? for\b|\bstood for\b/i, 'is, matches'],
  [/\blies\b/i, 'is'],
  [/\banswers to\b|\bno longer there\b/i, 'replies, not found'],
];

describe('visible texts', () => {
  test('no phrase that readers stumbled over has come back', () => {
    const found = visible.flatMap(({ place, text }) => {
      const phrase = oldPhrase(text);
      return phrase === undefined ? [] : [`${place} says “${phrase}”: ${text}`];
    });
    expect(found).toEqual([]);
  });

  test('the console uses the industry’s words', () => {
    const found = [...consoleTexts, ...settingTexts, ...errorTexts].flatMap(({ place, text }) =>
      words.flatMap(([pattern, instead]) =>
        pattern.test(text) ? [`${place} says “${pattern.exec(text)?.[0]}”, not ${instead}: ${text}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });

  test('each of the old phrases would be found', () => {
    const missed = [
      ...phrases.filter((phrase) => oldPhrase(`It says: ${phrase.toUpperCase()}, twice.`) === undefined),
      ...wholeTexts.filter((text) => oldPhrase(text.replaceAll('…', 'seven')) === undefined),
    ];
    expect(missed).toEqual([]);
    expect(oldPhrase('Wayfinding')).toBeUndefined();
  });

  test('there are texts of every kind to look at', () => {
    const places = new Set(messages.map(({ place }) => place));
    for (const path of ['cli/banner.ts', 'cli/run.ts', 'http/pages/home-words.ts', 'endpoints/openapi/operations.ts'])
      expect(places).toContain(`src/${path}`);
    expect([consoleTexts.length > 800, messages.length > 1_000, settingTexts.length > 200]).toEqual([true, true, true]);
  });
});

/** What the admin API says of a mistake or of something that is not there. */
const refusal =
  /^(?:[\w.[\]]+: )?(?:must|may|is|are|can|cannot|only|exceeds?|contains|requires|needs|to change|this|choose)\b|^[A-Z].*\.$/;

describe('Chinese', () => {
  test('says what every setting does', () => {
    const same = settingList.filter(({ key, meaning }) => zh.server.meaning(key, meaning) === meaning);
    expect(same.map(({ key }) => key)).toEqual([]);
  });

  test('says what every setting accepts', () => {
    const allowed = [...new Set(settingList.map(({ kind }) => kind.allowed))].filter(
      (text) => text !== 'true or false',
    );
    expect(allowed.filter((text) => zh.server.text(text) === text)).toEqual([]);
  });

  test('has a sentence for every error code', () => {
    const missing = Object.keys(errorTable).filter((code) => zh.server.error(code, '?') === '?');
    expect(missing).toEqual([]);
  });

  test('translates what the admin API says', () => {
    // What SCIM refuses is read in the directory, never in the console.
    const said = messages.filter(
      ({ place, text }) =>
        /^src\/(admin(?!\/(?:description|scim))|endpoints\/admin)\//.test(place) &&
        refusal.test(text) &&
        !text.includes('${'),
    );
    // What follows `must be` is tested with the settings.
    const isTranslated = (text: string) => text === 'must be 7' || zh.server.text(text) !== text;
    expect(said.length).toBeGreaterThan(90);
    expect(said.filter(({ text }) => !isTranslated(text))).toEqual([]);
  });

  test('shows anything else as it came', () => {
    expect(zh.server.text('up: no capacity')).toBe('up: no capacity');
    expect(zh.server.error('unheard_of', 'no capacity')).toBe('no capacity');
  });
});
