/** Reads that are not needed: those of a client that sends its body although it was refused, up to gigabytes a second. */

/** Of smaller ones there is no flood that would matter. */
const largeBytesMin = 16_384;

/** How long such a client waits before its next read, so that it does not slow down others. */
export const discardPauseMs = 5;

/** Gives back the memory of a large read at once: the collector looks for garbage less often. True if it was large. */
export function discarded({ buffer, length }: Buffer): boolean {
  if (length < largeBytesMin) return false;
  if (length === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
  return true;
}
