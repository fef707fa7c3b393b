/** Speech in every voice and container: a valid file of the right length, whose transcription is the text. */

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Buffer } from 'node:buffer';
import { isFullSize, sized } from '../../../test/harness/size.ts';
import type { SpeechFormat } from '../../operations/speak.ts';
import { splitForSpeech, splitSentences, toSpeakable } from './sentences.ts';
import { createSpeaker, type SpeechRequest } from './speak.ts';
import { createTranscriber } from './transcribe.ts';

// Speech takes a tenth of its length on a free processor, and tests share theirs.
setDefaultTimeout(300_000);

const speaker = createSpeaker();
const transcriber = createTranscriber();
afterAll(() => {
  speaker.stop();
  transcriber.stop();
});

interface Spoken {
  readonly bytes: Buffer;
  readonly pieces: number;
  readonly seconds: number;
  readonly mediaType: string;
}

async function speak(text: string, rest: Partial<SpeechRequest> = {}): Promise<Spoken> {
  const speech = await speaker.speak({ text, voice: 'slt', format: 'wav', ...rest });
  const pieces: Uint8Array[] = [];
  for await (const piece of speech.pieces) pieces.push(piece);
  return {
    bytes: Buffer.concat(pieces),
    pieces: pieces.length,
    seconds: speech.seconds(),
    mediaType: speech.mediaType,
  };
}

const refusal = (request: Partial<SpeechRequest>): Promise<unknown> =>
  speak('Hello.', request).catch((error: unknown) => error);

const transcribe = (bytes: Uint8Array) =>
  transcriber.transcribe(bytes, { translate: false, format: 'verbose_json', granularities: ['segment', 'word'] });

const sentences = [
  'Weir measures the stream.',
  'Dr. Smith paid $5.50 on May 3rd! Did he?',
  'Naïve “quotes” – emoji 🎵; Ελληνικά.',
];

describe('a spoken sentence is transcribed as it was', () => {
  for (const [row, format] of (['wav', 'flac', 'mp3'] as const).entries()) {
    for (const [index, voice] of ['rms', 'awb', 'slt'].entries()) {
      // Usually each container with one of the voices, and each voice once.
      if (row !== index && !isFullSize) continue;
      test(`${format} by ${voice}`, async () => {
        const sentence = sentences[index] ?? '';
        const { bytes, seconds } = await speak(sentence, { voice, format });
        const transcript = await transcribe(bytes);
        expect(transcript.text).toBe(sentence);
        expect(transcript.segments?.map(({ text }) => text).join(' ')).toBe(sentence);
        expect(transcript.words?.map(({ word }) => word).join(' ')).toBe(sentence);
        // An MP3 begins and ends with what its filters need.
        expect(Math.abs((transcript.durationSeconds ?? 0) - seconds)).toBeLessThan(format === 'mp3' ? 0.15 : 0.001);
        expect(seconds).toBeGreaterThan(sentence.length / 40);
        expect(seconds).toBeLessThan(sentence.length / 5);
      });
    }
  }

  test('the intervals of audio fill most of the file, with its sentences on them', async () => {
    const text = 'The first sentence. The second follows.';
    const transcript = await transcribe((await speak(text)).bytes);
    const [first, second] = transcript.segments ?? [];
    expect(transcript.segments?.length).toBe(2);
    expect(first?.startSeconds).toBeGreaterThan(0.05);
    expect((second?.startSeconds ?? 0) - (first?.endSeconds ?? 0)).toBeGreaterThan(0.15);
    expect(second?.endSeconds).toBeGreaterThan((transcript.durationSeconds ?? 0) - 0.5);
  });
});

