/** Bare 16-bit samples of one channel into an audio file that any player opens, and back. */

const headBytes = 44;
const bytesPerSample = 2;

export interface Samples {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly samplesPerSecond: number;
}

export function waveFile({ bytes, samplesPerSecond }: Samples): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(headBytes + bytes.byteLength);
  const view = new DataView(file.buffer);
  const text = (offset: number, word: string): void => {
    for (let index = 0; index < word.length; index++) view.setUint8(offset + index, word.charCodeAt(index));
  };
  text(0, 'RIFF');
  view.setUint32(4, headBytes - 8 + bytes.byteLength, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, samplesPerSecond, true);
  view.setUint32(28, samplesPerSecond * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, bytesPerSample * 8, true);
  text(36, 'data');
  view.setUint32(40, bytes.byteLength, true);
  file.set(bytes, headBytes);
  return file;
}

export function isWaveFile(bytes: Uint8Array): boolean {
  return wordAt(bytes, 0) === 'RIFF' && wordAt(bytes, 8) === 'WAVE';
}

/** Undefined where it holds no samples of this kind. A length that was never filled in means all there is. */
export function samplesIn(file: Uint8Array<ArrayBuffer>): Samples | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let samplesPerSecond: number | undefined;
  for (let offset = 12; offset + 8 <= file.byteLength; ) {
    const start = offset + 8;
    const length = Math.min(view.getUint32(offset + 4, true), file.byteLength - start);
    if (wordAt(file, offset) === 'fmt ' && length >= 16) {
      const plain = view.getUint16(start + 2, true) === 1 && view.getUint16(start + 14, true) === bytesPerSample * 8;
      if (!plain) return undefined;
      samplesPerSecond = view.getUint32(start + 4, true);
    }
    if (wordAt(file, offset) === 'data') {
      return samplesPerSecond === undefined
        ? undefined
        : { bytes: file.slice(start, start + length), samplesPerSecond };
    }
    offset = start + length + (length % 2);
  }
  return undefined;
}

export function secondsOf({ bytes, samplesPerSecond }: Samples): number | undefined {
  return samplesPerSecond > 0 ? bytes.byteLength / bytesPerSample / samplesPerSecond : undefined;
}

function wordAt(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
