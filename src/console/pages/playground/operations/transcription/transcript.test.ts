/** Proves that transcripts of every shape are read, and times are written as players write them. */

import { describe, expect, test } from 'bun:test';
import { clockText, spanText, transcriptOf, wholeClockText } from './transcript.ts';

test('segments keep their times and speakers', () => {
  const read = transcriptOf({
    text: ' Hello there. ',
    language: 'english',
    duration: 1.01,
    segments: [{ start: 0.19, end: 0.84, text: ' Hello there.', speaker: 'A' }],
  });
  expect(read).toEqual({
    text: 'Hello there.',
    language: 'english',
    durationSeconds: 1.01,
    segments: [{ startSeconds: 0.19, endSeconds: 0.84, text: 'Hello there.', speaker: 'A' }],
  });
});

test('a bare text is a transcript, and so is nothing', () => {
  expect(transcriptOf({ text: 'Hi' })).toEqual({ text: 'Hi', language: '', durationSeconds: undefined, segments: [] });
  expect(transcriptOf({}).text).toBe('');
});

describe('a time', () => {
  for (const [seconds, text] of [
    [0, '0:00.0'],
    [0.19, '0:00.2'],
    [59.96, '1:00.0'],
    [67.3, '1:07.3'],
    [3_600, '60:00.0'],
    [-1, '0:00.0'],
  ] as const) {
    test(`${seconds} s is ${text}`, () => expect(clockText(seconds)).toBe(text));
  }
});

test('a running clock shows whole seconds, and a span both its ends', () => {
  expect([wholeClockText(0.99), wholeClockText(61.5)]).toEqual(['0:00', '1:01']);
  expect(spanText({ startSeconds: 0.19, endSeconds: 61, text: '', speaker: '' })).toBe('0:00.2–1:01.0');
});
