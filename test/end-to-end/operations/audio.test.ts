/** Speech and transcription through the official library, the AI SDK and a browser: the transcript is the text. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateSpeech, transcribe } from 'ai';
import { BadRequestError } from 'openai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import type { TranscriptionCreateParamsNonStreaming } from 'openai/resources/audio/transcriptions';
import { launchBrowser, leaveBrowser } from '../../harness/browser.ts';
import { dataOf, errorOf } from '../../harness/chat.ts';
import { needing } from '../../harness/needs.ts';
import { failureOf, openaiOf, watchedFetch } from '../../harness/operation-clients.ts';
import { isFullSize, sized } from '../../harness/size.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const speakModel = 'sandbox-speak';
const transcribeModel = 'sandbox-transcribe';
const first = 'The river runs past the old mill.';
const sentence = `${first} It is seven miles long.`;
const browserTimeoutMs = 300_000;

let weir: RunningWeir;

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.remove();
});

const speak = (fields: Partial<SpeechCreateParams> = {}) =>
  openaiOf(weir).audio.speech.create({ model: speakModel, voice: 'alloy', input: sentence, ...fields });

async function spoken(fields: Partial<SpeechCreateParams> = {}): Promise<File> {
  const reply = await speak(fields);
  return new File([await reply.bytes()], `speech.${fields.response_format ?? 'mp3'}`);
}

interface Speech {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string | null;
}

const sentences = new Map<string, Promise<Speech>>();

/** The sentence in this format, made once. */
function sentenceIn(response_format: keyof typeof mediaTypes): Promise<Speech> {
  const make = async () => {
    const reply = await speak({ response_format });
    return { bytes: (await reply.bytes()) as Uint8Array<ArrayBuffer>, type: reply.headers.get('content-type') };
  };
  const known = sentences.get(response_format) ?? make();
  sentences.set(response_format, known);
  return known;
}

async function sentenceFile(format: keyof typeof mediaTypes): Promise<File> {
  return new File([(await sentenceIn(format)).bytes], `speech.${format}`);
}

const transcriptOf = (file: File, fields: Partial<TranscriptionCreateParamsNonStreaming> = {}) =>
  openaiOf(weir).audio.transcriptions.create({ model: transcribeModel, file, ...fields } as never) as Promise<{
    text: string;
    usage?: { type: string; seconds: number };
  }>;

const containers = ['wav', 'flac', 'mp3'] as const;
const mediaTypes = { mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac', pcm: 'audio/pcm' } as const;

describe('speech is transcribed to its text', () => {
  test.each(containers)('%s', async (response_format) => {
    expect((await transcriptOf(await sentenceFile(response_format))).text).toBe(sentence);
  });

  const texts = [
    'Naïve façades cost €5 — “really”? Ἐν ἀρχῇ, 水, 🙂.',
    'One.\nTwo.\n\nThree!',
    '42',
    `${'The stream is wide and slow. '.repeat(sized(2, 12))}End.`,
    '…',
  ];
  // In the usual size each text is in one container, and each container has a text.
  test.each(texts.map((text, index) => [text, index] as const))(
    '%s',
    async (input, index) => {
      for (const response_format of containers.filter((_, at) => isFullSize || at === index % containers.length)) {
        expect((await transcriptOf(await spoken({ input, response_format }))).text).toBe(input);
      }
    },
    300_000,
  );

  needing('chromium').test(
    'a browser plays every file, for the duration in the transcript',
    async () => {
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        for (const response_format of containers) {
          const file = await sentenceFile(response_format);
          const base64 = Buffer.from(await file.bytes()).toString('base64');
          const played = await page.evaluate(async (encoded) => {
            const bytes = Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0));
            const audioBuffer = await new OfflineAudioContext(1, 24_000, 24_000).decodeAudioData(bytes.buffer);
            const samples = audioBuffer.getChannelData(0);
            return {
              seconds: audioBuffer.duration,
              loudest: samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
            };
          }, base64);
          const transcript = (await transcriptOf(file, { response_format: 'verbose_json' })) as unknown as {
            duration: number;
          };
          expect(played.loudest).toBeGreaterThan(0.1);
          expect(played.seconds).toBeGreaterThan(2);
          expect(Math.abs(played.seconds - transcript.duration)).toBeLessThan(0.2);
        }
      } finally {
        await leaveBrowser(browser);
      }
    },
    browserTimeoutMs,
  );
});

