import { describe, expect, test } from 'bun:test';
import { mp3Frame, mp3FrameSeconds, oggPage } from '../../../../test/harness/lying-audio.ts';
import { frameSamples, silentFlac } from '../../../../test/harness/silent-flac.ts';
import { waveFile } from '../wave-file.ts';
import { AudioMeter } from './audio-length.ts';

function lengthOf(file: Uint8Array, pieceBytes = file.length) {
  const meter = new AudioMeter(file.length);
  // Each piece is overwritten with the next one.
  const lent = new Uint8Array(pieceBytes);
  for (let at = 0; at < file.length && meter.wantsMore; at += pieceBytes) {
    lent.set(file.subarray(at, at + pieceBytes));
    meter.take(lent.subarray(0, Math.min(pieceBytes, file.length - at)));
  }
  return meter.length;
}

describe('FLAC', () => {
  const seconds = (100 * frameSamples) / 8_000;

  test('frames are counted, whatever the first block claims and wherever the pieces are cut', () => {
    for (const claimed of [0, 8_000, 100 * frameSamples]) {
      const file = silentFlac(100, claimed);
      expect(file.length).toBeLessThan(1_400);
      for (const pieceBytes of [1, 7, 64, file.length]) {
        const { seconds: counted = 0, ...facts } = lengthOf(file, pieceBytes);
        expect(facts).toEqual({ exact: true, packsSilence: true });
        expect(counted).toBeCloseTo(seconds, 6);
      }
    }
  });

  test('a file without frames has no length', () => {
    expect(lengthOf(silentFlac(0, 8_000))).toEqual({ seconds: undefined, exact: false, packsSilence: true });
  });
});

test('a WAVE file lasts as long as its samples, whatever its header claims', () => {
  const file = waveFile({ bytes: new Uint8Array(32_000), samplesPerSecond: 8_000 });
  expect(lengthOf(file)).toEqual({ seconds: 2, exact: true, packsSilence: false });
  new DataView(file.buffer).setUint32(40, 1, true);
  expect(lengthOf(file, 11).seconds).toBe(2);
  new DataView(file.buffer).setUint16(20, 0x11, true);
  expect(lengthOf(file)).toEqual({ seconds: undefined, exact: false, packsSilence: false });
});

test('no more of a file is read than its kind needs', () => {
  const readOf = (file: Uint8Array): number => {
    const meter = new AudioMeter(file.length);
    let at = 0;
    for (; at < file.length && meter.wantsMore; at += 10_000) meter.take(file.subarray(at, at + 10_000));
    return at;
  };
  expect(readOf(waveFile({ bytes: new Uint8Array(200_000), samplesPerSecond: 8_000 }))).toBe(70_000);
  expect(readOf(new Uint8Array(200_000))).toBe(10_000);
  expect(readOf(Buffer.concat([Buffer.from('OggS'), new Uint8Array(95_996)]))).toBe(100_000);
});

test('an Ogg file by the position of its last page', () => {
  const page = (samples: bigint, content: string): Buffer => {
    const head = Buffer.alloc(28);
    head.write('OggS');
    head.writeBigUInt64LE(samples, 6);
    return Buffer.concat([head, Buffer.from(content, 'latin1')]);
  };
  const opus = Buffer.concat([page(0n, 'OpusHead'), page(48_000n, 'xx'), page(96_000n, 'yy')]);
  for (const pieceBytes of [9, 1_000]) expect(lengthOf(opus, pieceBytes).seconds).toBe(2);
  const vorbis = Buffer.concat([page(0n, '\x01vorbis\0\0\0\0\x01\x40\x1f\0\0'), page(16_000n, 'xx')]);
  expect(lengthOf(vorbis).seconds).toBe(2);
});

