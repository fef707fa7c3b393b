import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import type { TranscribeRequest } from '../../transcribe.ts';
import type { FormFile, WireReply } from '../../wire.ts';
import { assemblyaiTranscriptionProvider as wire } from './assemblyai-transcription.ts';

const file: FormFile = {
  field: 'file',
  filename: 'a.mp3',
  mediaType: 'audio/mpeg',
  bytes: 3,
  async *open() {
    yield Uint8Array.of(1, 2, 3);
  },
};
const asked: TranscribeRequest = {
  model: 'given',
  file,
  translate: false,
  format: 'json',
  granularities: [],
  stream: false,
};
const making = { nowMs: 0, newId: (prefix: string) => prefix };
const model = 'universal-3-5-pro';
const uploadPlace = 'https://api.assemblyai.com/v2/upload';
const transcriptPlace = 'https://api.assemblyai.com/v2/transcript';
const uploaded = { upload_url: 'https://cdn.assemblyai.com/upload/f1' };

function replied(tree: unknown, address?: string): WireReply {
  const reply = { contentType: 'application/json', tree, bytes: new Uint8Array() };
  return address === undefined ? reply : { ...reply, address };
}

/** What is posted once the file has an address. */
function ordered(request: Partial<TranscribeRequest>, named = model): unknown {
  return wire.later?.(replied(uploaded, uploadPlace), { ...asked, ...request }, named)?.body;
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
  return 'none';
}

describe('the upload', () => {
  test('is the file as bytes of no kind', async () => {
    const { value, losses } = wire.writeRequest({ ...asked, prompt: 'Ada.', temperature: 0.2 }, model);
    if (value.body.kind !== 'file') throw new Error('not a file');
    expect([value.body.file.mediaType, value.body.file.bytes, losses]).toEqual(['application/octet-stream', 3, []]);
    expect(await Array.fromAsync(value.body.file.open())).toEqual([Uint8Array.of(1, 2, 3)]);
  });

  test('reports what older models do not take', () => {
    const { losses } = wire.writeRequest({ ...asked, prompt: 'Ada.', temperature: 0.2 }, 'universal-2');
    expect(losses.map(({ what }) => what)).toEqual(['prompt', 'temperature']);
    expect(ordered({ prompt: 'Ada.', temperature: 0.2 }, 'universal-2')).not.toHaveProperty('prompt');
  });
});

describe('the order', () => {
  test('names the uploaded file and the model, and asks for the language', () => {
    const later = wire.later?.(replied(uploaded, uploadPlace), asked, model);
    expect(later).toEqual({
      url: transcriptPlace,
      afterMs: 0,
      body: { audio_url: uploaded.upload_url, speech_models: [model], language_detection: true },
    });
  });

  test('writes everything that the model takes', () => {
    expect(ordered({ language: 'en-US', prompt: 'Ada.', temperature: 0, speakers: true })).toEqual({
      audio_url: uploaded.upload_url,
      speech_models: [model],
      language_code: 'en_us',
      prompt: 'Ada.',
      temperature: 0,
      speaker_labels: true,
    });
    expect(ordered({}, 'best')).toMatchObject({ speech_model: 'best' });
  });
});

describe('polling', () => {
  const job = (status: string, more: object = {}) => ({ id: 't-1', status, text: null, ...more });
  const next = (tree: unknown, address = transcriptPlace) => wire.later?.(replied(tree, address), asked, model);

  test('asks at the place of the transcript until it is there', () => {
    const url = `${transcriptPlace}/t-1`;
    expect(next(job('queued'))).toEqual({ url, afterMs: 1_000 });
    expect(next(job('processing'), url)).toEqual({ url, afterMs: 1_000 });
    expect(next(job('completed', { text: 'Hi.' }), url)).toBeUndefined();
    expect(() => next({ ...job('queued'), id: '..' })).toThrow(GatewayError);
  });

  test('distinguishes an unusable file from a failure of the service', () => {
    const said = (error: string) => codeOf(() => next(job('error', { error })));
    expect(said('Transcoding failed. File does not appear to contain audio.')).toBe('upstream_refused');
    expect(said('Audio duration is too short.')).toBe('upstream_refused');
    expect(said('Internal error, please retry.')).toBe('upstream_failed');
    expect(codeOf(() => next(job('error')))).toBe('upstream_failed');
  });
});

describe('a transcript', () => {
  const done = {
    id: 't-1',
    status: 'completed',
    language_code: 'en',
    text: 'Hello, world. Yes.',
    audio_duration: 2,
    words: [
      { text: 'Hello,', start: 0, end: 400, confidence: 0.9 },
      { text: 'world.', start: 450, end: 1_000, confidence: 0.9 },
      { text: 'Yes.', start: 1_200, end: 1_900, confidence: 0.9 },
    ],
  };

  test('has times in seconds and its length from the file', () => {
    expect(wire.readReply(replied(done), asked, making).value).toEqual({
      text: 'Hello, world. Yes.',
      language: 'en',
      durationSeconds: 2,
      segments: [
        { text: 'Hello, world.', startSeconds: 0, endSeconds: 1 },
        { text: 'Yes.', startSeconds: 1.2, endSeconds: 1.9 },
      ],
      words: [
        { word: 'Hello,', startSeconds: 0, endSeconds: 0.4 },
        { word: 'world.', startSeconds: 0.45, endSeconds: 1 },
        { word: 'Yes.', startSeconds: 1.2, endSeconds: 1.9 },
      ],
      consumption: { seconds: 2 },
    });
    expect(wire.measure(done)).toEqual({ seconds: 2 });
    expect(wire.measure({})).toEqual({});
  });

  test('has its turns where speakers are distinguished', () => {
    const turns = [
      { speaker: 'A', text: 'Hello, world.', start: 0, end: 1_000, words: [] },
      { speaker: 'B', text: 'Yes.', start: 1_200, end: 1_900, words: [] },
    ];
    const { segments } = wire.readReply(replied({ ...done, utterances: turns }), asked, making).value;
    expect(segments?.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual(['A: Hello, world.', 'B: Yes.']);
  });

  test('of silence is empty', () => {
    const silent = { id: 't-1', status: 'completed', text: null, words: [], audio_duration: 5 };
    expect(wire.readReply(replied(silent), asked, making).value).toEqual({
      text: '',
      durationSeconds: 5,
      consumption: { seconds: 5 },
    });
  });
});
