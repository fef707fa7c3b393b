/** Voice activity on signals whose times are known, words on files that carry them, and files that are none. */

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sized } from '../../../test/harness/size.ts';
import { join } from '../../audio/audio-encoder.ts';
import type { Interval } from './containers/audio-facts.ts';
import { placeText } from './place-words.ts';
import { createTranscriber, type TranscriptOptions, transcriptOf } from './transcribe.ts';

setDefaultTimeout(300_000);

const transcriber = createTranscriber();
afterAll(() => transcriber.stop());

const asked: TranscriptOptions = { translate: false, format: 'verbose_json', granularities: ['segment', 'word'] };
const transcribe = (bytes: Uint8Array, request: Partial<TranscriptOptions> = {}) =>
  transcriber.transcribe(bytes, { ...asked, ...request });

const toleranceSeconds = 0.05;

interface Signal {
  readonly rateHz: number;
  readonly seconds: number;
  readonly bursts: readonly (readonly [number, number])[];
  readonly background?: number;
}

/** A tone of 440 Hz during the bursts over a repeatable background. */
function signalOf({ rateHz, seconds, bursts, background = 0 }: Signal): Float64Array {
  let state = 7;
  return Float64Array.from({ length: Math.round(seconds * rateHz) }, (_, at) => {
    const time = at / rateHz;
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const noise = (state / 0x7fff_ffff - 0.5) * 2 * background;
    const isBurst = bursts.some(([from, to]) => time >= from && time < to);
    return noise + (isBurst ? 0.4 * Math.sin(2 * Math.PI * 440 * time) : 0);
  });
}

interface Writing {
  readonly rateHz: number;
  readonly bits: 8 | 16 | 24 | 32 | 64;
  readonly float?: boolean;
  readonly channels?: number;
  readonly extensible?: boolean;
  readonly dataBytes?: number;
  readonly comment?: string;
}

