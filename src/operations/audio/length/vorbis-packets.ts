/** The most that packets of a Vorbis stream last: each is long or short, and only its own tables tell. Vorbis I section 4.2 (read 2026-11-19). */

/** A claim is believed where long packets alone would make up to so much of it. */
const slack = 2;
/** Of the identification header, up to its rate and sizes. */
const headerBytes = 29;
const mark = '\x01vorbis';

/** What one packet adds at the most; undefined where this is no identification header. */
export function vorbisPacketSeconds(header: Uint8Array): number | undefined {
  const text = Buffer.from(header.buffer, header.byteOffset, Math.min(header.byteLength, mark.length)).toString(
    'latin1',
  );
  if (header.length < headerBytes || text !== mark) return undefined;
  const rate = new DataView(header.buffer, header.byteOffset).getUint32(12, true);
  const longest = 2 ** ((header[28] ?? 0) >> 4);
  return rate > 0 ? longest / 2 / rate : 0;
}

/** Of a stream whose packets make so much at the most. */
export function believedSeconds(claimed: number | undefined, mostSeconds: number): number {
  return claimed !== undefined && claimed * slack >= mostSeconds ? claimed : mostSeconds;
}
