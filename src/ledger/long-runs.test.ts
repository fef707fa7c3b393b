/** Proves that cutting loses nothing, leaves no long run, and prefers spaces. */

import { describe, expect, test } from 'bun:test';
import { splitLongRuns } from './long-runs.ts';

const runMax = 2_000;
const pieceMax = 20_000;

const longestRun = (pieces: readonly string[]) =>
  Math.max(0, ...pieces.flatMap((piece) => piece.split(/[\0-\x20]/)).map((run) => run.length));

describe('pieces join to the text and hold no long run', () => {
  for (const [name, text] of [
    ['empty', ''],
    ['a sentence', 'The quick brown fox.'],
    ['words', 'word '.repeat(20_000)],
    ['one run', 'a'.repeat(50_001)],
    ['a run of exactly the limit', 'a'.repeat(runMax)],
    ['runs just below the limit', `${'a'.repeat(runMax - 1)} `.repeat(30)],
    ['runs just above the limit', `${'a'.repeat(runMax + 1)} `.repeat(30)],
    ['only spaces', ' '.repeat(50_000)],
    ['spaces, then a run', ' '.repeat(pieceMax) + 'a'.repeat(5_000)],
    ['lines and tabs', 'a\tb\r\n'.repeat(15_000)],
    ['characters of two units', '🌊'.repeat(9_000)],
  ] as const) {
    test(name, () => {
      const pieces = splitLongRuns(text);
      expect(pieces.join('') === text).toBe(true);
      expect(longestRun(pieces)).toBeLessThanOrEqual(runMax);
      expect(pieces).not.toContain('');
      expect(Math.max(0, ...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(pieceMax + runMax);
    });
  }
});

test('text of ordinary words is cut before a space only, where a tokenizer would cut too', () => {
  const pieces = splitLongRuns('some words '.repeat(5_000));
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces.slice(1)) expect(piece).toStartWith(' ');
});