function waveFile(signal: Float64Array, writing: Writing): Uint8Array {
  const { rateHz, bits, float = false, channels = 1, extensible = false } = writing;
  const width = bits / 8;
  const data = Buffer.alloc(signal.length * channels * width);
  for (let at = 0; at < signal.length * channels; at++) {
    // The second channel is the first turned around: an average would be silent.
    const value = (signal[Math.floor(at / channels)] ?? 0) * (at % channels === 1 ? -1 : 1);
    if (float) bits === 64 ? data.writeDoubleLE(value, at * 8) : data.writeFloatLE(value, at * 4);
    else if (bits === 8) data.writeUInt8(Math.round(value * 127) + 128, at);
    else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at * width, width);
  }
  const format = Buffer.alloc(extensible ? 40 : 16);
  const code = float ? 3 : 1;
  format.writeUInt16LE(extensible ? 0xfffe : code, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rateHz, 4);
  format.writeUInt32LE(rateHz * channels * width, 8);
  format.writeUInt16LE(channels * width, 12);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(code, 24);
  const info =
    writing.comment === undefined
      ? []
      : [
          chunk(
            'LIST',
            join([Buffer.from('INFO'), chunk('ISFT', Buffer.from('x')), chunk('ICMT', Buffer.from(writing.comment))]),
          ),
        ];
  const body = join([Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', data, writing.dataBytes), ...info]);
  return chunk('RIFF', body);
}

function chunk(name: string, contents: Uint8Array, claimed = contents.length): Uint8Array {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(claimed, 4);
  return join([head, contents, new Uint8Array(contents.length & 1)]);
}

function expectTimes(found: readonly Interval[] | undefined, bursts: readonly (readonly [number, number])[]): void {
  expect(found?.length).toBe(bursts.length);
  for (const [index, [from, to]] of bursts.entries()) {
    expect(Math.abs((found?.[index]?.startSeconds ?? -1) - from)).toBeLessThanOrEqual(toleranceSeconds);
    expect(Math.abs((found?.[index]?.endSeconds ?? -1) - to)).toBeLessThanOrEqual(toleranceSeconds);
  }
}

describe('voice activity', () => {
  const bursts = [
    [0.5, 1.25],
    [1.75, 2],
    [3.1, 4.4],
  ] as const;
  const writings: Readonly<Record<string, Writing>> = {
    '8 bits at 8 kHz': { rateHz: 8_000, bits: 8 },
    '16 bits at 16 kHz': { rateHz: 16_000, bits: 16 },
    '16 bits stereo at 44.1 kHz': { rateHz: 44_100, bits: 16, channels: 2 },
    '24 bits at 48 kHz': { rateHz: 48_000, bits: 24 },
    '24 bits stereo, extensible': { rateHz: 48_000, bits: 24, channels: 2, extensible: true },
    '32 bits at 11.025 kHz': { rateHz: 11_025, bits: 32 },
    'float at 96 kHz': { rateHz: 96_000, bits: 32, float: true },
    'double float stereo': { rateHz: 22_050, bits: 64, float: true, channels: 2 },
  };
  for (const [name, writing] of Object.entries(writings)) {
    test(name, async () => {
      const transcript = await transcribe(waveFile(signalOf({ rateHz: writing.rateHz, seconds: 5, bursts }), writing));
      expect(transcript.durationSeconds).toBeCloseTo(5, 3);
      expect(transcript.consumption.seconds).toBeCloseTo(5, 3);
      expectTimes(transcript.segments, bursts);
      expect(transcript.text).toMatch(/^The sandbox finds 2\.[23] seconds of audio in 3 segments within 5\.0 seconds/);
      expect(transcript.text).toEndWith('does not understand words.');
      expect(transcript.words).toEqual([]);
    });
  }

  test('over background noise', async () => {
    const signal = signalOf({ rateHz: 16_000, seconds: 5, bursts, background: 0.02 });
    expectTimes((await transcribe(waveFile(signal, { rateHz: 16_000, bits: 16 }))).segments, bursts);
  });

  test('beside a constant offset', async () => {
    const signal = signalOf({ rateHz: 16_000, seconds: 5, bursts }).map((value) => value + 0.3);
    expectTimes((await transcribe(waveFile(signal, { rateHz: 16_000, bits: 16 }))).segments, bursts);
  });

  test('a tone without a pause is one segment', async () => {
    const signal = signalOf({ rateHz: 16_000, seconds: 2, bursts: [[0, 2]] });
    const transcript = await transcribe(waveFile(signal, { rateHz: 16_000, bits: 16 }));
    expectTimes(transcript.segments, [[0, 2]]);
    expect(transcript.text).toContain('in one segment');
  });

  test('one second within two minutes is found', async () => {
    const signal = signalOf({ rateHz: 8_000, seconds: 120, bursts: [[70, 71]] });
    expectTimes((await transcribe(waveFile(signal, { rateHz: 8_000, bits: 16 }))).segments, [[70, 71]]);
  });

  test('a click and a short closure are neither speech nor pause', async () => {
    const signal = signalOf({
      rateHz: 16_000,
      seconds: 3,
      bursts: [
        [0.5, 0.51],
        [1, 1.5],
        [1.58, 2],
      ],
    });
    expectTimes((await transcribe(waveFile(signal, { rateHz: 16_000, bits: 16 }))).segments, [[1, 2]]);
  });

  test('silence is reported as silence', async () => {
    const transcript = await transcribe(waveFile(new Float64Array(16_000), { rateHz: 16_000, bits: 16 }));
    expect(transcript).toMatchObject({
      text: 'The sandbox finds 1.0 seconds of silence.',
      segments: [],
      durationSeconds: 1,
    });
  });

  test('a streamed file whose header does not know its length', async () => {
    const signal = signalOf({ rateHz: 16_000, seconds: 1, bursts: [[0.2, 0.8]] });
    const transcript = await transcribe(waveFile(signal, { rateHz: 16_000, bits: 16, dataBytes: 0xffff_ffff }));
    expect(transcript.durationSeconds).toBeCloseTo(1, 3);
    expectTimes(transcript.segments, [[0.2, 0.8]]);
  });
});

describe('words from the comment', () => {
  const two = signalOf({
    rateHz: 16_000,
    seconds: 4,
    bursts: [
      [0.5, 1.5],
      [2.5, 3.5],
    ],
  });
  const comment = 'One short phrase. Another short one.';

  test('sentences lie on the intervals, words inside them', async () => {
    const transcript = await transcribe(waveFile(two, { rateHz: 16_000, bits: 16, comment }));
    expect(transcript.text).toBe(comment);
    expect(transcript.segments?.map(({ text }) => text)).toEqual(['One short phrase.', 'Another short one.']);
    expectTimes(transcript.segments, [
      [0.5, 1.5],
      [2.5, 3.5],
    ]);
    expect(transcript.words?.map(({ word }) => word)).toEqual(comment.split(' '));
    const times = transcript.words?.flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(transcript.words?.[3]?.startSeconds).toBe(transcript.segments?.[1]?.startSeconds ?? -1);
  });

  test('language as given, English by default and after translation', async () => {
    const file = waveFile(two, { rateHz: 16_000, bits: 16, comment });
    expect((await transcribe(file)).language).toBe('english');
    expect((await transcribe(file, { language: 'de' })).language).toBe('de');
    expect((await transcribe(file, { language: 'de', translate: true })).language).toBe('english');
  });

  test('only what was asked for, but cues always have their segments', () => {
    const facts = { container: 'WAV', durationSeconds: 4, intervals: [{ startSeconds: 1, endSeconds: 2 }], comment };
    const keys = (request: Partial<TranscriptOptions>) => {
      const { segments, words } = transcriptOf(facts, { ...asked, ...request });
      return [segments !== undefined, words !== undefined];
    };
    expect(keys({ granularities: [] })).toEqual([true, false]);
    expect(keys({ granularities: ['word'] })).toEqual([false, true]);
    expect(keys({ granularities: ['segment'] })).toEqual([true, false]);
    expect(keys({ granularities: ['word'], format: 'srt' })).toEqual([true, true]);
  });

  test('more sentences than intervals, and fewer', () => {
    const text = 'First sentence here. Second sentence here. Third sentence here.';
    const one = placeText(text, [{ startSeconds: 1, endSeconds: 4 }]).segments;
    expect(one.map(({ startSeconds }) => Math.round(startSeconds))).toEqual([1, 2, 3]);
    expect(one.at(-1)?.endSeconds).toBe(4);
    const many = Array.from({ length: 6 }, (_, at) => ({ startSeconds: at * 2, endSeconds: at * 2 + 1 }));
    const placed = placeText(text, many).segments;
    expect(placed.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [0, 3],
      [4, 7],
      [8, 11],
    ]);
  });
});

