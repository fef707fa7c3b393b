/** Vectors in JSON: both encodings give back the same bits, and nothing else passes for a vector. */

import { describe, expect, test } from 'bun:test';
import { readVector, writeBase64, writeNumbers } from './vectors.ts';

/** Every finite bit pattern is a value; minus zero is left out, since JSON's printer drops its sign. */
function randomVector(length: number): Float32Array {
  const bits = crypto.getRandomValues(new Uint32Array(length));
  const values = new Float32Array(bits.buffer);
  return values.map((value) => (Number.isFinite(value) && value !== 0 ? value : 0.5));
}

const bitsOf = (vector: Float32Array): number[] => [...new Uint32Array(vector.buffer.slice(0))];
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('vectors', () => {
  test('base64 and numbers give the same bits', () => {
    for (let round = 0; round < 50; round++) {
      const vector = randomVector(512);
      expect(bitsOf(readVector(throughJson(writeNumbers(vector))))).toEqual(bitsOf(vector));
      expect(bitsOf(readVector(writeBase64(vector)))).toEqual(bitsOf(vector));
    }
  });

  test('base64 is little-endian, as the official library decodes it', () => {
    expect(writeBase64(Float32Array.of(1, -2))).toBe(Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]).toString('base64'));
  });

  test('numbers are printed as providers print them', () => {
    const said = [0.0057293195, -0.012727811, 0.1, 1e-7, 0];
    expect(writeNumbers(readVector(said))).toEqual(said);
  });

  test('edges of the range', () => {
    const edges = Float32Array.of(1.401298464324817e-45, 3.4028234663852886e38, -3.4028234663852886e38, 16777217);
    expect(bitsOf(readVector(throughJson(writeNumbers(edges))))).toEqual(bitsOf(edges));
  });

  test('nothing else is a vector', () => {
    const notANumber = Buffer.alloc(4);
    notANumber.writeFloatLE(Number.NaN);
    for (const wrong of [undefined, null, 1, {}, ['1'], [null], [1e39], '', 'AAA=', notANumber.toString('base64')]) {
      expect(() => readVector(wrong)).toThrow(SyntaxError);
    }
  });
});
