/** Tokens of a spoken reply by the length of its audio. */

import { expect, test } from 'bun:test';
import { spokenTokens } from './spoken-length.ts';

const none = new Uint8Array();

test('samples count exactly, compressed audio by its usual rate, and other replies not at all', () => {
  expect(spokenTokens('audio/pcm', 48_000 * 60, none)).toBe(21 * 60);
  expect(spokenTokens('audio/wav', 48_000, none)).toBe(21);
  expect(spokenTokens('audio/mpeg', 16_000 * 10, none)).toBe(210);
  expect(spokenTokens('Audio/Ogg; codecs=opus', 4_000, none)).toBe(21);
  expect(spokenTokens('application/json', 1_000_000, none)).toBe(0);
});

test('an MP3 says its own rate, behind tags too', () => {
  const frame = (second: number, third: number) => new Uint8Array([0xff, second, third, 0]);
  // Version 1 at 128 kbit/s, version 2 at 64 kbit/s.
  expect(spokenTokens('audio/mpeg', 16_000, frame(0xfb, 0x90))).toBe(21);
  expect(spokenTokens('audio/mpeg', 8_000, frame(0xf3, 0x80))).toBe(21);
  const tagged = new Uint8Array([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0, 0xff, 0xf3, 0x80, 0]);
  expect(spokenTokens('audio/mpeg', 8_000, tagged)).toBe(21);
});
