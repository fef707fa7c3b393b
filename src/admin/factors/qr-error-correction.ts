/** Reed-Solomon error correction of QR codes, over the field of 256 elements with the polynomial 0x11d. */

const exponents = new Uint8Array(512);
const logarithms = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power++) {
  exponents[power] = value;
  exponents[power + 255] = value;
  logarithms[value] = power;
  value = value >= 128 ? ((value << 1) ^ 0x11d) & 255 : value << 1;
}

export function multiply(one: number, other: number): number {
  if (one === 0 || other === 0) return 0;
  return exponents[(logarithms[one] ?? 0) + (logarithms[other] ?? 0)] ?? 0;
}

/** The powers of two are its roots. Without the leading coefficient, which is 1. */
function generatorOf(degree: number): Uint8Array {
  const generator = new Uint8Array(degree);
  generator[degree - 1] = 1;
  for (let root = 1, count = 0; count < degree; count++, root = multiply(root, 2)) {
    for (let at = 0; at < degree; at++) generator[at] = multiply(generator[at] ?? 0, root) ^ (generator[at + 1] ?? 0);
  }
  return generator;
}

/** The bytes that follow the data in its block. */
export function errorCorrection(data: Uint8Array, count: number): Uint8Array {
  const generator = generatorOf(count);
  const rest = new Uint8Array(count);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest.copyWithin(0, 1);
    rest[count - 1] = 0;
    for (const [at, coefficient] of generator.entries()) rest[at] = (rest[at] ?? 0) ^ multiply(coefficient, factor);
  }
  return rest;
}
