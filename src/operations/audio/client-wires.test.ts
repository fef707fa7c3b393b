import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { FormField, FormFile, WireBody } from '../wire.ts';
import { openaiSpeechClient } from './wires/openai-speech.ts';
import { openaiTranscriptionsClient, openaiTranslationsClient } from './wires/openai-transcriptions.ts';

const json = (tree: unknown): WireBody => ({ kind: 'json', tree: tree as Tree });
const audio = (bytes = 7_500): FormFile => ({
  field: 'file',
  filename: 'a.mp3',
  mediaType: 'audio/mpeg',
  bytes,
  async *open() {
    yield new Uint8Array(bytes);
  },
});
const form = (...fields: (readonly [string, FormField['value']])[]): WireBody => ({
  kind: 'form',
  fields: fields.map(([name, value]) => ({ name, value })),
});
const speech = { model: 'tts-1', input: 'Hello.', voice: 'alloy' };
const recording: readonly (readonly [string, FormField['value']])[] = [
  ['file', audio()],
  ['model', 'whisper-1'],
];

function refusal(run: () => unknown): [string, string, number] {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param, error.status];
    throw error;
  }
  return ['nothing', '', 200];
}

describe('speech', () => {
  const refusals: [string, unknown, string, string][] = [
    ['an array', [], 'json_malformed', ''],
    ['no model', { ...speech, model: undefined }, 'field_missing', 'model'],
    ['an empty model', { ...speech, model: '' }, 'field_invalid', 'model'],
    ['no input', { ...speech, input: undefined }, 'field_missing', 'input'],
    ['an empty input', { ...speech, input: '' }, 'field_invalid', 'input'],
    ['an input of another type', { ...speech, input: ['a'] }, 'field_invalid', 'input'],
    ['an input too long by one', { ...speech, input: 'a'.repeat(4_097) }, 'field_invalid', 'input'],
    ['an input too long in pairs', { ...speech, input: '𝄞'.repeat(4_097) }, 'field_invalid', 'input'],
    ['a huge input', { ...speech, input: 'a'.repeat(1_000_000) }, 'field_invalid', 'input'],
    ['no voice', { ...speech, voice: null }, 'field_missing', 'voice'],
    ['an empty voice', { ...speech, voice: '' }, 'field_invalid', 'voice'],
    ['a voice of another type', { ...speech, voice: 3 }, 'field_invalid', 'voice'],
    ['a voice without its id', { ...speech, voice: {} }, 'field_missing', 'voice.id'],
    ['a voice with an empty id', { ...speech, voice: { id: '' } }, 'field_invalid', 'voice.id'],
    ['instructions of another type', { ...speech, instructions: 1 }, 'field_invalid', 'instructions'],
    ['instructions too long', { ...speech, instructions: 'a'.repeat(4_097) }, 'field_invalid', 'instructions'],
    ['an unknown format', { ...speech, response_format: 'ogg' }, 'field_invalid', 'response_format'],
    ['a speed too low', { ...speech, speed: 0.24 }, 'field_invalid', 'speed'],
    ['a speed too high', { ...speech, speed: 4.01 }, 'field_invalid', 'speed'],
    ['a speed that is no number', { ...speech, speed: '1' }, 'field_invalid', 'speed'],
    ['an unknown framing', { ...speech, stream_format: 'ndjson' }, 'field_invalid', 'stream_format'],
  ];
  for (const [name, tree, code, param] of refusals) {
    test(`${name} is refused by its name`, () => {
      expect(refusal(() => openaiSpeechClient.check(json(tree), 10))).toEqual([code, param, 400]);
    });
  }

  test('a form is the wrong kind of body', () => {
    const [code, , status] = refusal(() => openaiSpeechClient.check(form(...recording), 10));
    expect([code, status]).toEqual(['content_type_unsupported', 415]);
  });

  test('characters are counted as such, at the edge of what is allowed too', () => {
    const facts = openaiSpeechClient.check(json({ ...speech, input: '𝄞'.repeat(4_096) }), 10);
    expect(facts).toMatchObject({ model: 'tts-1', stream: false, most: { characters: 4_096 } });
    expect(facts.most.tokens).toEqual({ input: { total: 16_384 }, output: { total: 57_344, audio: 57_344 } });
    for (const speed of [0.25, 4]) expect(openaiSpeechClient.check(json({ ...speech, speed }), 1).model).toBe('tts-1');
  });

  test('every field is read, and unknown ones are kept beside it', () => {
    const tree = {
      ...speech,
      voice: { id: 'voice_1' },
      instructions: 'Calmly.',
      response_format: 'wav',
      speed: 1.5,
      stream_format: 'sse',
      lang_code: 'en',
    };
    expect(openaiSpeechClient.check(json(tree), 10).stream).toBe(true);
    expect(openaiSpeechClient.readRequest(json(tree))).toEqual({
      value: {
        model: 'tts-1',
        input: 'Hello.',
        voice: 'voice_1',
        customVoice: true,
        instructions: 'Calmly.',
        format: 'wav',
        speed: 1.5,
        framing: 'sse',
        extras: { format: 'openai-speech', fields: { lang_code: 'en' } },
      },
      losses: [],
    });
    expect(openaiSpeechClient.readRequest(json(speech)).value).toMatchObject({ format: 'mp3', framing: 'audio' });
  });
});