describe('containers', () => {
  const text = 'They hold the same.';
  const [raw, wave] = [speak(text, { format: 'pcm' }), speak(text)];

  test('wav: sizes in the header are exact, 24 kHz, 16 bits, mono', async () => {
    const { bytes, seconds, mediaType } = await wave;
    expect(mediaType).toBe('audio/wav');
    expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect([1, 1, 24_000, 48_000, 2, 16]).toEqual([
      bytes.readUInt16LE(20),
      bytes.readUInt16LE(22),
      bytes.readUInt32LE(24),
      bytes.readUInt32LE(28),
      bytes.readUInt16LE(32),
      bytes.readUInt16LE(34),
    ]);
    const data = bytes.indexOf('data', 36, 'latin1');
    expect(bytes.readUInt32LE(data + 4)).toBe(bytes.length - data - 8);
    expect(bytes.readUInt32LE(data + 4)).toBe(Math.round(seconds * 48_000));
    expect(bytes.includes(`ICMT\x14\0\0\0${text}\0`, 0, 'latin1')).toBe(true);
  });

  test('pcm: two bytes for each of 24,000 samples a second and nothing else', async () => {
    const { bytes, seconds, mediaType } = await raw;
    expect(mediaType).toBe('audio/pcm');
    expect(bytes.length).toBe(Math.round(seconds * 48_000));
    expect((await wave).bytes.subarray(-bytes.length).equals(bytes)).toBe(true);
  });

  test('flac: the same samples, uncompressed, with their number in the header', async () => {
    const [{ bytes: samplesOfRaw }, flac] = [await raw, await speak(text, { format: 'flac' })];
    expect(flac.bytes.toString('latin1', 0, 4)).toBe('fLaC');
    expect(flac.bytes.readUInt32BE(22)).toBe(samplesOfRaw.length / 2);
    expect(flac.bytes.includes(`COMMENT=${text}`)).toBe(true);
    // The first frame: six bytes of header, one of its check sum, one for the kind of subframe.
    const frame = flac.bytes.indexOf(Uint8Array.of(0xff, 0xf8, 0xc7, 0x08, 0x00));
    const samples = Buffer.from(flac.bytes.subarray(frame + 7, frame + 7 + 8_192)).swap16();
    expect(samples.equals(samplesOfRaw.subarray(0, 8_192))).toBe(true);
  });

  test('mp3: a tag, then frame upon frame to the last byte', async () => {
    const { bytes, mediaType } = await speak(text, { format: 'mp3' });
    expect(mediaType).toBe('audio/mpeg');
    expect(bytes.toString('latin1', 0, 4)).toBe('ID3\x04');
    let at = 10 + (bytes.readUInt8(8) << 7) + bytes.readUInt8(9);
    let frames = 0;
    for (; at < bytes.length; frames++) {
      // MPEG 2, layer III, no check sum; 64 kbit/s at 24 kHz.
      expect(bytes.readUInt16BE(at)).toBe(0xfff3);
      expect(bytes.readUInt8(at + 2) & 0xfc).toBe(0x84);
      at += 192;
    }
    expect(at).toBe(bytes.length);
    expect(frames).toBeGreaterThan(25);
  });

  test('what is not written is named, beside what is', async () => {
    for (const format of ['opus', 'aac'] satisfies SpeechFormat[]) {
      expect(await refusal({ format })).toMatchObject({
        status: 400,
        param: 'response_format',
        message: `The sandbox writes mp3, wav, flac, pcm, but not ${format}.`,
      });
    }
  });
});