describe('speech', () => {
  test.each(Object.entries(mediaTypes))('%s has its content type', async (format, type) => {
    const made = await sentenceIn(format as keyof typeof mediaTypes);
    expect(made.type).toBe(type);
    expect(made.bytes.length).toBeGreaterThan(10_000);
  });

  test('the default is MP3', async () => {
    const reply = await speak({ input: 'Yes.' });
    expect(reply.headers.get('content-type')).toBe('audio/mpeg');
  });

  test('PCM has the samples of the WAV file', async () => {
    const { bytes: samples } = await sentenceIn('pcm');
    const file = Buffer.from((await sentenceIn('wav')).bytes);
    expect(file.readUInt32LE(24)).toBe(24_000);
    const at = file.indexOf('data') + 8;
    expect(file.subarray(at, at + samples.length).equals(Buffer.from(samples))).toBe(true);
  });

  test('speed and voice change the audio, and the same request gives the same audio', async () => {
    const bytes = async (fields: Partial<SpeechCreateParams>) =>
      Buffer.from(await (await speak({ response_format: 'pcm', input: 'The river runs.', ...fields })).bytes());
    const [usual, again, fast, slow, other] = await Promise.all(
      [{}, {}, { speed: 2 }, { speed: 0.5 }, { voice: 'onyx' }].map(bytes),
    );
    expect(usual?.equals(again ?? Buffer.of())).toBe(true);
    expect((fast?.length ?? 0) * 1.5).toBeLessThan(usual?.length ?? 0);
    expect(slow?.length ?? 0).toBeGreaterThan((usual?.length ?? 0) * 1.5);
    expect(usual?.equals(other ?? Buffer.of())).toBe(false);
  });

  test.each([
    'alloy',
    'ash',
    'ballad',
    'coral',
    'echo',
    'fable',
    'nova',
    'onyx',
    'sage',
    'shimmer',
    'verse',
    'marin',
    'cedar',
  ])('the voice %s', async (voice) => {
    const reply = await speak({ voice, input: 'Yes.', instructions: 'Calmly.', response_format: 'pcm' });
    expect((await reply.bytes()).length).toBeGreaterThan(1_000);
  });

  test.each(
    isFullSize ? (['mp3', 'wav', 'flac', 'pcm'] as const) : (['mp3', 'pcm'] as const),
  )('as events: %s', async (response_format) => {
    const reply = await speak({ response_format, stream_format: 'sse' });
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    const events = dataOf(await reply.text()).map((data) => JSON.parse(data) as { type: string; audio?: string });
    expect(events.at(-1)?.type).toBe('speech.audio.done');
    const deltas = events.slice(0, -1);
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.every(({ type }) => type === 'speech.audio.delta')).toBe(true);
    const bytes = Buffer.concat(deltas.map(({ audio = '' }) => Buffer.from(audio, 'base64')));
    const bare = Buffer.from((await sentenceIn(response_format)).bytes);
    expect(bytes.equals(bare)).toBe(true);
  });

  test('it streams: the audio of many sentences comes in many pieces', async () => {
    const input = 'The stream is wide and slow. '.repeat(sized(7, 40)).trim();
    const reply = await speak({ input, response_format: 'pcm' });
    let pieces = 0;
    for await (const piece of reply.body ?? []) if (piece.length > 0) pieces++;
    expect(pieces).toBeGreaterThan(3);
  });

  test.each([
    ['input', 'absent', undefined],
    ['input', 'empty', ''],
    ['input', 'a number', 5],
    ['input', 'too long', 'a'.repeat(4_097)],
    ['voice', 'absent', undefined],
    ['voice', 'unknown', 'no-such-voice'],
    ['voice.id', 'absent', {}],
    ['response_format', 'unknown', 'ogg'],
    ['response_format', 'not written here', 'opus'],
    ['response_format', 'not written here either', 'aac'],
    ['speed', 'too slow', 0.2],
    ['speed', 'too fast', 4.1],
    ['speed', 'a text', '1'],
    ['stream_format', 'unknown', 'xml'],
    ['instructions', 'a number', 5],
    ['model', 'absent', undefined],
  ])('refused by the name of the field: %s, %s', async (param, _what, value) => {
    const error = await failureOf(speak({ [param.split('.')[0] ?? '']: value }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
  });
});

describe('transcription', () => {
  let file: File;
  beforeAll(async () => {
    file = await sentenceFile('wav');
  });

  test('json', async () => {
    for (const fields of [{}, { response_format: 'json' as const }]) {
      const reply = await transcriptOf(file, fields);
      expect(reply.text).toBe(sentence);
      expect(reply.usage).toEqual({ type: 'duration', seconds: 5 });
    }
  });

  test('text', async () => {
    const text: unknown = await transcriptOf(file, { response_format: 'text' });
    expect(text).toBe(sentence);
  });

  test('srt and vtt: one cue for each sentence', async () => {
    const srt = String(await transcriptOf(file, { response_format: 'srt' }));
    const cues = srt.trim().split('\n\n');
    expect(cues.map((cue) => cue.split('\n').slice(2).join(' '))).toEqual([first, 'It is seven miles long.']);
    for (const [index, cue] of cues.entries()) {
      const [number, times = ''] = cue.split('\n');
      expect(number).toBe(String(index + 1));
      expect(times).toMatch(/^\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}$/);
      const [start = '', end = ''] = times.split(' --> ');
      expect(start < end).toBe(true);
    }
    const vtt = String(await transcriptOf(file, { response_format: 'vtt' }));
    expect(vtt.split('\n')[0]).toBe('WEBVTT');
    expect(vtt.match(/\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}\n/g)).toHaveLength(2);
    expect(vtt).toContain(first);
  });

  test.each([
    [undefined, true, false],
    [['segment'], true, false],
    [['word'], false, true],
    [['word', 'segment'], true, true],
  ] as const)('verbose_json with %p', async (timestamp_granularities, hasSegments, hasWords) => {
    const reply = await openaiOf(weir).audio.transcriptions.create({
      model: transcribeModel,
      file,
      response_format: 'verbose_json',
      ...(timestamp_granularities && { timestamp_granularities: [...timestamp_granularities] }),
    });
    expect(reply).toMatchObject({ text: sentence, task: 'transcribe', language: 'english' });
    expect(Math.abs(reply.duration - 4.13)).toBeLessThan(0.5);
    expect(reply.segments !== undefined).toBe(hasSegments);
    expect(reply.words !== undefined).toBe(hasWords);
    if (hasSegments) expect(reply.segments?.map(({ id }) => id)).toEqual([0, 1]);
    if (hasWords) expect(reply.words?.map(({ word }) => word).join(' ')).toBe(sentence);
    for (const timed of [reply.segments ?? [], reply.words ?? []]) {
      timed.forEach(({ start, end }, index) => {
        expect(end).toBeGreaterThanOrEqual(start);
        expect(start).toBeGreaterThanOrEqual(timed[index - 1]?.end ?? 0);
        expect(end).toBeLessThanOrEqual(reply.duration);
      });
    }
  });

  test('speakers', async () => {
    const reply = (await transcriptOf(file, { response_format: 'diarized_json' as never })) as unknown as {
      segments: { speaker: string; text: string }[];
    };
    expect(reply.segments.map(({ text }) => text)).toEqual([first, 'It is seven miles long.']);
    expect(reply.segments.every(({ speaker }) => speaker === 'A')).toBe(true);
  });

  test('streamed: the deltas are the text', async () => {
    const stream = await openaiOf(weir).audio.transcriptions.create({ model: transcribeModel, file, stream: true });
    let text = '';
    let done: string | undefined;
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') text += event.delta;
      if (event.type === 'transcript.text.done') done = event.text;
    }
    expect(text).toBe(sentence);
    expect(done).toBe(sentence);
  });

  test('language, prompt and temperature are accepted', async () => {
    const reply = await openaiOf(weir).audio.transcriptions.create({
      model: transcribeModel,
      file,
      language: 'de',
      prompt: 'A river.',
      temperature: 0.4,
      response_format: 'verbose_json',
    });
    expect(reply.language).toBe('de');
    expect(reply.segments?.[0]?.temperature).toBe(0.4);
  });

  test('the order of the parts and the name of the file do not matter', async () => {
    for (const filename of ['speech.wav', '../../etc/passwd', 'ünï "quoted".wav', 'x', 'a\\b.wav']) {
      const form = new FormData();
      form.set('file', new File([await file.bytes()], filename), filename);
      form.set('response_format', 'text');
      form.set('model', transcribeModel);
      const reply = await fetch(`${weir.base}/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${weir.token}` },
        body: form,
      });
      expect(await reply.text()).toBe(sentence);
    }
  });

  test('audio without its embedded text is transcribed to other text', async () => {
    const bytes = Buffer.from(await file.bytes());
    // The comment chunk becomes an unknown one, which is not read.
    bytes.write('JUNK', bytes.indexOf('LIST'));
    const reply = await transcriptOf(new File([bytes], 'a.wav'), { response_format: 'verbose_json' });
    expect(reply.text).not.toContain('river');
    expect(reply.text.length).toBeGreaterThan(0);
    const { segments, duration } = reply as unknown as { segments: { start: number; end: number }[]; duration: number };
    expect(segments.length).toBeGreaterThan(0);
    expect(Math.abs(duration - 4.13)).toBeLessThan(0.5);
  });

  test('translation answers in every format', async () => {
    const translate = (fields: object = {}) =>
      openaiOf(weir).audio.translations.create({ model: transcribeModel, file, ...fields }) as Promise<unknown>;
    expect(await translate()).toMatchObject({ text: sentence });
    expect(await translate({ response_format: 'text' })).toBe(sentence);
    expect(String(await translate({ response_format: 'srt' }))).toContain('00:00:0');
    expect(String(await translate({ response_format: 'vtt' }))).toStartWith('WEBVTT');
    expect(await translate({ response_format: 'verbose_json', prompt: 'a', temperature: 0.1 })).toMatchObject({
      task: 'translate',
      language: 'english',
      text: sentence,
    });
  });

  test.each([
    ['model', { model: '' }],
    ['response_format', { response_format: 'xml' }],
    ['temperature', { temperature: 3 }],
    ['timestamp_granularities[]', { response_format: 'verbose_json', timestamp_granularities: ['letter'] }],
    ['file', { file: new File([], 'a.wav') }],
    ['file', { file: new File(['not audio'], 'a.wav') }],
    ['file', { file: new File(['OggS and more'], 'a.ogg') }],
  ])('refused by the name of the field: %s', async (param, fields) => {
    const error = await failureOf(transcriptOf(file, fields as never));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
  });

  test('a form without its file, and JSON instead of a form', async () => {
    const send = (init: RequestInit) =>
      fetch(`${weir.base}/audio/transcriptions`, {
        method: 'POST',
        ...init,
        headers: { authorization: `Bearer ${weir.token}`, ...init.headers },
      });
    const form = new FormData();
    form.set('model', transcribeModel);
    const without = await send({ body: form });
    expect(without.status).toBe(400);
    expect((await errorOf(without)).param).toBe('file');
    const json = await send({ body: '{}', headers: { 'content-type': 'application/json' } });
    expect(json.status).toBe(415);
    await errorOf(json);
  });

  test('a truncated file is refused or transcribed in part, never a server error', async () => {
    for (const response_format of containers) {
      const whole = (await sentenceIn(response_format)).bytes;
      for (const share of [0.001, 0.01, 0.3, 0.9]) {
        const part = whole.slice(0, Math.max(1, Math.floor(whole.length * share)));
        const form = new FormData();
        form.set('model', transcribeModel);
        form.set('file', new File([part], `a.${response_format}`));
        const reply = await fetch(`${weir.base}/audio/transcriptions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${weir.token}` },
          body: form,
        });
        expect([200, 400]).toContain(reply.status);
        if (reply.status === 400) expect((await errorOf(reply)).param).toBe('file');
      }
    }
  });
});

