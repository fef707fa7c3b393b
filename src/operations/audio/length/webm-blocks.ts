/** Adds up the length of a WebM file by the packets of its blocks, whatever its header claims. RFC 8794, RFC 9559 (read 2026-11-19). */

import { type ElementHead, ElementWalk, type FieldStep } from './element-walk.ts';
import { opusSeconds, opusSecondsMax } from './opus-packet.ts';
import { believedSeconds, vorbisPacketSeconds } from './vorbis-packets.ts';

/** More tracks in one file are not distinguished. */
const tracksMax = 64;
const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  tickNanoseconds: 0x2ad7b1,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
const holders: ReadonlySet<number> = new Set([
  ...[ids.segment, ids.info, ids.tracks, ids.track, ids.cluster, ids.blockGroup],
]);
const audioType = 2;
const lacingBits = 0x06;
/** Behind the number of the track: the time and the flags. */
const blockHeadBytes = 3;
/** Of a packet, as much as tells its length. */
const packetHeadBytes = 2;
/** Of what describes a codec, as much as holds the header of a Vorbis stream behind the lengths of three. */
const privateBytesMax = 64;

interface TrackEntry {
  number: number;
  type: number | undefined;
  codec: string;
  vorbisPacketSeconds: number | undefined;
  /** Its blocks are not what the encoder wrote. */
  isEncoded: boolean;
}

interface Blocks {
  packets: number;
  /** By the packets themselves, were they Opus. */
  opusSeconds: number;
  hasLaces: boolean;
  firstTick: number;
  lastTick: number;
}

export class WebmBlocks {
  readonly #walk: ElementWalk;
  #nanoseconds = 1_000_000;
  #clusterTicks = 0;
  readonly #entries: TrackEntry[] = [];
  readonly #blocks = new Map<number, Blocks>();
  #isWhole = true;