describe('voices and speed', () => {
  test('every familiar name speaks, in one of three voices', async () => {
    const names = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse Alloy'.split(' ');
    const voices = new Set<string>();
    // What is spoken quickly takes little time.
    for (const voice of names) {
      voices.add((await speak('Yes.', { voice, format: 'pcm', speed: 4 })).bytes.toString('hex'));
    }
    expect(voices.size).toBe(3);
  });

  test('unknown voices are refused by name', async () => {
    for (const voice of ['nobody', '', 'constructor', '__proto__']) {
      expect(await refusal({ voice })).toMatchObject({ status: 400, code: 'field_invalid', param: 'voice' });
    }
    expect(String(await refusal({ voice: 'nobody' }))).toContain("no voice 'nobody'. It has rms, awb, slt, alloy");
  });

  test('the tempo follows the speed', async () => {
    const text = 'Spoken slowly and quickly.';
    const { seconds } = await speak(text);
    for (const speed of sized([0.5, 4], [0.25, 0.5, 2, 4])) {
      const changed = await speak(text, { speed });
      expect(changed.seconds * speed).toBeGreaterThan(seconds * 0.85);
      expect(changed.seconds * speed).toBeLessThan(seconds * 1.15);
    }
  });

  test('a speed outside its bounds is refused', async () => {
    for (const speed of [0.249, 4.001, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(await refusal({ speed })).toMatchObject({ status: 400, param: 'speed' });
    }
  });

  test('the same request gives the same bytes', async () => {
    const again = () => speak('Again.', { format: 'mp3', speed: 4 });
    expect((await again()).bytes.equals((await again()).bytes)).toBe(true);
  });
});

describe('odd texts', () => {
  const odd = [
    '',
    ' ',
    '...',
    '你好世界',
    '🎵🎵',
    '\u0000\u0001\u001b[2J',
    '\ud800 half',
    '-o /etc/passwd',
    '%s%n $(x) `y`',
    '<speak>a</speak>',
  ];
  for (const text of odd) {
    test(`${JSON.stringify(text)} is short audio, never a crash`, async () => {
      const { bytes, seconds } = await speak(text, { speed: 4 });
      expect(seconds).toBeGreaterThan(0.02);
      expect(seconds).toBeLessThan(10);
      expect((await transcribe(bytes)).durationSeconds).toBeCloseTo(seconds, 3);
    });
  }

  test('unbroken runs of letters and digits end in time', async () => {
    for (const text of ['a'.repeat(sized(100, 1_000)), '7'.repeat(sized(20, 60)), `${'x1'.repeat(sized(10, 30))}!`]) {
      expect((await speak(text, { speed: 4 })).seconds).toBeGreaterThan(0.5);
    }
  });
});

describe('long texts', () => {
  // 30 sentences last longer than a minute, which is more than a WAV header is held back for.
  const sentences = sized(2, 30);
  const text = 'Every sentence becomes a piece of its own. '.repeat(sentences).trim();

  test('leave as a whole within a minute and in pieces beyond it, and the transcript is the text', async () => {
    const { bytes, pieces, seconds } = await speak(text);
    // A header with the true length needs the whole; beyond a minute the length stays open, and pieces leave at once.
    expect([pieces > 1, bytes.readUInt32LE(4) === 0xffff_ffff]).toEqual([seconds > 60, seconds > 60]);
    const transcript = await transcribe(bytes);
    expect(transcript.text).toBe(text);
    expect(transcript.durationSeconds).toBeCloseTo(seconds, 3);
    expect(transcript.segments?.length).toBe(sentences);
  });

  test('the first piece comes long before the last', async () => {
    const { pieces } = await speaker.speak({ text, voice: 'slt', format: 'mp3' });
    const first = await pieces.next();
    expect(first.value?.length).toBeGreaterThan(1_000);
    expect(first.value?.length).toBeLessThan(60_000);
    await pieces.return();
    expect((await pieces.next()).done).toBe(true);
  });

  test('the event loop keeps running', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await speak(text.slice(0, 40), { format: 'mp3', speed: 4 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  test('two at once do not mix', async () => {
    const texts = ['Here are more words.', 'A second.'];
    const quickly = (text: string) => speak(text, { speed: 4 });
    const alone = [await quickly(texts[0] ?? ''), await quickly(texts[1] ?? '')];
    const together = await Promise.all(texts.map(quickly));
    expect(together.map(({ bytes }, index) => bytes.equals(alone[index]?.bytes ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
    ]);
  });

  test('stopping ends a speech with an error, and the next one starts again', async () => {
    const other = createSpeaker();
    const { pieces } = await other.speak({ text, voice: 'slt', format: 'pcm' });
    await pieces.next();
    const next = pieces.next().catch((error: unknown) => error);
    other.stop();
    expect(await next).toMatchObject({ code: 'shutting_down' });
    const again = await other.speak({ text: 'Again.', voice: 'slt', format: 'pcm' });
    expect((await again.pieces.next()).value?.length).toBeGreaterThan(1_000);
    other.stop();
  });
});

describe('where a text is cut', () => {
  test('after sentences, not after abbreviations and numbers', () => {
    expect(
      splitSentences('Dr. No met J. Smith at 3.14 p.m. today. Really?! “Yes.” e.g. this\nA line… 好。是。'),
    ).toEqual([
      'Dr. No met J. Smith at 3.14 p.m. today.',
      'Really?!',
      '“Yes.”',
      'e.g. this',
      'A line…',
      '好。',
      '是。',
    ]);
  });

  test('pieces keep every word, and none is too long', () => {
    const text = `Hi. ${'word, '.repeat(200)}end. ${'z'.repeat(700)}`;
    const pieces = splitForSpeech(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(240);
    expect(pieces.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    expect(splitForSpeech('')).toEqual(['']);
  });

  test('letters beyond ASCII become ones that the engine reads', () => {
    expect(toSpeakable('Café – “naïve” ﬁsh… 你好 Straße')).toBe('Cafe ,  "naive" fish...   Strasse');
  });
});
