/** The FLAC reader against the worked examples of its standard, the writer against the reader. */

import { describe, expect, test } from 'bun:test';
import { BitWriter } from './bits.ts';
import { checksum8, checksum16 } from './checksums.ts';
import { readFlac, readFrames, readMetadata } from './read-flac.ts';
import { join } from './sound-encoder.ts';
import { flacEncoder } from './write-flac.ts';

function decode(bytes: Uint8Array): { channels: number[][]; md5: string } {
  const metadata = readMetadata(bytes);
  const channels: number[][] = Array.from({ length: metadata.info.channels }, () => []);
  readFrames(bytes, metadata, (buffers, count) => {
    for (const [index, buffer] of buffers.entries()) channels[index]?.push(...buffer.subarray(0, count));
  });
  return { channels, md5: Buffer.from(bytes.subarray(26, 42)).toString('hex') };
}

function md5Of(channels: readonly number[][], bytesPerSample: number): string {
  const interleaved = (channels[0] ?? []).flatMap((_, index) => channels.map((channel) => channel[index] ?? 0));
  const bytes = Buffer.alloc(interleaved.length * bytesPerSample);
  for (const [index, sample] of interleaved.entries()) {
    bytes.writeIntLE(sample, index * bytesPerSample, bytesPerSample);
  }
  return new Bun.CryptoHasher('md5').update(bytes).digest('hex');
}

/** RFC 9639, appendix D: verbatim; fixed predictors with a seek table, a comment and padding; a linear predictor. */
const examples = {
  verbatim:
    '664c6143800000221000100000000f00000f0ac442f0000000013e84b41807dc690307586a3dad1a2e0ffff869180000bf0358fd03128baa9a',
  fixed:
    '664c614300000022001000100000170000440ac442f000000013d5b0564975e98b8d8b930422757b81030300001200000000000000000000' +
    '00000000000000100400003a200000007265666572656e6365206c6962464c414320312e332e33203230313930383034010000000e000000' +
    '5449544c453dd7a9d79cd795d79d810000060000000000 00fff86998000f991208670162 3d1442998f5df70d6fe00c17caeb21000ee7a77a' +
    '24a1590c1217b603097b784faa9a33d285e070ad5b1b4851b4010d99d2cd1a68f1e6b810fff869180102a402c382c40bc14a03ee48dd03b6' +
    '7c1330',
  linear:
    '664c6143800000221000100000001f00001f07d0007000000018f8f9e396f5cbcfc6dc807f9977906b32fff868020017e944004f6f313d10' +
    '47d227cb6d090831452bdc28222280 57a3',
};
const exampleBytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex.replaceAll(' ', ''));

describe('the examples of the standard', () => {
  for (const [name, hex] of Object.entries(examples)) {
    test(`${name}: the samples have the digest in the header`, () => {
      const { channels, md5 } = decode(exampleBytes(hex));
      expect(md5Of(channels, name === 'linear' ? 1 : 2)).toBe(md5);
    });
  }

  test('the first one holds the two samples that the standard names', () => {
    expect(decode(exampleBytes(examples.verbatim)).channels).toEqual([[25_588], [10_416]]);
  });

  test('a changed bit is noticed', () => {
    const bytes = exampleBytes(examples.linear);
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1;
    expect(() => readFlac(bytes)).toThrow('a check sum differs');
  });
});

test('the check sums are the known ones', () => {
  const digits = new TextEncoder().encode('123456789');
  expect(checksum8(digits)).toBe(0xf4);
  expect(checksum16(digits)).toBe(0xfee8);
});

function encode(samples: Int16Array, pieceSamples: number, comment = 'a'): Uint8Array {
  const encoder = flacEncoder(comment);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += pieceSamples)
    pieces.push(encoder.add(samples.slice(at, at + pieceSamples)));
  return join([...pieces, encoder.end()]);
}

/** Repeatable noise. */
function noise(length: number, amplitude: number): Int16Array {
  let state = 42;
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.round((state / 0x7fff_ffff - 0.5) * 2 * amplitude);
  });
}

const signals: Readonly<Record<string, Int16Array>> = {
  silence: new Int16Array(10_000),
  tone: Int16Array.from({ length: 10_001 }, (_, at) => Math.round(20_000 * Math.sin(at / 9))),
  'full-scale noise, which no predictor helps': noise(9_000, 32_767),
  'quiet noise': noise(4_096, 12),
  'full-scale square': Int16Array.from({ length: 5_000 }, (_, at) => (at % 50 < 25 ? 32_767 : -32_768)),
  'one sample': Int16Array.of(-32_768),
  'two blocks exactly': noise(8_192, 300),
  nothing: new Int16Array(),
};

describe('what is written is read back', () => {
  for (const [name, samples] of Object.entries(signals)) {
    for (const pieceSamples of [1_000, 4_096, 1_000_000]) {
      test(`${name}, ${pieceSamples} samples at a time`, () => {
        const { channels, md5 } = decode(encode(samples, pieceSamples));
        expect(channels).toEqual([[...samples]]);
        expect(md5).toBe(md5Of(channels, 2));
      });
    }
  }

  test('a tone takes less than half of its plain size', () => {
    const { tone } = signals;
    expect(encode(tone ?? new Int16Array(), 1_000_000).length).toBeLessThan(10_001);
  });

  test('noise takes hardly more than its plain size', () => {
    expect(encode(noise(40_960, 32_767), 1_000_000).length).toBeLessThan(40_960 * 2.01);
  });

  test('sound longer than a minute leaves with an open length', () => {
    const encoder = flacEncoder('long');
    const second = noise(24_000, 100);
    let headAt: number | undefined;
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < 130; at++) {
      const piece = encoder.add(second);
      if (headAt === undefined && piece.length > 0) headAt = at;
      pieces.push(piece);
    }
    const file = join([...pieces, encoder.end()]);
    expect(headAt).toBe(60);
    expect(readFlac(file)).toMatchObject({ durationSeconds: 130, comment: 'long' });
    // 130 s are 762 frames: their numbers need two bytes, and every frame was found.
    expect(file.subarray(21, 26)).toEqual(Uint8Array.of(0xf0, 0, 0, 0, 0));
  });
});

