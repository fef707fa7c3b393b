import { expect, test } from 'bun:test';
import { CutFrames } from './cut-frames.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (piece: Uint8Array): string => new TextDecoder().decode(piece);

test('frames lose their range, stay as they were, and lie side by side', () => {
  const cut = new CutFrames();
  const raw = bytes('abcdef');
  const pieces = [
    cut.without(raw, { start: 2, end: 4 }),
    cut.without(raw, { start: 0, end: 1 }),
    cut.without(raw, { start: 5, end: 6 }),
  ];
  expect(pieces.map(text)).toEqual(['abef', 'bcdef', 'abcde']);
  expect(text(raw)).toBe('abcdef');
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1];
    if (before === undefined) continue;
    expect([piece.buffer === before.buffer, piece.byteOffset]).toEqual([true, before.byteOffset + before.length]);
  }
});

test('what was handed out never changes, however much follows', () => {
  const cut = new CutFrames();
  const given = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(1 + ((index * 37) % 200), '.'));
  const pieces = given.map((frame) => cut.without(bytes(`${frame}XX`), { start: frame.length, end: frame.length + 2 }));
  expect(pieces.map(text)).toEqual(given);
});

test('a frame larger than all others is cut too', () => {
  const large = 'x'.repeat(100_000);
  const cut = new CutFrames();
  expect(text(cut.without(bytes(`${large}YZ`), { start: 100_000, end: 100_001 }))).toBe(`${large}Z`);
  expect(text(cut.without(bytes('abc'), { start: 0, end: 1 }))).toBe('bc');
});
