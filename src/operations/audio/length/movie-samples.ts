/** Adds up the length of an MP4 file by the samples of its tracks, whatever its header claims. ISO/IEC 14496-12 and 14496-14 (read 2026-11-19). */

import { type ElementHead, ElementWalk, type FieldStep, fieldBytesMax, repeated } from './element-walk.ts';
import { type FrameForm, frameFormOf } from './movie-codecs.ts';

/** More tracks in one file are not distinguished. */
const tracksMax = 64;
const holders: ReadonlySet<string> = new Set([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'mvex', 'moof', 'traf'],
]);

interface Track {
  id: number;
  handler: string | undefined;
  ticksPerSecond: number;
  ticks: number;
  samples: number;
  descriptions: number;
  /** Undefined where the file alone does not say how long a sample is. */
  frame: FrameForm | undefined;
  /** Parts of the track that are played one after the other, which may be the same ones. */
  edits: number;
  editTicks: number;
}

const newTrack = (): Track => ({
  id: 0,
  handler: undefined,
  ticksPerSecond: 0,
  ticks: 0,
  samples: 0,
  descriptions: 0,
  frame: undefined,
  edits: 0,
  editTicks: 0,
});

/** What the samples of a fragment have in common where they do not say it themselves. */
interface Fragment {
  track: Track;
  sampleTicks: number;
}