describe('transcription', () => {
  const file = audio();
  const more = (...fields: (readonly [string, FormField['value']])[]): WireBody => form(...recording, ...fields);
  const refusals: [string, WireBody, string, string][] = [
    ['no file', form(['model', 'm']), 'field_missing', 'file'],
    ['a file that is text', form(['file', 'x'], ['model', 'm']), 'field_invalid', 'file'],
    ['two files', more(['file', file]), 'field_invalid', 'file'],
    ['an empty file', form(['file', audio(0)], ['model', 'm']), 'field_invalid', 'file'],
    ['no model', form(['file', file]), 'field_missing', 'model'],
    ['an empty model', form(['file', file], ['model', '']), 'field_invalid', 'model'],
    ['two models', more(['model', 'other']), 'field_invalid', 'model'],
    ['a model that is a file', form(['file', file], ['model', file]), 'field_invalid', 'model'],
    ['an unknown format', more(['response_format', 'xml']), 'field_invalid', 'response_format'],
    ['a temperature above one', more(['temperature', '1.1']), 'field_invalid', 'temperature'],
    ['a negative temperature', more(['temperature', '-0.1']), 'field_invalid', 'temperature'],
    ['a temperature of no digits', more(['temperature', '']), 'field_invalid', 'temperature'],
    ['a temperature in words', more(['temperature', 'Infinity']), 'field_invalid', 'temperature'],
    ['a temperature in hexadecimal', more(['temperature', '0x1']), 'field_invalid', 'temperature'],
    ['a language that is a file', more(['language', file]), 'field_invalid', 'language'],
    ['two prompts', more(['prompt', 'a'], ['prompt', 'b']), 'field_invalid', 'prompt'],
    ['a stream of another word', more(['stream', 'yes']), 'field_invalid', 'stream'],
    [
      'an unknown granularity',
      more(['timestamp_granularities[]', 'letter']),
      'field_invalid',
      'timestamp_granularities[]',
    ],
    ['an empty inclusion', more(['include[]', '']), 'field_invalid', 'include[]'],
    ['an inclusion that is a file', more(['include[]', file]), 'field_invalid', 'include[]'],
    ['a strategy of another word', more(['chunking_strategy', 'none']), 'field_invalid', 'chunking_strategy'],
    ['a strategy that is a list', more(['chunking_strategy', '[1]']), 'field_invalid', 'chunking_strategy'],
  ];
  for (const [name, body, code, param] of refusals) {
    test(`${name} is refused by its name`, () => {
      expect(refusal(() => openaiTranscriptionsClient.check(body, 10))).toEqual([code, param, 400]);
    });
  }

  test('translations refuse what only transcriptions can be asked for', () => {
    const speakers = more(['response_format', 'diarized_json']);
    expect(refusal(() => openaiTranslationsClient.check(speakers, 1))[1]).toBe('response_format');
    expect(refusal(() => openaiTranscriptionsClient.check(speakers, 1))[0]).toBe('nothing');
  });

  test('JSON is the wrong kind of body', () => {
    const [code, , status] = refusal(() => openaiTranscriptionsClient.check(json({}), 10));
    expect([code, status]).toEqual(['content_type_unsupported', 415]);
  });

  test('the bytes of the file bound its seconds, whatever its name claims', () => {
    const body = form(['file', { ...audio(7_501), filename: 'a.wav', mediaType: 'audio/wav' }], ['model', 'm']);
    const tokens = { input: { total: 352, audio: 352 }, output: { total: 88 } };
    expect(openaiTranscriptionsClient.check(body, 10)).toEqual({
      model: 'm',
      stream: false,
      most: { seconds: 11, tokens },
    });
  });

  test('every field is read, the model after the file too', () => {
    const body = form(
      ['file', file],
      ['language', 'en'],
      ['prompt', 'Names: Ada.'],
      ['response_format', 'verbose_json'],
      ['temperature', '0.2'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['include[]', 'logprobs'],
      ['chunking_strategy', '{"type":"server_vad"}'],
      ['stream', 'True'],
      ['model', 'gpt-4o-transcribe'],
    );
    expect(openaiTranscriptionsClient.check(body, 10)).toMatchObject({ model: 'gpt-4o-transcribe', stream: true });
    const { value } = openaiTranscriptionsClient.readRequest(body);
    expect(value).toEqual({
      model: 'gpt-4o-transcribe',
      file,
      translate: false,
      language: 'en',
      prompt: 'Names: Ada.',
      format: 'verbose_json',
      temperature: 0.2,
      granularities: ['word', 'segment'],
      stream: true,
      extras: {
        format: 'openai-transcriptions',
        fields: { 'include[]': ['logprobs'], chunking_strategy: ['{"type":"server_vad"}'] },
      },
    });
  });

  test('a list is understood without its brackets, and no field is dropped for having them', () => {
    const { value } = openaiTranscriptionsClient.readRequest(
      more(['timestamp_granularities', 'word'], ['language[]', 'en'], ['__proto__', 'x']),
    );
    expect(value.granularities).toEqual(['word']);
    expect(Object.entries(value.extras?.fields ?? {})).toEqual([
      ['language[]', ['en']],
      ['__proto__', ['x']],
    ]);
    expect(({} as Tree)['x']).toBeUndefined();
  });

  test('speakers are asked for by a form of reply of their own', () => {
    const { value } = openaiTranscriptionsClient.readRequest(more(['response_format', 'diarized_json']));
    expect(value).toMatchObject({ format: 'json', speakers: true });
    expect(value.extras).toBeUndefined();
  });

  test('a translation has no language to name and no stream', () => {
    const { value } = openaiTranslationsClient.readRequest(more(['language', 'de'], ['stream', 'true']));
    expect(value).toMatchObject({ translate: true, stream: false, granularities: [] });
    expect(value.language).toBeUndefined();
    expect(value.extras?.fields).toEqual({ language: ['de'], stream: ['true'] });
  });
});

test('malformed bodies raise nothing but refusals, and reading never raises after a check', () => {
  const odd: unknown[] = [
    null,
    undefined,
    0,
    -1,
    '',
    'x',
    true,
    [],
    {},
    { id: 1 },
    Number.NaN,
    1e308,
    '\ud800',
    '__proto__',
  ];
  const names = ['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format'];
  const formNames = [
    'file',
    'model',
    'language',
    'temperature',
    'stream',
    'include[]',
    'chunking_strategy',
    'response_format',
  ];
  const bodies: WireBody[] = [
    ...odd.map(json),
    ...names.flatMap((name) => odd.map((value) => json({ ...speech, [name]: value }))),
    form(),
    ...formNames.flatMap((name) =>
      ['', 'x', '\ud800', '{"a":', '1e999', audio(1)].flatMap((value) => [
        form([name, value]),
        form(...recording, [name, value]),
        form(...recording.filter(([known]) => known !== name), [name, value]),
      ]),
    ),
    { kind: 'file', file: audio() },
  ];
  let accepted = 0;
  for (const wire of [openaiSpeechClient, openaiTranscriptionsClient, openaiTranslationsClient]) {
    for (const body of bodies) {
      const [code] = refusal(() => wire.check(body, 10));
      if (code !== 'nothing') continue;
      accepted += 1;
      expect(wire.readRequest(body).value.model).not.toBe('');
    }
  }
  expect(accepted).toBeGreaterThan(20);
});
