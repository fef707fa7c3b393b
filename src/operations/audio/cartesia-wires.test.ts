import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { SpeakRequest } from '../speak.ts';
import type { TranscribeRequest } from '../transcribe.ts';
import type { FormFile, WireReply } from '../wire.ts';
import { cartesiaSpeechProvider as speech } from './wires/cartesia-speech.ts';
import { cartesiaTranscriptionProvider as transcription } from './wires/cartesia-transcription.ts';

const making = { nowMs: 0, newId: (prefix: string) => prefix };
const voice = '694f9389-aac1-45b6-b726-9d9369183238';
const spoken: SpeakRequest = { model: 'given', input: 'Grüße 𝄞', voice, format: 'wav', framing: 'audio' };

function sent(request: Partial<SpeakRequest>) {
  const { value, losses } = speech.writeRequest({ ...spoken, ...request }, 'sonic-3.5');
  return { tree: value.body.kind === 'json' ? value.body.tree : {}, lost: losses.map(({ what }) => what) };
}

describe('cartesia-speech', () => {
  test('writes everything in one object', () => {
    expect(sent({ speed: 1.2 })).toEqual({
      tree: {
        model_id: 'sonic-3.5',
        transcript: 'Grüße 𝄞',
        voice: { mode: 'id', id: voice },
        output_format: { container: 'wav', encoding: 'pcm_s16le', sample_rate: 24_000 },
        generation_config: { speed: 1.2 },
      },
      lost: [],
    });
  });

  test('names each format as the service does', () => {
    const formatOf = (format: SpeakRequest['format']) => sent({ format }).tree['output_format'];
    const raw = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 };
    expect(formatOf('mp3')).toEqual({ container: 'mp3', bit_rate: 128_000, sample_rate: 44_100 });
    expect([formatOf('pcm'), formatOf('flac')]).toEqual([raw, raw]);
    for (const format of ['opus', 'aac'] as const) expect(() => sent({ format })).toThrow(GatewayError);
  });

  test('reports options that it does not support', () => {
    const { tree, lost } = sent({ speed: 3, instructions: 'softly' });
    expect([tree['generation_config'], lost]).toEqual([{ speed: 1.5 }, ['instructions', 'speed']]);
    expect(sent({ speed: 1 }).tree).not.toHaveProperty('generation_config');
  });

  test('is billed by the character, and flac is made of samples', () => {
    const reply: WireReply = { contentType: 'audio/pcm', tree: undefined, bytes: Uint8Array.of(1, 0, 2, 0) };
    expect(speech.readReply(reply, { ...spoken, format: 'pcm' }, making).value).toMatchObject({
      mediaType: 'audio/pcm',
      consumption: { characters: 7 },
    });
    expect(speech.readReply(reply, { ...spoken, format: 'flac' }, making).value.samples).toMatchObject({
      samplesPerSecond: 24_000,
    });
    expect(speech.passesBytes?.('audio/pcm', { ...spoken, format: 'flac' })).toBe(false);
    expect(speech.passesBytes?.('audio/mpeg', { ...spoken, format: 'mp3' })).toBe(true);
    const broken: WireReply = { contentType: 'application/json', tree: {}, bytes: new Uint8Array() };
    expect(() => speech.readReply(broken, spoken, making)).toThrow(SyntaxError);
  });
});

const file: FormFile = {
  field: 'file',
  filename: 'a.wav',
  mediaType: 'audio/wav',
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

describe('cartesia-transcription', () => {
  const fieldsOf = (request: Partial<TranscribeRequest>) => {
    const { value, losses } = transcription.writeRequest({ ...asked, ...request }, 'ink-whisper');
    const fields = value.body.kind === 'form' ? value.body.fields : [];
    return {
      fields: fields.map((field) => [field.name, typeof field.value === 'string' ? field.value : '(file)']),
      lost: losses.map(({ what }) => what),
    };
  };

  test('a form with the file, and words with their times', () => {
    expect(fieldsOf({ language: 'de' })).toEqual({
      fields: [
        ['model', 'ink-whisper'],
        ['language', 'de'],
        ['timestamp_granularities[]', 'word'],
        ['file', '(file)'],
      ],
      lost: [],
    });
    expect(fieldsOf({ prompt: 'Ada.', temperature: 0, speakers: true }).lost).toEqual([
      'prompt',
      'temperature',
      'response_format',
    ]);
  });

  test('a reply whose words become segments', () => {
    const tree = {
      type: 'transcript',
      request_id: 'r-1',
      text: 'Hello, world. Yes.',
      language: 'en',
      duration: 2.5,
      words: [
        { word: 'Hello,', start: 0, end: 0.4 },
        { word: 'world.', start: 0.5, end: 1 },
        { word: 'Yes.', start: 1.1, end: 1.5 },
      ],
    };
    const reply: WireReply = { contentType: 'application/json', tree, bytes: new Uint8Array() };
    const { value } = transcription.readReply(reply, asked, making);
    expect(value).toMatchObject({ text: 'Hello, world. Yes.', language: 'en', durationSeconds: 2.5 });
    expect(value.segments?.map(({ text }) => text)).toEqual(['Hello, world.', 'Yes.']);
    expect(value.words?.length).toBe(3);
    expect([value.consumption, transcription.measure(tree)]).toEqual([{ seconds: 2.5 }, { seconds: 2.5 }]);
  });
});
