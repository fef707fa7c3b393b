/** No text may cost much more than an ordinary one of its length, or one caller would stop the gateway for all. */

import { describe, expect, test } from 'bun:test';
import { embedTexts } from './embed.ts';
import { moderateInputs } from './moderate.ts';
import { rankDocuments } from './rerank.ts';

const charactersMax = 100_000;
const fill = (piece: string, length = charactersMax): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Words of every length that repeat late, as prose does. */
const prose = fill(
  Array.from(
    { length: 4000 },
    (_, index) => `${(index * 7919).toString(36)} the ${(index % 61).toString(36)}word`,
  ).join(' '),
);

const hostile: Readonly<Record<string, string>> = {
  'one letter': fill('a'),
  'one letter with spaces': fill('a '),
  'a word spelt out': fill('k i l l '),
  'digits for letters': fill('k1!1|1 '),
  'digits without an end': fill('k1'),
  stars: fill('k**l '),
  'exclamation marks before a letter': `${fill('!')}a`,
  commas: fill('a,'),
  apostrophes: fill("a'"),
  'a pile of marks in the wrong order': `k${fill('\u0315\u0301\u0323')}`,
  'signs that unfold into sentences': fill('\ufdfa'),
  'the beginning of many phrases': fill('how to make '),
  'the beginning of threats': fill('i will '),
  'gaps that nearly close': fill('you are so so so '),
  'one long run of characters without spaces': fill('漢字'),
  'lone surrogates': fill('\ud800'),
  'no two groups alike': Array.from({ length: 25_000 }, (_, index) =>
    String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
  ).join('a'),
};

const moderate = (text: string): unknown =>
  moderateInputs({ inputs: [[{ type: 'text', text }]] }, 'modr-1', 'sandbox-moderate');

const operations: Readonly<Record<string, (text: string) => unknown>> = {
  embed: (text) => embedTexts({ model: 'sandbox-embed', inputs: [text], encoding: 'float' }),
  rerank: (text) =>
    rankDocuments(
      { model: 'sandbox-rerank', query: text, documents: [text, { text }], returnDocuments: false },
      'rerank-1',
    ),
  moderate,
};

/** The least of several runs is the work itself; the rest is what the machine did meanwhile. */
function cpuMicroseconds<Input>(run: (input: Input) => unknown, input: Input): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 3; count++) {
    const before = process.cpuUsage();
    run(input);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Some texts are all short words, which cost more than long ones; what this must find is work that grows with the square. */
const timesProseMax = 16;

for (const [name, operation] of Object.entries(operations)) {
  describe(name, () => {
    // One millisecond at least, so that a fast machine's clock does not make ratios of nothing.
    const ordinaryMicroseconds = Math.max(1000, cpuMicroseconds(operation, prose));
    for (const [kind, text] of Object.entries(hostile)) {
      test(`${kind}: at most ${timesProseMax} times the work of prose`, () => {
        expect(cpuMicroseconds(operation, text) / ordinaryMicroseconds).toBeLessThan(timesProseMax);
      });
    }
  });
}

/** Embedding and ranking stop at a limit; moderation must read all, so its cost must grow no faster than the text. */
describe('moderation of eight times the text', () => {
  for (const [kind, text] of Object.entries(hostile)) {
    test(`${kind}: at most 24 times the work`, () => {
      const short = Math.max(1000, cpuMicroseconds(moderate, text.slice(-charactersMax / 8)));
      expect(cpuMicroseconds(moderate, text) / short).toBeLessThan(24);
    });
  }
});

test('ten times the documents: at most 25 times the work', () => {
  const documents = Array.from({ length: 10_000 }, (_, index) => `document ${index} word${index % 97}`);
  const query = Array.from({ length: 8000 }, (_, index) => index.toString(36)).join(' ');
  const rank = (ranked: readonly string[]): unknown =>
    rankDocuments({ model: 'sandbox-rerank', query, documents: ranked, returnDocuments: false }, 'rerank-1');
  expect(cpuMicroseconds(rank, documents) / cpuMicroseconds(rank, documents.slice(0, 1000))).toBeLessThan(25);
});

test('a document of deep or many fields ends', () => {
  let deep: Record<string, unknown> = { text: 'moon' };
  for (let depth = 0; depth < 5000; depth++) deep = { deep };
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, `word ${index}`]));
  const { results } = rankDocuments(
    { model: 'sandbox-rerank', query: 'moon', documents: [deep, wide, 'moon'], returnDocuments: false },
    'rerank-1',
  );
  expect(results[0]?.index).toBe(2);
  expect(results.length).toBe(3);
});
