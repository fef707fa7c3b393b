import { describe, expect, test } from 'bun:test';
import { BoundedPieces, boundedText } from './bounded-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a bounded text', () => {
  test('is whole up to its bound and cut beyond it', () => {
    expect(boundedText(bytes('abc'), 3)).toEqual({ text: 'abc', isCut: false });
    expect(boundedText(bytes('abcd'), 3)).toEqual({ text: 'abc', isCut: true });
    expect(boundedText(bytes(''), 3)).toEqual({ text: '', isCut: false });
  });

  test('is never cut through a character', () => {
    for (const sign of ['é', '☃', '😀']) {
      const size = bytes(sign).length;
      for (let cut = 0; cut <= size; cut++) {
        const whole = cut === size ? sign : '';
        expect(boundedText(bytes(`ab${sign}c`), 2 + cut).text).toBe(`ab${whole}`);
      }
    }
  });

  test('says what is no text as well as it can', () => {
    expect(boundedText(new Uint8Array([0x61, 0xff, 0x62]), 10).text).toBe('a\ufffdb');
    expect(boundedText(new Uint8Array([0x80, 0x80, 0x80, 0x80, 0x80]), 4)).toMatchObject({ isCut: true });
  });
});

describe('pieces', () => {
  test('are one text, though their memory is used again', () => {
    const pieces = new BoundedPieces(100);
    const buffer = bytes('one ');
    pieces.add(buffer);
    buffer.set(bytes('two '));
    pieces.add(buffer);
    expect(pieces.text()).toEqual({ text: 'one two ', isCut: false });
  });

  test('stop at the bound, at it exactly and beyond', () => {
    const pieces = new BoundedPieces(4);
    pieces.add(bytes('ab'));
    pieces.add(bytes('cd'));
    expect(pieces.text()).toEqual({ text: 'abcd', isCut: false });
    pieces.add(new Uint8Array(0));
    expect(pieces.text().isCut).toBe(false);
    pieces.add(bytes('e'));
    expect(pieces.text()).toEqual({ text: 'abcd', isCut: true });
    expect(pieces.bytes).toBe(4);
  });
});
