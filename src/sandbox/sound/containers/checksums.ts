/** The two check sums of a FLAC frame, by table. */

function table(polynomial: number, bits: number): Uint16Array {
  const top = 1 << (bits - 1);
  const mask = (1 << bits) - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) value = ((value << 1) ^ (value & top ? polynomial : 0)) & mask;
    return value;
  });
}

const table8 = table(0x07, 8);
const table16 = table(0x8005, 16);

export function checksum8(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let value = 0;
  for (let at = from; at < to; at++) value = table8[value ^ (bytes[at] ?? 0)] ?? 0;
  return value;
}

export function checksum16(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    value = ((value << 8) & 0xffff) ^ (table16[(value >>> 8) ^ (bytes[at] ?? 0)] ?? 0);
  }
  return value;
}
