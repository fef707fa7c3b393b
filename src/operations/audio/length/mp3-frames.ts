/** Adds up the length of an MP3 file, frame by frame. ISO/IEC 11172-3 and 13818-3, as http://www.mp3-tech.org/programmer/frame_header.html has them (read 2026-11-19). */

const headBytes = 4;
const tagHeadBytes = 10;

/** Kilobits per second by version and layer; the first row of each is of version 1. */
const bitRates: Readonly<Record<string, readonly number[]>> = {
  '1-1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
/** Padding, and tags at the end. */
const strayBytesMax = 4_096;
const strayShareMax = 0.02;
const sampleRates = [44_100, 48_000, 32_000];

export class Mp3Frames {
  /** The end of the last piece, in which a head may have begun. */
  #rest = new Uint8Array(0);
  #skip = 0;
  #isFirst = true;
  #seconds = 0;
  /** Bytes between frames, which may be of another codec. */
  #strayBytes = 0;

  take(piece: Uint8Array): void {
    let bytes = piece;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + piece.length);
      bytes.set(this.#rest);
      bytes.set(piece, this.#rest.length);
    }
    let at = Math.min(this.#skip, bytes.length);
    this.#skip -= at;
    if (this.#isFirst && bytes.length - at >= tagHeadBytes) {
      this.#isFirst = false;
      at += tagBytes(bytes);
    }
    if (!this.#isFirst) at = this.#walk(bytes, at);
    this.#skip += Math.max(0, at - bytes.length);
    this.#rest = bytes.slice(at);
  }

  /** Undefined where no frame was found. */
  get seconds(): number | undefined {
    return this.#seconds > 0 ? this.#seconds : undefined;
  }

  /** Almost all of the file is frames. */
  isCounted(fileBytes: number): boolean {
    return this.#strayBytes + this.#rest.length <= Math.max(strayBytesMax, fileBytes * strayShareMax);
  }

  #walk(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at + headBytes <= bytes.length) {
      const frame = frameAt(bytes, at);
      if (frame !== undefined) {
        this.#seconds += frame.seconds;
        at += frame.bytes;
        continue;
      }
      const next = bytes.indexOf(0xff, at + 1);
      const end = next < 0 ? bytes.length : next;
      this.#strayBytes += end - at;
      at = end;
    }
    return at;
  }
}

/** A tag before the first frame has its length in four bytes of seven bits. */
function tagBytes(bytes: Uint8Array): number {
  if (bytes[0] !== 0x49 || bytes[1] !== 0x44 || bytes[2] !== 0x33) return 0;
  const size = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + ((bytes[index] ?? 0) & 0x7f), 0);
  return tagHeadBytes + size;
}

/** Undefined where no frame begins, and for one whose length it does not say. */
function frameAt(bytes: Uint8Array, at: number): { readonly seconds: number; readonly bytes: number } | undefined {
  const [second = 0, third = 0] = [bytes[at + 1], bytes[at + 2]];
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const rate = sampleRates[(third >> 2) & 3];
  if (version === 1 || layer === 4 || rate === undefined) return undefined;
  const isFirst = version === 3;
  const samplesPerSecond = rate / (isFirst ? 1 : version === 2 ? 2 : 4);
  const bitsPerSecond = (bitRates[`${isFirst ? 1 : 2}-${layer}`]?.[third >> 4] ?? 0) * 1_000;
  if (bitsPerSecond === 0) return undefined;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1_152;
  const padding = ((third >> 1) & 1) * (layer === 1 ? 4 : 1);
  return {
    seconds: samples / samplesPerSecond,
    bytes: Math.floor((samples / 8) * (bitsPerSecond / samplesPerSecond)) + padding,
  };
}
