/** What every audio encoder does: takes samples as they are spoken and returns bytes as soon as they can be sent. */

/** The sample rate of every file that is written, whatever its format. */
export const speechRateHz = 24_000;

export interface AudioEncoder {
  add(samples: Int16Array): Uint8Array<ArrayBuffer>;
  end(): Uint8Array<ArrayBuffer>;
}

/** Up to this much is held back for a header with the true length; longer speech streams with an open length. */
const heldSecondsMax = 60;

/** Puts a header in front that says how long the whole file is, where it is short enough to wait for. */
export function withHeader(body: AudioEncoder, header: (samples: number | undefined) => Uint8Array): AudioEncoder {
  let held: Uint8Array[] | undefined = [];
  let samples = 0;
  return {
    add(piece) {
      samples += piece.length;
      const bytes = body.add(piece);
      if (held === undefined) return bytes;
      held.push(bytes);
      if (samples <= heldSecondsMax * speechRateHz) return new Uint8Array();
      const all = join([header(undefined), ...held]);
      held = undefined;
      return all;
    },
    end() {
      const last = body.end();
      return held === undefined ? last : join([header(samples), ...held, last]);
    },
  };
}

export function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Samples as bytes, little-endian unless said otherwise, on any machine. */
export function sampleBytes(samples: Int16Array, littleEndian = true): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < samples.length; index++) view.setInt16(index * 2, samples[index] ?? 0, littleEndian);
  return bytes;
}