/** One frame in the caller's words, behind a header that fits it. */
function craft(
  bitsPerSample: number,
  channels: number,
  assignment: number,
  count: number,
  body: (w: BitWriter) => void,
) {
  const info = new BitWriter(34);
  info.write(count, 16);
  info.write(count, 16);
  for (let at = 0; at < 2; at++) info.write(0, 24);
  info.write(24_000, 20);
  info.write(channels - 1, 3);
  info.write(bitsPerSample - 1, 5);
  for (let at = 0; at < 10; at++) info.write(0, 16);
  info.write(0, 4);
  const frame = new BitWriter(1_000);
  frame.write(0x3ffe, 14);
  frame.write(0, 2);
  frame.write(7, 4);
  frame.write(0, 4);
  frame.write(assignment, 4);
  frame.write(0, 4);
  frame.write(0, 8);
  frame.write(count - 1, 16);
  frame.write(checksum8(frame.bytes()), 8);
  body(frame);
  frame.fillByte();
  frame.write(checksum16(frame.bytes()), 16);
  const head = new TextEncoder().encode('fLaC');
  return join([head, Uint8Array.of(0x80, 0, 0, 34), info.bytes().subarray(0, 34), frame.bytes()]);
}

describe('what other encoders write', () => {
  test('constant, with wasted bits', () => {
    const file = craft(16, 1, 0, 20, (writer) => {
      writer.write(0b00000001, 8);
      writer.writeUnary(2);
      writer.write(-5, 13);
    });
    expect(decode(file).channels).toEqual([Array(20).fill(-40)]);
  });

  test('middle and side', () => {
    const file = craft(16, 2, 10, 16, (writer) => {
      writer.write(0b00000010, 8);
      for (let at = 0; at < 16; at++) writer.write(100 + at, 16);
      writer.write(0b00000010, 8);
      for (let at = 0; at < 16; at++) writer.write(-7, 17);
    });
    const { channels } = decode(file);
    expect(channels[0]?.slice(0, 2)).toEqual([97, 98]);
    expect(channels[1]?.slice(0, 2)).toEqual([104, 105]);
  });

  test('side and right', () => {
    const file = craft(24, 2, 9, 16, (writer) => {
      for (let bit = 0; bit < 8; bit++) writer.write(0, 1);
      writer.write(-1, 1);
      writer.write(-3, 24);
      writer.write(0, 8);
      writer.write(1_000_000, 24);
    });
    expect(decode(file).channels).toEqual([Array(16).fill(999_997), Array(16).fill(1_000_000)]);
  });

  test('a residual in plain numbers, and one with wide parameters', () => {
    const file = craft(16, 2, 1, 16, (writer) => {
      writer.write(0b00010000, 8);
      writer.write(0, 2);
      writer.write(0, 4);
      writer.write(15, 4);
      writer.write(6, 5);
      for (let at = 0; at < 16; at++) writer.write(at - 20, 6);
      writer.write(0b00010000, 8);
      writer.write(1, 2);
      writer.write(0, 4);
      writer.write(16, 5);
      for (let at = 0; at < 16; at++) {
        writer.writeUnary(0);
        writer.write(2 * at + 1, 16);
      }
    });
    const counting = Array.from({ length: 16 }, (_, at) => at);
    expect(decode(file).channels).toEqual([counting.map((at) => at - 20), counting.map((at) => -at - 1)]);
  });
});

describe('damaged files', () => {
  const good = encode(noise(10_000, 3_000), 1_000_000, 'A comment.');

  test('cut anywhere: an error of the caller or a shorter sound, at once', () => {
    for (let length = 4; length < good.length; length += 37) {
      try {
        expect(readFlac(good.subarray(0, length)).durationSeconds).toBeLessThan(10_000 / 24_000);
      } catch (error) {
        expect(error).toMatchObject({ code: 'field_invalid', param: 'file' });
      }
    }
  });

  test('any changed byte: never anything else than a clear error', () => {
    for (let at = 4; at < good.length; at += 13) {
      const bad = good.slice();
      bad[at] = (bad[at] ?? 0) ^ 0xff;
      try {
        readFlac(bad);
      } catch (error) {
        expect(error).toMatchObject({ code: 'field_invalid', param: 'file' });
      }
    }
  });

  test('a small file cannot unfold into days', () => {
    const frame = craft(16, 1, 0, 65_535, (writer) => {
      writer.write(0, 8);
      writer.write(1, 16);
    });
    const one = frame.subarray(42);
    const bomb = join([frame.subarray(0, 42), ...Array.from({ length: 100 }, () => one)]);
    expect(bomb.length).toBeLessThan(2_000);
    expect(readFlac(bomb, 65_535 * 100).durationSeconds).toBeCloseTo(273, 0);
    expect(() => readFlac(bomb, 65_535 * 100 - 1)).toThrow('too much sound');
  });
});
