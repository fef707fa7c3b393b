import { expect, test } from 'bun:test';
import { segmentsFromWords, type TimedPiece } from './segments-from-words.ts';

const said = (text: string, startSeconds: number, speaker?: string): TimedPiece => ({
  text,
  startSeconds,
  endSeconds: startSeconds + 0.4,
  ...(speaker === undefined ? {} : { speaker }),
});

test('a segment ends with a sentence, a pause or a speaker', () => {
  const pieces = [
    said('Good ', 0),
    said('day. ', 0.5),
    said('Who ', 1),
    said('waits ', 3),
    said('there', 3.5, 'B'),
    said('?', 4, 'B'),
  ];
  expect(segmentsFromWords(pieces)).toEqual([
    { startSeconds: 0, endSeconds: 0.9, text: 'Good day.' },
    { startSeconds: 1, endSeconds: 1.4, text: 'Who' },
    { startSeconds: 3, endSeconds: 3.4, text: 'waits' },
    { startSeconds: 3.5, endSeconds: 4.4, text: 'there?', speaker: 'B' },
  ]);
});

test('nothing is lost of a long speech without any end, and none of it is too long for a subtitle', () => {
  const pieces = Array.from({ length: 500 }, (_, index) => said(`word${index} `, index * 0.5));
  const segments = segmentsFromWords(pieces);
  expect(segments.map(({ text }) => text).join(' ')).toBe(pieces.map(({ text }) => text.trim()).join(' '));
  for (const { text } of segments) expect(text.length).toBeLessThanOrEqual(160);
});

test('silence has no segments', () => {
  expect(segmentsFromWords([])).toEqual([]);
  expect(segmentsFromWords([said('  ', 0)])).toEqual([]);
});
