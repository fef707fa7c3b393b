/** How long one Opus packet lasts, by its first two bytes. RFC 6716 section 3.1 (read 2026-11-19). */

const packetMsMax = 120;
const silkMs = [10, 20, 40, 60];
const celtMs = [2.5, 5, 10, 20];

/** The first byte has the length of a frame and how many there are; the second counts them where they are more than two. */
export function opusSeconds([first = 0, second = 0]: Uint8Array, bytes: number): number {
  if (bytes === 0) return 0;
  const config = first >> 3;
  const frameMs = config < 12 ? silkMs[config % 4] : config < 16 ? silkMs[config % 2] : celtMs[config % 4];
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : bytes > 1 ? second & 0x3f : 0;
  return Math.min(packetMsMax, (frameMs ?? 0) * frames) / 1_000;
}

/** The longest that a laced packet can be, whose first bytes are not looked for. */
export const opusSecondsMax = packetMsMax / 1_000;
