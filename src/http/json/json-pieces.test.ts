/** Reading in slices against reading at once: the same tree and the same fields, or both refuse, wherever the slices end. */

import { describe, expect, test } from 'bun:test';
import { Random } from '../../../test/harness/random.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { JsonPieces } from './json-pieces.ts';
import { type ByteRange, ContainerEnds, JsonScan } from './json-scan.ts';

const limits = { depthMax: 64, valuesMax: 1_000_000, keysMax: 1_000_000 };

interface Outcome {
  readonly tree?: unknown;
  readonly refused?: true;
}

function atOnce(bytes: Buffer): Outcome {
  try {
    return { tree: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { refused: true };
  }
}

function inPieces(bytes: Buffer, sliceBytes: number, pieceBytes: number, textPieceBytes: number): Outcome {
  try {
    const ends = new ContainerEnds();
    const scan = new JsonScan(bytes, limits, ends);
    for (let until = sliceBytes; !scan.run(Math.min(until, bytes.length)); until += sliceBytes);
    const pieces = new JsonPieces(bytes, ends, { pieceBytes, textPieceBytes });
    while (!pieces.step());
    return { tree: pieces.value };
  } catch (error) {
    if (error instanceof GatewayError) return { refused: true };
    throw error;
  }
}

/** The scan as it was before it could stop: short, and easy to see through. */
function simpleFields(bytes: Buffer): Map<string, ByteRange> | undefined {
  const fields = new Map<string, ByteRange>();
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  let trusted = true;
  const close = (end: number): void => {
    while (' \n\r\t'.includes(String.fromCharCode(bytes[end - 1] ?? 0))) end--;
    if (key !== undefined && start >= 0) {
      if (fields.has(key)) trusted = false;
      fields.set(key, { start, end });
    }
    key = undefined;
    start = -1;
  };
  for (let index = 0; index < bytes.length; index++) {
    const char = String.fromCharCode(bytes[index] ?? 0);
    if (char === '"') {
      let end = index + 1;
      while (end < bytes.length && bytes[end] !== 0x22) end += bytes[end] === 0x5c ? 2 : 1;
      if (depth === 1 && key === undefined) {
        key = bytes.toString('utf8', index + 1, end);
        if (key.includes('\\')) trusted = false;
      } else if (start === -1) start = index;
      index = end;
    } else if (char === '{' || char === '[') {
      if (depth === 1 && start === -1) start = index;
      depth++;
    } else if (char === '}' || char === ']') {
      if (depth === 1) close(index);
      depth--;
    } else if (depth === 1 && char === ',') close(index);
    else if (depth === 1 && char !== ':' && start === -1 && !' \n\r\t'.includes(char)) start = index;
  }
  return trusted ? fields : undefined;
}

function randomText(random: Random, depth: number): string {
  const space = (): string => random.pick(['', '', '', ' ', '\n', '\t  ', '\r\n']);
  const text = (): string => {
    const written = JSON.stringify(random.text(random.int(0, 30)));
    if (!random.chance(0.3)) return written;
    return written.replace(/[a-z]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
  };
  const kind = depth <= 0 ? random.int(0, 3) : random.int(0, 6);
  if (kind === 0) return random.pick(['0', '-1', '1.50', '1e5', '-0.0E+2', '12345678901234567890', '1e999']);
  if (kind === 1) return random.pick(['true', 'false', 'null']);
  if (kind <= 3) return text();
  const many = random.int(0, 5);
  const inner = Array.from({ length: many }, () => {
    const value = space() + randomText(random, depth - 1) + space();
    if (kind === 4) return value;
    const key = random.pick(['"a"', '"b"', '"model"', '"__proto__"', '"1"', '"constructor"', text()]);
    return space() + key + space() + ':' + value;
  });
  return kind === 4 ? `[${space()}${inner.join(',')}]` : `{${space()}${inner.join(',')}}`;
}

function damaged(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text);
  for (let times = random.int(1, 3); times > 0 && bytes.length > 0; times--) {
    const at = random.int(0, bytes.length - 1);
    bytes[at] = random.pick([0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a, 0x20, 0x00, 0x80, 0xc3, 0xf0, 0xff, 0x31]);
  }
  return random.chance(0.3) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes;
}

describe('in slices as at once', () => {
  test.each([1, 2, 3, 4])('random texts, whole and damaged, seed %i', (seed) => {
    const random = new Random(seed);
    for (let round = 0; round < 1_500; round++) {
      const whole = Buffer.from(`{"x":${randomText(random, 5)},${random.chance(0.5) ? '"x"' : '"y"'}:1 }`);
      const bytes = random.chance(0.5) ? whole : damaged(random, whole.toString('utf8'));
      const sizes = [random.int(1, 40), random.int(2, 60), random.int(8, 40)] as const;
      const expected = atOnce(bytes);
      const found = inPieces(bytes, ...sizes);
      expect({ seed, round, sizes, ...found }).toEqual({ seed, round, sizes, ...expected });
      if (!expected.refused) expect(JSON.stringify(found.tree)).toBe(JSON.stringify(expected.tree));
    }
  });

  test('fields lie where the simple scan finds them, wherever the slices end', () => {
    const random = new Random(9);
    for (let round = 0; round < 400; round++) {
      const bytes = Buffer.from(
        `{"x":${randomText(random, 3)} ,"y" :${randomText(random, 2)}, "x":[] }`.replace(
          '"x":[]',
          random.pick(['"x":[]', '"z":1']),
        ),
      );
      const expected = simpleFields(bytes);
      for (const sliceBytes of [1, 2, 3, 5, 8, 13, bytes.length]) {
        const scan = new JsonScan(bytes, limits);
        for (let until = sliceBytes; !scan.run(Math.min(until, bytes.length)); until += sliceBytes);
        expect(scan.fields).toEqual(expected);
      }
    }
  });

  test('a long text is cut at every place once, through characters and escapes', () => {
    const text = JSON.stringify({ a: 'é漢😀\n"\\\u0001\ud83d'.repeat(9) }).replace('é', '\\u00e9\\ud83d\\ude00');
    const bytes = Buffer.from(text);
    for (let size = 8; size < 60; size++) expect(inPieces(bytes, 7, 5, size)).toEqual(atOnce(bytes));
    const stray = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.alloc(50, 0x80),
      Buffer.from([0xe4, 0xb8]),
      Buffer.from('"}'),
    ]);
    for (let size = 8; size < 60; size++) expect(inPieces(stray, 7, 5, size)).toEqual(atOnce(stray));
  });
});

describe('limits', () => {
  const scanned = (text: string, own: Partial<typeof limits>): boolean => {
    return new JsonScan(Buffer.from(text), { ...limits, ...own }).run();
  };

  test('values are counted by commas and opening brackets, keys by colons outside strings', () => {
    const list = (length: number): string => `{"a":[${Array.from({ length }, () => '","').join(',')}]}`;
    expect(scanned(list(9), { valuesMax: 10 })).toBe(true);
    expect(() => scanned(list(10), { valuesMax: 10 })).toThrow('more than 10 values');
    const keys = (length: number): string => `{${Array.from({ length }, (_, index) => `"k:${index}":":"`).join(',')}}`;
    expect(scanned(keys(10), { keysMax: 10 })).toBe(true);
    expect(() => scanned(keys(11), { keysMax: 10 })).toThrow('more than 10 keys');
  });

  test('a limit is noticed before the end of the text', () => {
    const scan = new JsonScan(Buffer.from(`{"a":[${'[],'.repeat(1_000)}`), { ...limits, valuesMax: 10 });
    expect(() => scan.run(50)).toThrow('more than 10 values');
  });
});
