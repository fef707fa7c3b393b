/** The edges of what is hashed and of what is counted. */

import { describe, expect, test } from 'bun:test';
import { affinityFrom, PrefixText, pieceCharactersMax, prefixBytesMax, roughBytes, sessionIn } from './affinity.ts';

const nothingLeftOut: ReadonlySet<string> = new Set();

/** Arrays in arrays, made without recursion. */
function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

describe('PrefixText', () => {
  test('a piece ends at its size, and the next one starts at zero', () => {
    const prefix = new PrefixText();
    prefix.add('a'.repeat(pieceCharactersMax - 1));
    prefix.add('bcd');
    prefix.add('e');
    prefix.endPiece();
    prefix.add('f');
    expect(prefix.text).toBe(`${'a'.repeat(pieceCharactersMax - 1)}b\u001ff`);
  });

  test('pieces do not run into one another', () => {
    const [one, other] = [new PrefixText(), new PrefixText()];
    one.add('ab');
    one.endPiece();
    other.add('a');
    other.endPiece();
    other.add('b');
    expect(one.text).not.toBe(other.text);
  });

  test('blank pieces are empty, however many there are', () => {
    const prefix = new PrefixText();
    prefix.endPiece();
    prefix.add('');
    prefix.endPiece();
    expect(prefix.text).toBe('');
  });

  test('JSON differs where the values do, and not by the fields left out', () => {
    const written = (value: unknown): string => {
      const prefix = new PrefixText();
      prefix.addJson(value, new Set(['mark']));
      return prefix.text;
    };
    const values = [1, '1', [1], ['1'], { a: 1 }, { a: '1' }, { b: 1 }, null, true, [], {}, [[], []], [[[]]]];
    expect(new Set(values.map(written)).size).toBe(values.length);
    expect(written([{ a: { mark: 1, b: 2 }, mark: {} }])).toBe(written([{ a: { b: 2 } }]));
  });

  test('depth and size end by themselves', () => {
    const prefix = new PrefixText();
    prefix.addJson(nested(100_000), nothingLeftOut);
    prefix.addJson(Array(1_000_000).fill(0), nothingLeftOut);
    expect(prefix.text).toHaveLength(pieceCharactersMax);
  });
});

describe('the size of a conversation', () => {
  test('counts names and texts, not what is in them', () => {
    expect(roughBytes({ role: 'user', content: [{ text: 'hello' }, { n: 1 }] })).toBe(4 + 4 + 7 + 4 + 5 + 1 + 1);
  });

  test('stops where it is large, and does not recurse forever', () => {
    expect(roughBytes('x'.repeat(prefixBytesMax - 1))).toBe(prefixBytesMax - 1);
    expect(roughBytes(['x'.repeat(prefixBytesMax), 'y'])).toBe(prefixBytesMax);
    expect(roughBytes(nested(100_000))).toBe(0);
  });
});

test('an affinity needs a session or an opening', () => {
  expect(affinityFrom(undefined, '', ['text'])).toBeUndefined();
  expect(affinityFrom('s', '', ['text'])).toEqual({ session: 's', prefixBytes: 4, prefix: '' });
  expect(affinityFrom(undefined, 'p', [])).toEqual({ prefixBytes: 0, prefix: 'p' });
});

test('a session is the first text that says something, of a bounded length', () => {
  expect(sessionIn(undefined, '', 5, {}, 'id', 'other')).toBe('id');
  expect(sessionIn(null)).toBeUndefined();
  expect(sessionIn('x'.repeat(10_000))).toHaveLength(256);
});
