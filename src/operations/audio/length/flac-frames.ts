/** Adds up the length of a FLAC file, frame by frame: the claim of its first block comes from the caller. RFC 9639 (read 2026-11-15). */

/** The longest head of a frame: sync, sizes, a number of seven bytes, two sizes of two bytes, the check. */
const frameHeadBytes = 16;
/** The mark and the first block, which every file begins with. */
const streamInfoBytes = 42;

const blockSizes: readonly number[] = [
  0, 192, 576, 1_152, 2_304, 4_608, 0, 0, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768,
];
const rates: readonly number[] = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 0, 0, 0, 0,
];

export class FlacFrames {
  /** The end of the last piece, in which a head may have begun. */
  #rest = new Uint8Array(0);
  #begun = false;
  #samplesPerSecond = 0;
  #seconds = 0;

  take(piece: Uint8Array): void {
    const bytes = new Uint8Array(this.#rest.length + piece.length);
    bytes.set(this.#rest);
    bytes.set(piece, this.#rest.length);
    if (!this.#begun && bytes.length < streamInfoBytes) {
      this.#rest = bytes;
      return;
    }
    let from = 0;
    if (!this.#begun) {
      this.#begun = true;
      this.#samplesPerSecond = ((bytes[18] ?? 0) << 12) | ((bytes[19] ?? 0) << 4) | ((bytes[20] ?? 0) >> 4);
      from = streamInfoBytes;
    }
    this.#rest = bytes.slice(this.#scan(bytes, from, bytes.length - frameHeadBytes));
  }

  /** Of every frame; undefined where there is none. The whole file was taken. */
  get seconds(): number | undefined {
    const padded = new Uint8Array(this.#rest.length + frameHeadBytes);
    padded.set(this.#rest);
    this.#scan(padded, 0, this.#rest.length);
    this.#rest = new Uint8Array(0);
    return this.#seconds > 0 ? this.#seconds : undefined;
  }

  /** Adds the frames whose heads begin before `limit`; returns where to continue. */
  #scan(bytes: Uint8Array, from: number, limit: number): number {
    let at = from;
    while (at < limit) {
      const found = bytes.indexOf(0xff, at);
      if (found < 0 || found >= limit) return limit;
      const head = ((bytes[found + 1] ?? 0) & 0xfe) === 0xf8 ? readHead(bytes, found) : undefined;
      at = found + 1;
      if (head === undefined) continue;
      // Some decoders use the frame's rate, others that of the first block: the slower one counts.
      const slowest = Math.min(...[head.samplesPerSecond, this.#samplesPerSecond].filter((rate) => rate > 0));
      if (Number.isFinite(slowest)) this.#seconds += head.samples / slowest;
    }
    return at;
  }
}

interface FrameHead {
  readonly samples: number;
  /** 0 where the first block says it. */
  readonly samplesPerSecond: number;
}

/** Undefined where no frame begins here, by its checksum. */
function readHead(bytes: Uint8Array, at: number): FrameHead | undefined {
  const byte = (index: number): number => bytes[index] ?? 0;
  const sizeCode = byte(at + 2) >> 4;
  const rateCode = byte(at + 2) & 0x0f;
  if (sizeCode === 0 || rateCode === 15) return undefined;
  // The frame's number, coded like a character of up to seven bytes.
  const numberBytes = byte(at + 4) < 0x80 ? 1 : Math.clz32(~(byte(at + 4) << 24));
  if (numberBytes > 7) return undefined;
  let end = at + 4 + numberBytes;
  let samples = blockSizes[sizeCode] ?? 0;
  if (sizeCode === 6) {
    samples = byte(end) + 1;
    end += 1;
  } else if (sizeCode === 7) {
    samples = ((byte(end) << 8) | byte(end + 1)) + 1;
    end += 2;
  }
  let samplesPerSecond = rates[rateCode] ?? 0;
  if (rateCode === 12) {
    samplesPerSecond = byte(end) * 1_000;
    end += 1;
  } else if (rateCode >= 13) {
    samplesPerSecond = ((byte(end) << 8) | byte(end + 1)) * (rateCode === 14 ? 10 : 1);
    end += 2;
  }
  return checkOf(bytes, at, end) === byte(end) ? { samples, samplesPerSecond } : undefined;
}

/** The check of each byte: a polynomial of eight bits. */
const checks = Uint8Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = ((remainder << 1) ^ (remainder & 0x80 ? 0x07 : 0)) & 0xff;
  return remainder;
});

export function checkOf(bytes: Uint8Array, from: number, to: number): number {
  let remainder = 0;
  for (let index = from; index < to; index++) remainder = checks[remainder ^ (bytes[index] ?? 0)] ?? 0;
  return remainder;
}
