/**
 * The duration of an audio file, read piece by piece, as far as its kind needs it. The number of bytes does not give it: a
 * minute of silence is a few bytes in some codecs. What is in the file is counted, as a decoder does: samples of WAVE and MP4
 * files, frames of FLAC and MP3 files, packets of Ogg and WebM files. What their headers claim is not believed.
 */

import { FlacFrames } from './flac-frames.ts';
import { MovieSamples } from './movie-samples.ts';
import { Mp3Frames } from './mp3-frames.ts';
import { OggPackets } from './ogg-packets.ts';
import { WebmBlocks } from './webm-blocks.ts';

export interface AudioLength {
  /** Undefined where the file does not say. */
  readonly seconds: number | undefined;
  /** It was counted and not only claimed. */
  readonly exact: boolean;
  /** Can silence be packed into next to nothing? */
  readonly packsSilence: boolean;
}

const headBytesMax = 65_536;
/** The first bytes, which identify the kind of file. */
const markBytes = 12;
const tailBytesMax = 65_536;
/** A header that claims more is not believed; the bytes bound such a file. */
const secondsCeiling = 1_000_000;
/** Two channels of 192 kHz with 32 bits: no WAVE file that a decoder takes holds more for one second. */
const waveBytesPerSecondMax = 1_536_000;
const opusSamplesPerSecond = 48_000;

type Kind = 'wave' | 'flac' | 'mp3' | 'ogg' | 'mp4' | 'webm' | 'unknown';

export class AudioMeter {
  readonly #head = new Uint8Array(headBytesMax);
  #headBytes = 0;
  #tail = new Uint8Array(0);
  readonly #fileBytes: number;
  #kind: Kind | undefined;
  readonly #flac = new FlacFrames();
  readonly #mp3 = new Mp3Frames();
  readonly #ogg = new OggPackets();
  readonly #movie = new MovieSamples();
  readonly #webm: WebmBlocks;

  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
    this.#webm = new WebmBlocks(fileBytes);
  }

  /** What follows would change the duration. */
  get wantsMore(): boolean {
    switch (this.#kind) {
      case 'wave':
        return this.#headBytes < headBytesMax;
      case 'unknown':
        return false;
      default:
        return true;
    }
  }

  /** Keeps nothing of the piece itself. */
  take(piece: Uint8Array): void {
    const before = this.#headBytes;
    const part = piece.subarray(0, headBytesMax - before);
    this.#head.set(part, before);
    this.#headBytes += part.length;
    if (this.#kind !== undefined) this.#pass(piece);
    else if (this.#headBytes >= markBytes) {
      this.#kind = kindOf(this.#head);
      this.#pass(this.#head.subarray(0, before));
      this.#pass(piece);
    }
  }

  #pass(piece: Uint8Array): void {
    if (this.#kind === 'flac') this.#flac.take(piece);
    else if (this.#kind === 'mp4') this.#movie.take(piece);
    else if (this.#kind === 'mp3') this.#mp3.take(piece);
    else if (this.#kind === 'ogg') {
      this.#ogg.take(piece);
      this.#tail = lastOf(this.#tail, piece);
    } else if (this.#kind === 'webm') this.#webm.take(piece);
  }

  /** Of the whole file, which was taken up to its end or until no more was wanted. */
  get length(): AudioLength {
    const head = this.#head.subarray(0, this.#headBytes);
    switch (this.#kind) {
      case 'wave':
        return said(waveSeconds(head, this.#fileBytes), { exact: true, packsSilence: false });
      case 'flac':
        return said(this.#flac.seconds, { exact: true, packsSilence: true });
      case 'mp3':
        return said(this.#mp3.seconds, { exact: this.#mp3.isCounted(this.#fileBytes), packsSilence: false });
      case 'ogg': {
        const claimed = oggSeconds(head, this.#tail);
        const counted = this.#ogg.secondsBeside(claimed);
        return said(counted ?? claimed, { exact: counted !== undefined && this.#ogg.isCounted, packsSilence: true });
      }
      case 'mp4':
        return said(this.#movie.seconds, { exact: this.#movie.isCounted, packsSilence: true });
      case 'webm':
        return said(this.#webm.seconds, { exact: this.#webm.isCounted, packsSilence: true });
      default:
        return said(undefined, { exact: false, packsSilence: true });
    }
  }
}

function said(seconds: number | undefined, facts: Omit<AudioLength, 'seconds'>): AudioLength {
  const known = seconds !== undefined && seconds > 0 && seconds <= secondsCeiling;
  return known ? { seconds, ...facts } : { ...facts, seconds: undefined, exact: false };
}

function kindOf(head: Uint8Array): Kind {
  const word = (offset: number): string => String.fromCharCode(...head.subarray(offset, offset + 4));
  if (word(0) === 'RIFF' && word(8) === 'WAVE') return 'wave';
  if (word(0) === 'fLaC') return 'flac';
  if (word(0) === 'OggS') return 'ogg';
  if (word(4) === 'ftyp') return 'mp4';
  if (word(0) === '\x1a\x45\xdf\xa3') return 'webm';
  // Its frames have 8 kbit/s at the least. Layer 0 is another codec, which packs silence.
  const [first = 0, second = 0] = head;
  if (word(0).startsWith('ID3') || (first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0)) return 'mp3';
  return 'unknown';
}

/** Only of plain samples; a codec inside the file is another matter. */
function waveSeconds(head: Uint8Array, fileBytes: number): number | undefined {
  const view = viewOf(head);
  let bytesPerSecond: number | undefined;
  for (let offset = 12; offset + 8 <= head.length; ) {
    const name = String.fromCharCode(...head.subarray(offset, offset + 4));
    const start = offset + 8;
    if (name === 'data') return bytesPerSecond === undefined ? undefined : (fileBytes - start) / bytesPerSecond;
    if (name === 'fmt ' && start + 16 <= head.length) {
      const codec = view.getUint16(start, true);
      if (codec !== 1 && codec !== 3 && codec !== 0xfffe) return undefined;
      const frameBytes = view.getUint16(start + 2, true) * (view.getUint16(start + 14, true) / 8);
      bytesPerSecond = Math.min(waveBytesPerSecondMax, view.getUint32(start + 4, true) * frameBytes) || undefined;
    }
    const length = view.getUint32(offset + 4, true);
    offset = start + length + (length % 2);
  }
  return undefined;
}

/** The position of the last page, in samples at the rate that the first one gives. */
function oggSeconds(head: Uint8Array, tail: Uint8Array): number | undefined {
  const end = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength).lastIndexOf('OggS');
  if (end < 0 || end + 14 > tail.length) return undefined;
  const samples = Number(viewOf(tail).getBigUint64(end + 6, true));
  const first = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (first.indexOf('OpusHead') >= 0) return samples / opusSamplesPerSecond;
  const vorbis = first.indexOf('\x01vorbis');
  if (vorbis < 0 || vorbis + 16 > head.length) return undefined;
  return samples / viewOf(head).getUint32(vorbis + 12, true);
}

function lastOf(before: Uint8Array<ArrayBuffer>, piece: Uint8Array): Uint8Array<ArrayBuffer> {
  if (piece.length >= tailBytesMax) return new Uint8Array(piece.subarray(piece.length - tailBytesMax));
  const kept = before.subarray(Math.max(0, before.length + piece.length - tailBytesMax));
  const both = new Uint8Array(kept.length + piece.length);
  both.set(kept);
  both.set(piece, kept.length);
  return both;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
