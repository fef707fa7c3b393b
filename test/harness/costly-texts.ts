/** Texts that a careless reader spends far too long on, each of the same length, and prose to compare them with: for tests. */

const charactersMax = 100_000;
const fill = (piece: string, length = charactersMax): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Words of every length that repeat late, as prose does. */
export const prose = fill(
  Array.from(
    { length: 4000 },
    (_, index) => `${(index * 7919).toString(36)} the ${(index % 61).toString(36)}word`,
  ).join(' '),
);

export const costlyTexts: Readonly<Record<string, string>> = {
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
