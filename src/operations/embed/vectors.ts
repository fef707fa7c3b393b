/**
 * Vectors as JSON carries them: a list of numbers, or the base64 of little-endian 32-bit floats. Both give the same bits back. One
 * provider writes the base64 of bytes instead.
 */

const bytesPerValue = 4;

/** Throws a SyntaxError where it is neither. */
export function readVector(value: unknown): Float32Array {
  if (typeof value === 'string') return readBase64(value);
  if (!Array.isArray(value)) throw new SyntaxError('an embedding is neither a list nor base64');
  const vector = new Float32Array(value.length);
  for (let index = 0; index < value.length; index++) {
    const number: unknown = value[index];
    if (typeof number !== 'number' || !Number.isFinite(Math.fround(number))) {
      throw new SyntaxError('an embedding holds something that is no 32-bit float');
    }
    vector[index] = number;
  }
  return vector;
}

function readBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % bytesPerValue !== 0) {
    throw new SyntaxError('an embedding is not the base64 of 32-bit floats');
  }
  const vector = new Float32Array(bytes.length / bytesPerValue);
  for (let index = 0; index < vector.length; index++) {
    const number = bytes.readFloatLE(index * bytesPerValue);
    if (!Number.isFinite(number)) throw new SyntaxError('an embedding holds something that is no 32-bit float');
    vector[index] = number;
  }
  return vector;
}

/** Whole numbers from -128 to 127, one in each byte. Their length is not one, which angles between vectors do not mind. */
export function readBytes(value: unknown): Float32Array {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : new Uint8Array();
  if (bytes.length === 0) throw new SyntaxError('an embedding is not the base64 of bytes');
  return Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
}

export function writeBase64(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * bytesPerValue);
  for (let index = 0; index < vector.length; index++) bytes.writeFloatLE(vector[index] ?? 0, index * bytesPerValue);
  return bytes.toString('base64');
}

/** With hardly more digits than are needed to distinguish adjacent values: half the text of printing it as a 64-bit number. */
export function writeNumbers(vector: Float32Array): number[] {
  return Array.from(vector, shortest);
}

/** Eight digits are enough for most 32-bit floats and nine for all of them; a third try for the few with seven is not worth its time. */
function shortest(value: number): number {
  const short = Number(value.toPrecision(8));
  return Math.fround(short) === value ? short : Number(value.toPrecision(9));
}
