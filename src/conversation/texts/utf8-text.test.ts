import { expect, test } from 'bun:test';
import { utf8Text } from './utf8-text.ts';

const texts = ['', 'plain', 'h\u00e9llo \u2014 \u6c34', '\u{1f30a} wave', '\ufeffmark', '\ud83d'];

test('it reads what a Buffer over the same bytes reads', () => {
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    expect(utf8Text(bytes)).toBe(Buffer.from(bytes).toString('utf8'));
  }
  const invalid = new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0x62]);
  expect(utf8Text(invalid)).toBe(Buffer.from(invalid).toString('utf8'));
});

test('a part of a part of memory', () => {
  const memory = new TextEncoder().encode('abc\u00e9def');
  const part = memory.subarray(1, 7);
  expect(utf8Text(part)).toBe('bc\u00e9de');
  expect(utf8Text(part, 2, 4)).toBe('\u00e9');
  expect(utf8Text(Buffer.from(part), 1)).toBe('c\u00e9de');
});
