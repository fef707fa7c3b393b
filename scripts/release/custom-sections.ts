/** Removes the custom sections of a WebAssembly module: names and debug information, which do not change what it does. */

const headerBytes = 8;
const customSection = 0;

/** https://webassembly.github.io/spec/core/binary/modules.html#sections (read 2026-11-17) */
export function withoutCustomSections(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept: Uint8Array[] = [module.subarray(0, headerBytes)];
  for (let at = headerBytes; at < module.length; ) {
    const { value, next } = readSize(module, at + 1);
    const end = next + value;
    if (end > module.length) throw new Error('The WebAssembly module is truncated.');
    if (module[at] !== customSection) kept.push(module.subarray(at, end));
    at = end;
  }
  return new Uint8Array(Buffer.concat(kept));
}

/** An unsigned number in groups of seven bits, the lowest first. */
function readSize(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: start + index + 1 };
  }
  throw new Error('The WebAssembly module is truncated.');
}
