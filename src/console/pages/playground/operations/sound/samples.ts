/** Sound as numbers: between what a browser hears (fractions at its own rate) and what goes over the wire (16-bit whole numbers, as WAV or base64). */

const scale = 32_767;
const headerBytes = 44;
const bytesPerSample = 2;

/** Fractions from -1 to 1 as 16-bit whole numbers; what is louder than loud is cut off, not wrapped around. */
export function toPcm16(fractions: Float32Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(fractions.length);
  for (const [index, value] of fractions.entries()) {
    samples[index] = Math.round(Math.max(-1, Math.min(1, Number.isNaN(value) ? 0 : value)) * scale);
  }
  return samples;
}

export function toFractions(samples: Int16Array): Float32Array<ArrayBuffer> {
  const fractions = new Float32Array(samples.length);
  for (const [index, value] of samples.entries()) fractions[index] = value / (scale + 1);
  return fractions;
}

/** The same sound at another rate, by straight lines between samples: good enough for speech. */
export function resampled(fractions: Float32Array, fromHz: number, toHz: number): Float32Array {
  if (fromHz === toHz || fractions.length === 0) return fractions;
  const length = Math.max(1, Math.round((fractions.length * toHz) / fromHz));
  const result = new Float32Array(length);
  const step = fromHz / toHz;
  for (let index = 0; index < length; index++) {
    const place = index * step;
    const left = Math.min(fractions.length - 1, Math.floor(place));
    const right = Math.min(fractions.length - 1, left + 1);
    const share = place - left;
    result[index] = (fractions[left] ?? 0) * (1 - share) + (fractions[right] ?? 0) * share;
  }
  return result;
}

/** How loud it is, 0 to 1, for a level that moves while one speaks. */
export function loudness(fractions: Float32Array): number {
  let squares = 0;
  for (const value of fractions) squares += value * value;
  return fractions.length === 0 ? 0 : Math.min(1, Math.sqrt(squares / fractions.length) * 4);
}

/** One channel of 16-bit sound as a WAV file. */
export function wavFile(samples: Int16Array, rateHz: number): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * bytesPerSample;
  const bytes = new Uint8Array(headerBytes + dataBytes);
  const view = new DataView(bytes.buffer);
  const word = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  word(0, 'RIFF');
  view.setUint32(4, headerBytes - 8 + dataBytes, true);
  word(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  // 1 is plain PCM, and the second 1 is one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rateHz, true);
  view.setUint32(28, rateHz * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, bytesPerSample * 8, true);
  word(36, 'data');
  view.setUint32(40, dataBytes, true);
  for (const [index, value] of samples.entries()) view.setInt16(headerBytes + index * bytesPerSample, value, true);
  return bytes;
}

/** Browsers take only so many arguments at once. */
const stretchBytes = 8_192;

/** As the wire wants sound: 16-bit, low byte first, in base64. */
export function pcm16ToBase64(samples: Int16Array): string {
  const bytes = wavFile(samples, 1).subarray(headerBytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += stretchBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + stretchBytes));
  }
  return btoa(text);
}

/** Nothing where it is no base64; half a sample at the end is left away. */
export function base64ToPcm16(text: string): Int16Array<ArrayBuffer> | undefined {
  const bytes = base64ToBytes(text);
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer);
  const samples = new Int16Array(Math.floor(bytes.length / bytesPerSample));
  for (let index = 0; index < samples.length; index++) samples[index] = view.getInt16(index * bytesPerSample, true);
  return samples;
}

export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