  constructor(fileBytes: number) {
    const reader = { headBytes, readHead: (head: Uint8Array) => this.#readHead(head) };
    this.#walk = new ElementWalk(reader, fileBytes);
  }

  take(piece: Uint8Array): void {
    this.#walk.take(piece);
  }

  /** Of the longest track with audio; undefined where none was found, or where a decoder may find more than is read here. */
  get seconds(): number | undefined {
    const { isBroken, isOverrun } = this.#walk;
    if (!this.#isWhole || isBroken || isOverrun) return undefined;
    const lengths = this.#audible.map((entry) => this.#secondsOf(entry));
    return lengths.length > 0 ? Math.max(...lengths) : undefined;
  }

  /** Every track with audio is of a codec whose packets tell their length. */
  get isCounted(): boolean {
    const entries = this.#audible;
    return entries.length > 0 && entries.every((entry) => this.#isCountable(entry));
  }

  get #audible(): readonly TrackEntry[] {
    return this.#entries.filter(({ type = audioType }) => type === audioType);
  }

  #isCountable({ number, codec, vorbisPacketSeconds: packetSeconds, isEncoded }: TrackEntry): boolean {
    if (isEncoded || this.#blocks.get(number)?.hasLaces === true) return false;
    return codec === 'A_OPUS' || (codec === 'A_VORBIS' && packetSeconds !== undefined);
  }

  #secondsOf(entry: TrackEntry): number {
    const blocks = this.#blocks.get(entry.number);
    if (blocks === undefined) return 0;
    const spanSeconds = ((blocks.lastTick - blocks.firstTick) * this.#nanoseconds) / 1e9;
    if (entry.codec === 'A_OPUS') return Math.max(spanSeconds, blocks.opusSeconds);
    if (!this.#isCountable(entry)) return spanSeconds;
    return believedSeconds(spanSeconds, blocks.packets * (entry.vorbisPacketSeconds ?? 0));
  }

  #readHead(head: Uint8Array): ElementHead {
    const idBytes = lengthOf(head[0]);
    const id = numberIn(head.subarray(0, idBytes));
    const sizeBytes = lengthOf(head[idBytes]);
    const size = head.subarray(idBytes, idBytes + sizeBytes);
    const bytes = withoutMark(size);
    // All ones: it ends where something begins that cannot be in it.
    const isUnknown = bytes === 2 ** (7 * sizeBytes) - 1;
    if (isUnknown && !holders.has(id)) this.#isWhole = false;
    if (id === ids.track) this.#beginTrack();
    if (holders.has(id)) return { bytes: isUnknown ? Infinity : bytes, content: 'elements' };
    return { bytes, content: this.#fieldsOf(id, bytes) };
  }

  #beginTrack(): void {
    const entry = { number: 0, type: undefined, codec: '', vorbisPacketSeconds: undefined, isEncoded: false };
    if (this.#entries.length < tracksMax) this.#entries.push(entry);
    else this.#isWhole = false;
  }

  #fieldsOf(id: number, bytes: number): FieldStep | undefined {
    const entry = this.#entries.at(-1);
    switch (id) {
      case ids.tickNanoseconds:
        return countIn(bytes, (count) => {
          this.#nanoseconds = count;
        });
      case ids.clusterTime:
        return countIn(bytes, (count) => {
          this.#clusterTicks = count;
        });
      case ids.block:
      case ids.simpleBlock:
        return this.#blockOf(bytes);
      default:
        return entry === undefined ? undefined : entryField(entry, id, bytes);
    }
  }

  #blockOf(bytes: number): FieldStep {
    return {
      bytes: 1,
      read: (start) => {
        const more = lengthOf(start[0]) - 1;
        const head = start[0] ?? 0;
        const packetBytes = bytes - 1 - more - blockHeadBytes;
        if (more > 7 || packetBytes < 0) return undefined;
        const shown = Math.min(packetHeadBytes, packetBytes);
        return {
          bytes: more + blockHeadBytes + shown,
          read: (rest, view) => {
            const number = withoutMark(Uint8Array.of(head, ...rest.subarray(0, more)));
            const ticks = this.#clusterTicks + view.getInt16(more);
            const flags = rest[more + 2] ?? 0;
            this.#add(number, ticks, (flags & lacingBits) !== 0, rest.subarray(more + blockHeadBytes), packetBytes);
            return undefined;
          },
        };
      },
    };
  }

  #add(number: number, ticks: number, isLaced: boolean, packet: Uint8Array, packetBytes: number): void {
    let blocks = this.#blocks.get(number);
    if (blocks === undefined) {
      blocks = { packets: 0, opusSeconds: 0, hasLaces: false, firstTick: ticks, lastTick: ticks };
      if (this.#blocks.size < tracksMax) this.#blocks.set(number, blocks);
      else this.#isWhole = false;
    }
    // The first byte of laced packets is their number without one.
    const packets = isLaced ? (packet[0] ?? 0) + 1 : 1;
    blocks.packets += packets;
    blocks.opusSeconds += isLaced ? packets * opusSecondsMax : opusSeconds(packet, packetBytes);
    blocks.hasLaces ||= isLaced;
    blocks.firstTick = Math.min(blocks.firstTick, ticks);
    blocks.lastTick = Math.max(blocks.lastTick, ticks);
  }
}

function entryField(entry: TrackEntry, id: number, bytes: number): FieldStep | undefined {
  switch (id) {
    case ids.trackNumber:
      return countIn(bytes, (count) => {
        entry.number = count;
      });
    case ids.trackType:
      return countIn(bytes, (count) => {
        entry.type = count;
      });
    case ids.codec:
      return textIn(bytes, (text) => {
        entry.codec = Buffer.from(text).toString('latin1').replace(/\0.*$/s, '');
      });
    case ids.codecPrivate:
      return textIn(bytes, (text) => {
        const at = Buffer.from(text).indexOf('\x01vorbis', 0, 'latin1');
        entry.vorbisPacketSeconds = at < 0 ? undefined : vorbisPacketSeconds(text.slice(at));
      });
    case ids.encodings:
      entry.isEncoded = true;
      return undefined;
    default:
      return undefined;
  }
}

/** Undefined where no element can begin so. */
function headBytes(start: Uint8Array, have: number): number | undefined {
  if (have === 0) return 1;
  const idBytes = lengthOf(start[0]);
  if (idBytes > 4) return undefined;
  if (have <= idBytes) return idBytes + 1;
  const sizeBytes = lengthOf(start[idBytes]);
  return sizeBytes > 8 ? undefined : idBytes + sizeBytes;
}

/** Numbers say in their first byte how long they are. */
function lengthOf(first = 0): number {
  return Math.clz32(first << 24) + 1;
}

function numberIn(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function withoutMark(bytes: Uint8Array): number {
  return numberIn(bytes) - 2 ** (7 * bytes.length);
}

function countIn(bytes: number, read: (count: number) => void): FieldStep | undefined {
  if (bytes === 0 || bytes > 8) return undefined;
  return {
    bytes,
    read(field) {
      read(numberIn(field));
      return undefined;
    },
  };
}

function textIn(bytes: number, read: (text: Uint8Array) => void): FieldStep | undefined {
  if (bytes === 0) return undefined;
  return {
    bytes: Math.min(bytes, privateBytesMax),
    read(field) {
      read(field);
      return undefined;
    },
  };
}