export class MovieSamples {
  readonly #walk = new ElementWalk({
    headBytes: (start, have) => (have >= 4 && longForm(start) ? 16 : 8),
    readHead: (head, view) => this.#readHead(head, view),
  });
  readonly #tracks: Track[] = [];
  #track = newTrack();
  #movieTicksPerSecond = 0;
  readonly #defaults = new Map<number, number>();
  #fragment: Fragment = { track: this.#track, sampleTicks: 0 };
  #isWhole = true;

  take(piece: Uint8Array): void {
    this.#walk.take(piece);
  }

  /** Of the longest track with audio; undefined where none was found. */
  get seconds(): number | undefined {
    const lengths = this.#audible.map((track) => this.#secondsOf(track));
    return this.#isWhole && lengths.length > 0 ? Math.max(...lengths) : undefined;
  }

  /** Every track with audio is of a codec whose samples have one length. */
  get isCounted(): boolean {
    const tracks = this.#audible;
    return tracks.length > 0 && tracks.every(({ frame }) => frame !== undefined);
  }

  get #audible(): readonly Track[] {
    return this.#tracks.filter(({ handler = 'soun' }) => handler === 'soun');
  }

  #secondsOf({ frame, samples, ticks, ticksPerSecond, edits, editTicks }: Track): number {
    const bySamples = frame === undefined ? 0 : (samples * frame.samples) / frame.perSecond;
    const byTicks = ticksPerSecond > 0 ? ticks / ticksPerSecond : 0;
    const once = Math.max(bySamples, byTicks);
    return edits < 2
      ? once
      : Math.max(once, Math.min(editTicks / Math.max(1, this.#movieTicksPerSecond), edits * once));
  }

  #readHead(head: Uint8Array, view: DataView): ElementHead {
    const name = String.fromCharCode(...head.subarray(4, 8));
    const short = view.getUint32(0);
    const headBytes = longForm(head) ? 16 : 8;
    const size = short === 1 ? Number(view.getBigUint64(8)) : short;
    // 0 reaches to the end; what is too short to hold its own head ends what a decoder reads.
    const bytes = size < headBytes ? Infinity : size - headBytes;
    if (size !== 0 && size < headBytes) return { bytes, content: undefined };
    if (name === 'trak') this.#beginTrack();
    if (holders.has(name)) return { bytes, content: 'elements' };
    return { bytes, content: this.#fieldsOf(name, bytes) };
  }

  #beginTrack(): void {
    this.#track = newTrack();
    if (this.#tracks.length < tracksMax) this.#tracks.push(this.#track);
    else this.#isWhole = false;
  }

  /** The fields that count in a box of this name. */
  #fieldsOf(name: string, bytes: number): FieldStep | undefined {
    const track = this.#track;
    switch (name) {
      case 'mvhd':
        return versioned(12, 20, (view, at) => {
          this.#movieTicksPerSecond = view.getUint32(at);
        });
      case 'tkhd':
        return versioned(12, 20, (view, at) => {
          track.id = view.getUint32(at);
        });
      case 'mdhd':
        return versioned(12, 20, (view, at) => {
          track.ticksPerSecond = view.getUint32(at);
        });
      case 'hdlr':
        return lastField(12, (bytesOf) => {
          track.handler = String.fromCharCode(...bytesOf.subarray(8, 12));
        });
      case 'elst':
        return counted(12, 8, (view, version) => {
          track.edits++;
          track.editTicks += version === 1 ? Number(view.getBigUint64(0)) : view.getUint32(0);
        });
      case 'stsd':
        if (bytes > fieldBytesMax) return undefined;
        return lastField(Math.max(1, bytes), (entry) => {
          track.frame = ++track.descriptions === 1 ? frameFormOf(entry) : undefined;
        });
      case 'stts':
        return counted(8, 0, (view) => {
          track.ticks += view.getUint32(0) * view.getUint32(4);
        });
      case 'stsz':
      case 'stz2':
        return lastField(12, (_bytes, view) => {
          track.samples += view.getUint32(8);
        });
      default:
        return this.#fragmentFieldsOf(name);
    }
  }

  #fragmentFieldsOf(name: string): FieldStep | undefined {
    switch (name) {
      case 'trex':
        return lastField(16, (_bytes, view) => {
          if (this.#defaults.size < tracksMax) this.#defaults.set(view.getUint32(4), view.getUint32(12));
        });
      case 'tfhd':
        return field(8, (_bytes, view) => this.#beginFragment(view.getUint32(4), view.getUint32(0) & 0xffffff));
      case 'trun':
        return field(8, (_bytes, view) => this.#run(view.getUint32(0) & 0xffffff, view.getUint32(4)));
      default:
        return undefined;
    }
  }

  #beginFragment(id: number, flags: number): FieldStep | undefined {
    const track = this.#tracks.find((one) => one.id === id);
    // Of no known track: no decoder can read it.
    this.#fragment = { track: track ?? newTrack(), sampleTicks: this.#defaults.get(id) ?? 0 };
    if ((flags & 0x08) === 0) return undefined;
    const before = (flags & 0x01 ? 8 : 0) + (flags & 0x02 ? 4 : 0);
    return lastField(before + 4, (_bytes, view) => {
      this.#fragment.sampleTicks = view.getUint32(before);
    });
  }

  #run(flags: number, samples: number): FieldStep | undefined {
    const { track, sampleTicks } = this.#fragment;
    track.samples += samples;
    const sampleBytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
    if ((flags & 0x100) === 0) {
      track.ticks += samples * sampleTicks;
      return undefined;
    }
    const durations = repeated(samples, sampleBytes, (view) => {
      track.ticks += view.getUint32(0);
    });
    const before = (flags & 0x01 ? 4 : 0) + (flags & 0x04 ? 4 : 0);
    return before === 0 ? durations : { bytes: before, read: () => durations };
  }
}

function longForm([a, b, c, d]: Uint8Array): boolean {
  return a === 0 && b === 0 && c === 0 && d === 1;
}

/** One field, and what it leads to. */
function field(bytes: number, read: FieldStep['read']): FieldStep {
  return { bytes, read };
}

/** One field, behind which nothing counts. */
function lastField(bytes: number, read: (field: Uint8Array, view: DataView) => void): FieldStep {
  return {
    bytes,
    read(given, view) {
      read(given, view);
      return undefined;
    },
  };
}

/** A number of 32 bits whose place depends on the version in the first byte. */
function versioned(at: number, atOfLong: number, read: (view: DataView, at: number) => void): FieldStep {
  return field(4, ([version]) => {
    // The first four bytes are read already.
    const place = (version === 1 ? atOfLong : at) - 4;
    return lastField(place + 4, (_bytes, view) => read(view, place));
  });
}

/** Version, a count, and so many entries; those of version 1 are longer. */
function counted(entryBytes: number, longer: number, read: (view: DataView, version: number) => void): FieldStep {
  return field(8, (_bytes, view) => {
    const version = view.getUint8(0);
    return repeated(view.getUint32(4), entryBytes + (version === 1 ? longer : 0), (entry) => read(entry, version));
  });
}
