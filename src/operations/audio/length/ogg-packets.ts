/** Adds up the length of an Ogg file, packet by packet, whatever its pages claim. RFC 3533 (read 2026-11-19). */

import { opusSeconds } from './opus-packet.ts';
import { believedSeconds, vorbisPacketSeconds } from './vorbis-packets.ts';

const pageHeadBytes = 27;
/** Of a packet, as much as tells what it is: the first of a Vorbis stream has its rate and sizes in so many. */
const packetHeadBytes = 30;
/** The packets before the first one with audio. */
const opusHeaders = 2;
const vorbisHeaders = 3;
/** More streams in one file are counted as one. */
const streamsMax = 64;

interface Stream {
  codec: 'opus' | 'vorbis' | 'other' | undefined;
  packets: number;
  /** Of a Vorbis stream: the most that one packet adds. */
  packetSeconds: number;
}

export class OggPackets {
  readonly #head = new Uint8Array(pageHeadBytes + 255);
  #have = 0;
  /** Of the page's body: the lengths of its segments, and how much of the present one is left. */
  #segments = 0;
  #segment = 0;
  #left = 0;
  readonly #packet = new Uint8Array(packetHeadBytes);
  #packetBytes = 0;
  #isSkipped = false;
  readonly #streams = new Map<number, Stream>();
  #stream: Stream = newStream();
  #seconds = 0;
  #boundSeconds = 0;
  /** Every stream is of a codec whose packets tell their length. */
  isCounted = true;

  take(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) at = this.#segments === 0 ? this.#takeHead(piece, at) : this.#takeBody(piece, at);
  }

  /** Of the whole file; undefined where no packet with audio was found. `claimed` is what its last page says. */
  secondsBeside(claimed: number | undefined): number | undefined {
    if (this.#boundSeconds === 0) return this.#seconds > 0 ? this.#seconds : undefined;
    return believedSeconds(claimed, this.#seconds + this.#boundSeconds);
  }

  #takeHead(piece: Uint8Array, from: number): number {
    const wanted = this.#have < pageHeadBytes ? pageHeadBytes : pageHeadBytes + (this.#head[26] ?? 0);
    const part = piece.subarray(from, from + wanted - this.#have);
    this.#head.set(part, this.#have);
    this.#have += part.length;
    if (this.#have >= pageHeadBytes && !this.#isPage()) this.#shiftHead();
    else if (this.#have === pageHeadBytes + (this.#head[26] ?? 0) && this.#have >= pageHeadBytes) this.#beginPage();
    return from + part.length;
  }

  #isPage(): boolean {
    const [o, g, second, s] = this.#head;
    return o === 0x4f && g === 0x67 && second === 0x67 && s === 0x53;
  }

  /** Decoders look for the next page where one is broken. */
  #shiftHead(): void {
    const next = this.#head.subarray(1, this.#have).indexOf(0x4f);
    const kept = next < 0 ? 0 : this.#have - 1 - next;
    this.#head.copyWithin(0, this.#have - kept, this.#have);
    this.#have = kept;
  }

  #beginPage(): void {
    const view = new DataView(this.#head.buffer);
    const serial = view.getUint32(14, true);
    const known = this.#streams.get(serial);
    this.#stream = known ?? newStream();
    if (known === undefined && this.#streams.size < streamsMax) this.#streams.set(serial, this.#stream);
    // A new beginning in the same stream.
    if ((view.getUint8(5) & 0x02) !== 0) Object.assign(this.#stream, newStream());
    this.#isSkipped = (view.getUint8(5) & 0x01) !== 0;
    this.#have = 0;
    this.#segments = this.#head[26] ?? 0;
    this.#segment = 0;
    this.#packetBytes = 0;
    if (this.#segments > 0) this.#left = this.#head[pageHeadBytes] ?? 0;
  }

  #takeBody(piece: Uint8Array, from: number): number {
    const length = Math.min(this.#left, piece.length - from);
    for (let index = 0; index < length && this.#packetBytes < packetHeadBytes; index++) {
      this.#packet[this.#packetBytes++] = piece[from + index] ?? 0;
    }
    this.#left -= length;
    if (this.#left === 0) this.#endSegment();
    return from + length;
  }

  #endSegment(): void {
    do {
      const isLast = this.#segment === this.#segments - 1;
      const isWhole = (this.#head[pageHeadBytes + this.#segment] ?? 0) < 255;
      // What continues in the next page is counted here.
      if (isWhole || isLast) this.#endPacket();
      this.#segment++;
      if (isLast) {
        this.#segments = 0;
        return;
      }
      this.#left = this.#head[pageHeadBytes + this.#segment] ?? 0;
    } while (this.#left === 0);
  }

  #endPacket(): void {
    const bytes = this.#packetBytes;
    this.#packetBytes = 0;
    if (this.#isSkipped) {
      this.#isSkipped = false;
      return;
    }
    const stream = this.#stream;
    stream.packets++;
    if (stream.codec === undefined) this.#begin(stream, bytes);
    else if (stream.codec === 'opus') {
      if (stream.packets > opusHeaders) this.#seconds += opusSeconds(this.#packet, bytes);
    } else if (stream.codec === 'vorbis' && stream.packets > vorbisHeaders) this.#boundSeconds += stream.packetSeconds;
  }

  #begin(stream: Stream, bytes: number): void {
    const header = this.#packet.subarray(0, bytes);
    const packetSeconds = vorbisPacketSeconds(header);
    if (packetSeconds !== undefined) {
      stream.codec = 'vorbis';
      stream.packetSeconds = packetSeconds;
    } else if (String.fromCharCode(...header.subarray(0, 8)) === 'OpusHead') {
      stream.codec = 'opus';
    } else {
      stream.codec = 'other';
      this.isCounted = false;
    }
  }
}

const newStream = (): Stream => ({ codec: undefined, packets: 0, packetSeconds: 0 });