describe('AI SDK', () => {
  const provider = () => createOpenAI({ apiKey: weir.token, baseURL: weir.base, fetch: watchedFetch as typeof fetch });

  test('speakModel and transcribes', async () => {
    for (const outputFormat of isFullSize ? containers : (['flac'] as const)) {
      const { audio } = await generateSpeech({
        model: provider().speech(speakModel),
        text: sentence,
        voice: 'nova',
        outputFormat,
        speed: 1.2,
        maxRetries: 0,
      });
      expect(audio.uint8Array.length).toBeGreaterThan(10_000);
      const transcript = await transcribe({
        model: provider().transcription(transcribeModel),
        audio: audio.uint8Array,
        maxRetries: 0,
      });
      expect(transcript.text).toBe(sentence);
    }
  });

  test('timestamps are returned on request', async () => {
    const { bytes: audio } = await sentenceIn('wav');
    const transcript = await transcribe({
      model: provider().transcription(transcribeModel),
      audio,
      maxRetries: 0,
      providerOptions: { openai: { responseFormat: 'verbose_json', timestampGranularities: ['segment', 'word'] } },
    });
    expect(transcript.segments.map(({ text }) => text)).toEqual([first, 'It is seven miles long.']);
    expect(transcript.durationInSeconds).toBeGreaterThan(3);
    expect(transcript.language).toBe('en');
  });
});