describe('an Ogg file that claims less than it holds', () => {
  const first = 2;
  const opusStart = (serial: number) => [
    oggPage([Buffer.from('OpusHead\x01\x01'.padEnd(19, '\0'), 'latin1')], 0, { flags: first, serial }),
    oggPage([Buffer.from('OpusTags'.padEnd(40, '\0'))], 0, { serial }),
  ];
  /** 20 ms each: one frame of 20 ms. */
  const silent = Buffer.from([0x78, 0xff]);
  const many = (count: number, packet: Buffer) => Array.from({ length: count }, () => packet);

  test('lasts as long as its packets', () => {
    const pages = many(30, oggPage(many(100, silent), 48_000));
    for (const pieceBytes of [1, 7, 100_000]) {
      const file = Buffer.concat([...opusStart(1), ...pages]);
      const { seconds, exact } = lengthOf(file, pieceBytes);
      expect([Math.round(seconds ?? 0), exact]).toEqual([60, true]);
    }
  });

  test('also with long packets, in several streams, and behind bytes that are no page', () => {
    /** Two frames of 60 ms. */
    const long = Buffer.from([0x19, 0, 0]);
    const streams = [...opusStart(1), ...opusStart(2)];
    const audio = [1, 2].map((serial) => oggPage(many(100, long), 960, { serial }));
    const file = Buffer.concat([...streams, Buffer.from('Ogg what is this'), ...audio]);
    expect(lengthOf(file).seconds).toBeCloseTo(24);
  });

  test('in Vorbis, where its packets can be long ones', () => {
    const begin = Buffer.from('\x01vorbis\0\0\0\0\x01'.padEnd(30, '\0'), 'latin1');
    begin.writeUInt32LE(16_000, 12);
    begin[28] = 0xb8;
    const start = [begin, Buffer.from('\x03vorbis'), Buffer.from('\x05vorbis')];
    const file = (samples: number) =>
      Buffer.concat([oggPage(start, 0, { flags: first }), ...many(10, oggPage(many(100, silent), samples))]);
    // A thousand packets of at most 1,024 samples.
    expect(lengthOf(file(16_000)).seconds).toBeCloseTo(64);
    expect(lengthOf(file(16_000 * 50)).seconds).toBe(50);
  });

  test('with another codec is bounded by its bytes as well', () => {
    const file = Buffer.concat([oggPage([Buffer.from('Speex   ')], 0, { flags: first }), oggPage([silent], 48_000)]);
    expect(lengthOf(file).exact).toBe(false);
  });
});

describe('an MP3 file', () => {
  const frame = mp3Frame;
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x01\x00', 'latin1'), Buffer.alloc(128, 0xff)]);

  test.each([
    ['without a tag', Buffer.alloc(0)] as const,
    ['behind a tag', tag] as const,
  ])('%s lasts as long as its frames', (_, before) => {
    const file = Buffer.concat([before, ...Array.from({ length: 1_000 }, () => frame)]);
    for (const pieceBytes of [5, 1_000, 100_000]) {
      const { seconds, exact, packsSilence } = lengthOf(file, pieceBytes);
      expect([Math.round((seconds ?? 0) * 1_000), exact, packsSilence]).toEqual([
        1_000_000 * mp3FrameSeconds,
        true,
        false,
      ]);
    }
  });

  test('that is mostly something else is not counted', () => {
    const file = Buffer.concat([tag, frame, Buffer.alloc(20_000, 0x11), frame]);
    expect(lengthOf(file).exact).toBe(false);
  });
});

test('what is not known packs silence, except codecs that cannot', () => {
  expect(lengthOf(Buffer.concat([Buffer.from('ID3'), Buffer.alloc(50)]))).toMatchObject({ packsSilence: false });
  expect(lengthOf(Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(50)]))).toMatchObject({
    packsSilence: false,
  });
  expect(lengthOf(Buffer.concat([Buffer.from([0xff, 0xf1, 0x50, 0x80]), Buffer.alloc(50)]))).toMatchObject({
    packsSilence: true,
  });
  expect(lengthOf(Buffer.alloc(60))).toEqual({ seconds: undefined, exact: false, packsSilence: true });
});