describe('what cannot be read', () => {
  const wave = waveFile(signalOf({ rateHz: 16_000, seconds: 0.2, bursts: [[0, 0.2]] }), { rateHz: 16_000, bits: 16 });
  const changed = (at: number, ...bytes: number[]): Uint8Array => {
    const copy = wave.slice();
    copy.set(bytes, at);
    return copy;
  };
  const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
  const files: Readonly<Record<string, readonly [Uint8Array, string]>> = {
    empty: [new Uint8Array(), 'The file is empty.'],
    text: [ascii('Hello, I am no audio.'), 'something else'],
    ogg: [ascii('OggS\0\x02'), 'an Ogg file'],
    mp4: [ascii('\0\0\0\x20ftypM4A '), 'an MP4 file'],
    webm: [ascii('\x1aE\xdf\xa3aaaa'), 'a WebM file'],
    'a WAV head alone': [wave.subarray(0, 12), 'does not describe its audio'],
    'a WAV without data': [wave.subarray(0, 36), 'holds no audio'],
    'a WAV cut inside its format': [changed(16, 8, 0, 0, 0), 'ends inside its format'],
    'no channels': [changed(22, 0, 0), '0 channels'],
    'an impossible rate': [changed(24, 1, 0, 0, 0), 'at 1 Hz'],
    'an unknown encoding': [changed(20, 2, 0), 'encoding 2'],
    'thirteen bits': [changed(34, 13, 0), '13-bit'],
    'a FLAC mark alone': [ascii('fLaC'), 'ends inside its header'],
    'a tag without audio': [ascii('ID3\x04\0\0\0\0\0\0'), 'The MP3 file holds no audio.'],
  };
  for (const [name, [bytes, words]] of Object.entries(files)) {
    test(`${name} is a clear error`, async () => {
      const failure = await transcribe(bytes).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'GatewayError', status: 400, code: 'field_invalid', param: 'file' });
      expect(String(failure)).toContain(words);
    });
  }

  test('and the next file is transcribed as before, its bytes still the caller’s', async () => {
    await transcribe(ascii('nothing')).catch(() => undefined);
    expect((await transcribe(wave)).segments?.length).toBe(1);
    expect(wave.length).toBeGreaterThan(6_000);
  });

  test('random bytes behind every known head: transcribed or refused, never anything else', async () => {
    let state = 1;
    const random = Uint8Array.from({ length: 3_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return state >>> 16;
    });
    const heads = [
      wave.subarray(0, 12),
      wave.subarray(0, 44),
      ascii('fLaC'),
      ascii('ID3\x04\0\0\0\0\x07\x01COMM'),
      ascii('\xff\xfb'),
    ];
    for (const head of heads) {
      for (let from = 0; from < 500; from += 25) {
        const failure = await transcribe(join([head, random.subarray(from)])).catch((error: unknown) => error);
        if (failure instanceof Error) expect(failure).toMatchObject({ code: 'field_invalid', param: 'file' });
        else expect((failure as { durationSeconds: number }).durationSeconds).toBeGreaterThan(0);
      }
    }
  });
});

test('the event loop keeps running while a large file is transcribed', async () => {
  const samples = sized(2_500_000, 12_500_000);
  const file = waveFile(new Float64Array(samples).fill(0.1), { rateHz: 16_000, bits: 16 });
  let turns = 0;
  const timer = setInterval(() => turns++, 2);
  const transcript = await transcribe(file);
  clearInterval(timer);
  expect(transcript.durationSeconds).toBeCloseTo(samples / 16_000, 2);
  expect(turns).toBeGreaterThan(0);
});
