/** G.711: μ-law and A-law encode a sample in one byte. */

export type Law = 'mu' | 'a';

const muBias = 0x84;
const muClip = 32_635;
const aInversion = 0x55;

function muDecoded(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + muBias) << ((bits & 0x70) >> 4)) - muBias;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}

function aDecoded(byte: number): number {
  const bits = byte ^ aInversion;
  const segment = (bits & 0x70) >> 4;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

/** The position of the highest bit above the lowest segment. */
function segmentOf(magnitude: number): number {
  return Math.max(0, 24 - Math.clz32(magnitude >> 0));
}

function muEncoded(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), muClip) + muBias;
  const segment = segmentOf(magnitude);
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff;
}

function aEncoded(sample: number): number {
  // Negative steps begin at -1, so that both halves have the same number.
  const magnitude = sample < 0 ? -sample - 1 : sample;
  const segment = segmentOf(magnitude);
  const step = segment === 0 ? magnitude >> 4 : magnitude >> (segment + 3);
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | (step & 0x0f)) ^ aInversion;
}

const decoded: Readonly<Record<Law, Int16Array>> = {
  mu: Int16Array.from({ length: 256 }, (_, byte) => muDecoded(byte)),
  a: Int16Array.from({ length: 256 }, (_, byte) => aDecoded(byte)),
};

export function decodeG711(bytes: Uint8Array, law: Law): Int16Array {
  const table = decoded[law];
  const samples = new Int16Array(bytes.length);
  for (let index = 0; index < bytes.length; index++) samples[index] = table[bytes[index] ?? 0] ?? 0;
  return samples;
}

export function encodeG711(samples: Int16Array, law: Law): Uint8Array {
  const encode = law === 'mu' ? muEncoded : aEncoded;
  const bytes = new Uint8Array(samples.length);
  for (let index = 0; index < samples.length; index++) bytes[index] = encode(samples[index] ?? 0);
  return bytes;
}
