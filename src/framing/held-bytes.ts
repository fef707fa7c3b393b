/** What pieces keep in memory: of one that was cut out of a larger read, all of the read. */
export function heldBytes(pieces: Iterable<Uint8Array>): number {
  let held = 0;
  let last: ArrayBufferLike | undefined;
  for (const { buffer } of pieces) {
    if (buffer !== last) held += buffer.byteLength;
    last = buffer;
  }
  return held;
}
