/** MP4 and WebM files of silence, which hold what they hold and claim what the test says. */

export interface MovieOptions {
  /** Of the header. */
  readonly claimedSeconds: number;
  /** Of 1,024 samples each. */
  readonly frames: number;
  readonly samplesPerSecond?: 16_000 | 44_100 | 48_000;
  /** In ticks of the track, by the table of times. */
  readonly frameTicks?: number;
  readonly codec?: string;
  /** How often the list of edits plays the track, where there is one. */
  readonly edits?: number;
  /** The samples come in so many fragments behind a table that has none. */
  readonly fragments?: number;
  /** Behind the samples, as encoders write it that do not know the length before. */
  readonly tableAtEnd?: boolean;
}

export const aacFrameSamples = 1_024;
/** What a frame of silent AAC takes. */
const frameBytes = 6;
const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000];

export function box(name: string, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}

const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

export function movieFile(options: MovieOptions): Buffer<ArrayBuffer> {
  const { frames, fragments = 0, tableAtEnd = false } = options;
  const type = box('ftyp', Buffer.from('M4A \0\0\0\0', 'latin1'));
  const samples = box('mdat', Buffer.alloc(fragments > 0 ? 0 : frames * frameBytes, 7));
  const table = tableOf(options);
  const parts = tableAtEnd ? [type, samples, table] : [type, table, samples];
  const each = fragments > 0 ? frames / fragments : 0;
  const fragment = box('moof', box('traf', box('tfhd', words(8, 1, 1)), box('trun', words(0x200, each), sizes(each))));
  const data = box('mdat', Buffer.alloc(each * frameBytes, 7));
  const following = Array.from({ length: fragments }, () => [fragment, data]).flat();
  return Buffer.concat([...parts, ...following]);
}

const sizes = (count: number): Buffer => words(...new Array<number>(count).fill(frameBytes));

function tableOf(options: MovieOptions): Buffer {
  const { claimedSeconds, frames, samplesPerSecond = 16_000, frameTicks = aacFrameSamples, codec = 'mp4a' } = options;
  const { edits = 0, fragments = 0 } = options;
  const inTable = fragments > 0 ? 0 : frames;
  const claimed = Math.round(claimedSeconds * 1_000);
  const header = box('mvhd', words(0, 0, 0, 1_000, claimed), Buffer.alloc(80));
  const specific = Buffer.alloc(2);
  specific.writeUInt16BE((2 << 11) | (rates.indexOf(samplesPerSecond) << 7) | (1 << 3));
  const decoder = Buffer.concat([Buffer.from([4, 17, 0x40]), Buffer.alloc(12), Buffer.from([5, 2]), specific]);
  const stream = Buffer.concat([words(0), Buffer.from([3, 3 + decoder.length, 0, 1, 0]), decoder]);
  const entry = box(codec, Buffer.alloc(28), box('esds', stream));
  const times = inTable > 0 ? words(0, 1, inTable, frameTicks) : words(0, 0);
  const stbl = box(
    'stbl',
    box('stsd', words(0, 1), entry),
    box('stts', times),
    box('stsz', words(0, 0, inTable), sizes(inTable)),
  );
  const edited = Array.from({ length: edits }, () => words(frames * 1_000, 0, 0x10000));
  const mdia = box(
    'mdia',
    box('mdhd', words(0, 0, 0, samplesPerSecond, 0, 0)),
    box('hdlr', words(0, 0), Buffer.from('soun'), Buffer.alloc(13)),
    box('minf', stbl),
  );
  const track = box(
    'trak',
    box('tkhd', words(0, 0, 0, 1), Buffer.alloc(68)),
    ...(edits > 0 ? [box('edts', box('elst', words(0, edits), ...edited))] : []),
    mdia,
  );
  return box('moov', header, track, box('mvex', box('trex', words(0, 1, 1, frameTicks, 0, 0))));
}

export interface WebmOptions {
  readonly claimedSeconds: number;
  readonly packets: number;
  /** One frame of 20 ms. */
  readonly packet?: Uint8Array;
  /** Between packets, by the times of their blocks. */
  readonly stepMs?: number;
  readonly codec?: string;
  readonly codecPrivate?: Uint8Array;
  /** As browsers write it: no length, and groups of unknown size. */
  readonly isLive?: boolean;
}

const unknownSize = Buffer.from([0x01, ...new Array<number>(7).fill(0xff)]);
const packetsPerCluster = 50;

export function element(id: number, content: Uint8Array, size: Buffer = sizeOf(content.length)): Buffer {
  const name = Buffer.from(id.toString(16).padStart(id > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([name, size, content]);
}

function sizeOf(bytes: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x10000000 + bytes);
  return size;
}

export function webmFile(options: WebmOptions): Buffer<ArrayBuffer> {
  const { claimedSeconds, packets, packet = Buffer.from([0x78, 0xff]), stepMs = 20, codec = 'A_OPUS' } = options;
  const { isLive = false, codecPrivate = Buffer.from('OpusHead') } = options;
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(claimedSeconds * 1_000);
  const info = element(0x1549a966, isLive ? Buffer.alloc(0) : element(0x4489, duration));
  const track = [
    element(0xd7, Buffer.from([1])),
    element(0x83, Buffer.from([2])),
    element(0x86, Buffer.from(codec)),
    element(0x63a2, codecPrivate),
  ];
  const tracks = element(0x1654ae6b, element(0xae, Buffer.concat(track)));
  const clusters: Buffer[] = [];
  for (let from = 0; from < packets; from += packetsPerCluster) {
    const time = Buffer.alloc(4);
    time.writeUInt32BE(from * stepMs);
    const blocks: Buffer[] = [element(0xe7, time)];
    for (let index = 0; index < Math.min(packetsPerCluster, packets - from); index++) {
      const head = Buffer.from([0x81, 0, 0, 0x80]);
      head.writeInt16BE(index * stepMs, 1);
      blocks.push(element(0xa3, Buffer.concat([head, packet])));
    }
    clusters.push(element(0x1f43b675, Buffer.concat(blocks), isLive ? unknownSize : undefined));
  }
  const content = Buffer.concat([info, tracks, ...clusters]);
  const begin = element(0x1a45dfa3, element(0x4282, Buffer.from('webm')));
  return Buffer.concat([begin, element(0x18538067, content, isLive ? unknownSize : undefined)]);
}
