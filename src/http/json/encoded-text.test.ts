/** A text encoded in pieces has the bytes of the text encoded at once, and no step encodes much. */

import { expect, test } from 'bun:test';
import { EncodedText } from './encoded-text.ts';

test.each([
  ['nothing', '', 1],
  ['a word', 'word', 2],
  ['as much as a step', 'x'.repeat(131_072), 2],
  ['a character more', 'x'.repeat(131_073), 3],
  ['characters of two halves where steps end', `x${'🙂'.repeat(200_000)}`, 5],
  ['halves of characters', '\ud83d'.repeat(131_073), 2],
  [
    'what arrived in parts',
    Array.from({ length: 30 }, () => 'é漢'.repeat(10_000)).reduce((all, part) => all + part),
    6,
  ],
])('%s', (_name, text, steps) => {
  const encoded = new EncodedText(text);
  let taken = 1;
  while (!encoded.step()) taken += 1;
  expect(Buffer.from(encoded.bytes).equals(Buffer.from(new TextEncoder().encode(text)))).toBe(true);
  expect(taken).toBe(steps);
});
