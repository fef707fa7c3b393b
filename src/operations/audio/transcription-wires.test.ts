import { describe, expect, test } from 'bun:test';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { type TranscribeRequest, type Transcript, transcriptFormats } from '../transcribe.ts';
import type { FormFile, ProviderWire, ReplyMaking, WireReply } from '../wire.ts';
import { transcribeWires, translateWires } from './provider-wires.ts';
import { deepgramTranscriptionProvider } from './wires/deepgram-transcription.ts';
import { elevenlabsTranscriptionProvider } from './wires/elevenlabs-transcription.ts';
import { mistralTranscriptionsProvider } from './wires/mistral-transcriptions.ts';
import { openaiTranscriptionsClient, openaiTranslationsClient } from './wires/openai-transcriptions.ts';
import {
  groqTranscriptionsProvider,
  groqTranslationsProvider,
  openaiTranscriptionsProvider,
  openaiTranslationsProvider,
} from './wires/openai-transcriptions-provider.ts';

type Wire = ProviderWire<TranscribeRequest, Transcript>;

const making: ReplyMaking = { nowMs: 0, newId: (prefix) => `${prefix}1` };
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
const tree = (value: unknown): WireReply => ({ contentType: 'application/json', tree: value, bytes: new Uint8Array() });
const text = (value: string, contentType = 'text/plain; charset=utf-8'): WireReply => ({
  contentType,
  tree: undefined,
  bytes: Buffer.from(value),
});
const read = (wire: Wire, reply: WireReply, request: Partial<TranscribeRequest> = {}): Transcript =>
  wire.readReply(reply, { ...asked, ...request }, making).value;

/** What the wire sends: fields in their order with the file as its name, what is added to the address, what was lost. */
function sent(
  wire: Wire,
  request: Partial<TranscribeRequest>,
): { fields: [string, string][]; suffix: string; lost: string[] } {
  const { value, losses } = wire.writeRequest({ ...asked, ...request }, 'm');
  const fields = value.body.kind === 'form' ? value.body.fields : [];
  return {
    fields: fields.map((field) => [field.name, typeof field.value === 'string' ? field.value : '(file)']),
    suffix: value.suffix ?? '',
    lost: losses.map(({ what }) => what),
  };
}

describe('openai-transcriptions', () => {
  test('a form comes out as it went in where JSON was asked for', () => {
    const fields = [
      { name: 'model', value: 'm' },
      { name: 'language', value: 'en' },
      { name: 'prompt', value: 'Ada.' },
      { name: 'response_format', value: 'verbose_json' },
      { name: 'temperature', value: '0.2' },
      { name: 'timestamp_granularities[]', value: 'word' },
      { name: 'timestamp_granularities[]', value: 'segment' },
      { name: 'include[]', value: 'logprobs' },
      { name: 'chunking_strategy', value: 'auto' },
      { name: 'file', value: file },
    ];
    const { value: request } = openaiTranscriptionsClient.readRequest({ kind: 'form', fields });
    const { value, losses } = openaiTranscriptionsProvider.writeRequest(request, 'm');
    expect(value.body).toEqual({ kind: 'form', fields });
    expect(losses).toEqual([]);
    expect(sent(elevenlabsTranscriptionProvider, request).lost.toSorted()).toEqual([
      'chunking_strategy',
      'include[]',
      'prompt',
    ]);
  });

  test('text is asked for as JSON, since text has no usage', () => {
    const asks = (request: Partial<TranscribeRequest>): [string | undefined, boolean | undefined] => [
      sent(openaiTranscriptionsProvider, request).fields.find(([name]) => name === 'response_format')?.[1],
      openaiTranscriptionsProvider.passes?.({ ...asked, ...request }, 'm'),
    ];
    expect(transcriptFormats.map((format) => asks({ format }))).toEqual([
      ['json', true],
      ['json', false],
      ['verbose_json', false],
      ['verbose_json', true],
      ['verbose_json', false],
    ]);
    expect(asks({ speakers: true })).toEqual(['diarized_json', true]);
    expect(asks({ stream: true })).toEqual(['json', true]);
  });

  test('a stream passes as it comes, everything else is looked at', () => {
    const passes = (type: string, stream: boolean): boolean | undefined =>
      openaiTranscriptionsProvider.passesBytes?.(type, { ...asked, stream });
    expect(passes('text/event-stream', true)).toBe(true);
    expect(passes('application/json', true)).toBe(false);
    expect(passes('text/event-stream', false)).toBe(false);
  });

  test('usage is read in every unit', () => {
    const measure = (usage: unknown, more: Tree = {}): unknown =>
      openaiTranscriptionsProvider.measure({ ...more, usage });
    expect(measure({ type: 'duration', seconds: 37 }, { duration: 36.7 })).toEqual({ seconds: 37 });
    expect(measure(undefined, { duration: 36.7 })).toEqual({ seconds: 36.7 });
    const tokens = { type: 'tokens', input_tokens: 9, output_tokens: 4, input_token_details: { audio_tokens: 7 } };
    expect(measure(tokens)).toEqual({ tokens: { input: { total: 9, audio: 7 }, output: { total: 4 } } });
    for (const odd of [null, 3, [], { seconds: -1 }, { input_tokens: 1.5 }, { seconds: Number.NaN }]) {
      expect(measure(odd)).toEqual({});
    }
    for (const odd of [undefined, null, 'x', []]) expect(openaiTranscriptionsProvider.measure(odd)).toEqual({});
  });

  test('texts and events are read back as well as JSON', () => {
    expect(read(openaiTranscriptionsProvider, text(' Hello.\n'))).toEqual({ text: 'Hello.', consumption: {} });
    const cues = '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n00:00:01,500 --> 00:00:02,000\nYou.\n\n';
    expect(read(openaiTranscriptionsProvider, text(cues))).toMatchObject({
      text: 'Hello. You.',
      durationSeconds: 2,
      consumption: { seconds: 2 },
    });
    const usage = { type: 'tokens', input_tokens: 9, output_tokens: 4, total_tokens: 13 };
    const events = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.done', text: 'Hello.', usage },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    expect(read(openaiTranscriptionsProvider, text(events.join(''), 'text/event-stream'))).toEqual({
      text: 'Hello.',
      consumption: { tokens: { input: { total: 9, audio: 9 }, output: { total: 4 } } },
    });
    const cut = text(events[0] ?? '', 'text/event-stream');
    expect(() => read(openaiTranscriptionsProvider, cut)).toThrow(SyntaxError);
  });

  test('what the neutral transcript has no field for is reported', () => {
    const wire = openaiTranscriptionsProvider;
    const reply = tree({ text: 'a', logprobs: [], segments: [{ start: 0, end: 1, text: 'a', avg_logprob: -0.2 }] });
    const verbose: TranscribeRequest = { ...asked, format: 'verbose_json' };
    expect(wire.readReply(reply, verbose, making).losses.map(({ what }) => what)).toEqual([
      'logprobs',
      'segments[].avg_logprob',
    ]);
    expect(read(wire, tree({ text: 'a', languages: [{ code: 'en' }] })).language).toBe('en');
    expect(read(wire, tree({ text: 'a', language: 'English' })).language).toBe('english');
    expect(read(wire, tree({ text: 'a', language: 'zh-TW' })).language).toBe('zh-TW');
  });
});

test('a provider whose short reply has no length is always asked for the long one', () => {
  for (const format of transcriptFormats) {
    const { fields } = sent(groqTranscriptionsProvider, { format, stream: true, language: 'en' });
    expect(fields).toEqual([
      ['model', 'm'],
      ['language', 'en'],
      ['response_format', 'verbose_json'],
      ['file', '(file)'],
    ]);
  }
  expect(sent(groqTranscriptionsProvider, { speakers: true }).lost).toEqual(['response_format']);
});

test('mistral-transcriptions names a language or asks for times, never both', () => {
  const wire = mistralTranscriptionsProvider;
  expect(sent(wire, { language: 'fr', temperature: 0, stream: true }).fields).toEqual([
    ['model', 'm'],
    ['language', 'fr'],
    ['temperature', '0'],
    ['file', '(file)'],
  ]);
  const times = sent(wire, { language: 'fr', prompt: 'x', format: 'srt' });
  expect(times.fields).toEqual([
    ['model', 'm'],
    ['timestamp_granularities', 'segment'],
    ['file', '(file)'],
  ]);
  expect(times.lost).toEqual(['prompt', 'language']);
  expect(sent(wire, { speakers: true }).fields).toContainEqual(['diarize', 'true']);
  const segments = [' One', ' two.', ' Three.'].map((said, at) => ({ text: said, start: at, end: at + 0.5 }));
  const words = read(wire, tree({ text: 'One two. Three.', segments }), {
    format: 'verbose_json',
    granularities: ['word'],
  });
  expect(words.words?.map(({ word }) => word)).toEqual(['One', 'two.', 'Three.']);
  expect(words.segments?.map((segment) => segment.text)).toEqual(['One two.', 'Three.']);
});

describe('elevenlabs-transcription', () => {
  const reply = {
    language_code: 'eng',
    language_probability: 0.98,
    text: 'Hello, world! Yes.',
    words: [
      { text: 'Hello,', start: 0.1, end: 0.5, type: 'word', speaker_id: 'speaker_0' },
      { text: ' ', start: 0.5, end: 0.6, type: 'spacing', speaker_id: 'speaker_0' },
      { text: 'world!', start: 0.6, end: 1, type: 'word', speaker_id: 'speaker_0' },
      { text: '(laughter)', start: 1, end: 2, type: 'audio_event', speaker_id: 'speaker_0' },
      { text: 'Yes.', start: 2.2, end: 2.6, type: 'word', speaker_id: 'speaker_1' },
    ],
  };

  test('fields have their own names, and words are always asked for', () => {
    const { fields, lost } = sent(elevenlabsTranscriptionProvider, { language: 'en', prompt: 'x', temperature: 0.5 });
    expect(fields).toEqual([
      ['model_id', 'm'],
      ['language_code', 'en'],
      ['temperature', '0.5'],
      ['timestamps_granularity', 'word'],
      ['tag_audio_events', 'false'],
      ['file', '(file)'],
    ]);
    expect(lost).toEqual(['prompt']);
  });

  test('segments are made of its words', () => {
    expect(read(elevenlabsTranscriptionProvider, tree({ ...reply, audio_duration_secs: 3.5 }))).toEqual({
      text: 'Hello, world! Yes.',
      language: 'eng',
      durationSeconds: 3.5,
      segments: [
        { startSeconds: 0.1, endSeconds: 1, text: 'Hello, world!', speaker: 'speaker_0' },
        { startSeconds: 2.2, endSeconds: 2.6, text: 'Yes.', speaker: 'speaker_1' },
      ],
      words: [
        { word: 'Hello,', startSeconds: 0.1, endSeconds: 0.5 },
        { word: 'world!', startSeconds: 0.6, endSeconds: 1 },
        { word: 'Yes.', startSeconds: 2.2, endSeconds: 2.6 },
      ],
      consumption: { seconds: 3.5 },
    });
    expect(elevenlabsTranscriptionProvider.measure(reply)).toEqual({ seconds: 2.6 });
    expect(elevenlabsTranscriptionProvider.measure(null)).toEqual({});
  });
});

describe('deepgram-transcription', () => {
  const reply = {
    metadata: { duration: 4.2, channels: 1 },
    results: {
      channels: [
        {
          detected_language: 'en',
          alternatives: [
            {
              transcript: 'Hello, world.',
              words: [{ word: 'hello', punctuated_word: 'Hello,', start: 0.1, end: 0.5, confidence: 1 }],
            },
          ],
        },
      ],
      utterances: [{ start: 0.1, end: 0.9, transcript: 'Hello, world.', speaker: 0 }],
    },
  };

  test('the file is the body, and everything else is in the query', () => {
    const wire = deepgramTranscriptionProvider;
    const { value, losses } = wire.writeRequest({ ...asked, temperature: 1, prompt: 'x' }, 'nova-3');
    expect(value).toEqual({
      body: { kind: 'file', file },
      suffix: '?model=nova-3&smart_format=true&utterances=true&detect_language=true',
    });
    expect(losses.map(({ what }) => what)).toEqual(['prompt', 'temperature']);
    expect(sent(wire, { language: 'de&x=1', speakers: true }).suffix).toBe(
      '?model=m&smart_format=true&utterances=true&diarize=true&language=de%26x%3D1',
    );
  });

  test('the first channel is the transcript', () => {
    expect(read(deepgramTranscriptionProvider, tree(reply))).toEqual({
      text: 'Hello, world.',
      language: 'en',
      durationSeconds: 4.2,
      segments: [{ startSeconds: 0.1, endSeconds: 0.9, text: 'Hello, world.', speaker: 'speaker_0' }],
      words: [{ word: 'Hello,', startSeconds: 0.1, endSeconds: 0.5 }],
      consumption: { seconds: 4.2 },
    });
    expect(deepgramTranscriptionProvider.measure(reply)).toEqual({ seconds: 4.2 });
  });
});

test('what is no reply is broken, and nothing else is raised', () => {
  const broken = [
    null,
    [],
    {},
    { text: 3 },
    { results: {} },
    { results: { channels: [{}] } },
    { error: { message: 'x' } },
  ];
  for (const wire of [...transcribeWires, ...translateWires]) {
    for (const value of broken) {
      expect(() => wire.readReply(tree(value), asked, making)).toThrow(SyntaxError);
      expect(wire.measure(value)).toEqual({});
    }
  }
});

test('a translation is never sent where speech is only written down, nor the reverse', () => {
  const refuses = (wire: Wire, translate: boolean): boolean => {
    try {
      wire.writeRequest({ ...asked, translate }, 'm');
      return false;
    } catch (error) {
      return error instanceof GatewayError && error.code === 'operation_unsupported';
    }
  };
  for (const wire of transcribeWires)
    expect([wire.name, refuses(wire, true), refuses(wire, false)]).toEqual([wire.name, true, false]);
  for (const wire of translateWires)
    expect([wire.name, refuses(wire, true), refuses(wire, false)]).toEqual([wire.name, false, true]);
  expect(openaiTranslationsProvider.operation).toBe('translate');
  expect(groqTranslationsProvider.operation).toBe('translate');
});

const geminiSegments = [
  { start: 0, end: 1, text: 'Hello, world.', speaker: 'a' },
  { start: 1, end: 2, text: 'Yes.', speaker: 'b' },
];
const geminiText = JSON.stringify({ language: 'en', segments: geminiSegments });
const geminiReply = { candidates: [{ content: { parts: [{ text: geminiText }] }, finishReason: 'STOP' }] };

/** A reply of each wire that says the same. */
const sameReply: Readonly<Record<string, unknown>> = {
  'assemblyai-transcription': {
    status: 'completed',
    text: 'Hello, world. Yes.',
    language_code: 'en',
    audio_duration: 2,
    words: ['Hello,', 'world.', 'Yes.'].map((word, at) => ({ text: word, start: at * 500, end: at * 500 + 500 })),
  },
  'assemblyai-sync': {
    text: 'Hello, world. Yes.',
    audio_duration_ms: 2_000,
    words: ['Hello,', 'world.', 'Yes.'].map((word, at) => ({ text: word, start: at * 500, end: at * 500 + 500 })),
  },
  'cartesia-transcription': {
    text: 'Hello, world. Yes.',
    language: 'en',
    duration: 2,
    words: ['Hello,', 'world.', 'Yes.'].map((word, at) => ({ word, start: at * 0.5, end: at * 0.5 + 0.5 })),
  },
  'mistral-transcriptions': {
    model: 'm',
    text: 'Hello, world. Yes.',
    language: null,
    segments: [
      { text: 'Hello, world.', start: 0, end: 1, speaker_id: 'a' },
      { text: 'Yes.', start: 1, end: 2, speaker_id: 'b' },
    ],
    usage: { prompt_audio_seconds: 2, prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
  },
  'elevenlabs-transcription': {
    text: 'Hello, world. Yes.',
    language_code: 'en',
    words: ['Hello,', 'world.', 'Yes.'].flatMap((word, at) => [
      { text: word, start: at * 0.5, end: at * 0.5 + 0.5, type: 'word' },
      { text: ' ', type: 'spacing' },
    ]),
    audio_duration_secs: 2,
  },
  'gemini-transcription': geminiReply,
  'gemini-translation': geminiReply,
  'deepgram-transcription': {
    metadata: { duration: 2 },
    results: {
      channels: [{ alternatives: [{ transcript: 'Hello, world. Yes.', words: [] }] }],
      utterances: [
        { start: 0, end: 1, transcript: 'Hello, world.' },
        { start: 1, end: 2, transcript: 'Yes.' },
      ],
    },
  },
};
const familyReply = {
  task: 'transcribe',
  language: 'english',
  duration: 2,
  text: 'Hello, world. Yes.',
  segments: [
    { id: 0, start: 0, end: 1, text: 'Hello, world.' },
    { id: 1, start: 1, end: 2, text: 'Yes.' },
  ],
};

describe('every caller is served by every provider, in every form', () => {
  for (const wire of [...transcribeWires, ...translateWires]) {
    const translate = wire.operation === 'translate';
    const client = translate ? openaiTranslationsClient : openaiTranscriptionsClient;
    test(`${client.name} from ${wire.name}`, () => {
      for (const format of transcriptFormats) {
        const request: TranscribeRequest = { ...asked, translate, format };
        const { value } = wire.readReply(tree(sameReply[wire.name] ?? familyReply), request, making);
        const { contentType, body } = client.writeReply(value, request, making);
        const isJson = format === 'json' || format === 'verbose_json';
        expect([format, contentType.includes('json')]).toEqual([format, isJson]);
        const back = isJson ? tree(JSON.parse(String(body))) : text(String(body), contentType);
        const again = read(translate ? openaiTranslationsProvider : openaiTranscriptionsProvider, back, request);
        expect(again.text).toBe('Hello, world. Yes.');
        if (format === 'json') expectValid('CreateTranscriptionResponseJson', back.tree);
        if (format === 'verbose_json') expectValid('CreateTranscriptionResponseVerboseJson', back.tree);
        if (format === 'json' || format === 'text') continue;
        expect(again.segments?.length).toBe(2);
        expect(again.segments?.map((segment) => segment.text).join(' ')).toBe('Hello, world. Yes.');
      }
    });
  }

  test('as events, which add up to the text', () => {
    for (const wire of transcribeWires) {
      for (const speakers of [false, true]) {
        const request: TranscribeRequest = { ...asked, stream: true, ...(speakers ? { speakers } : {}) };
        const { value } = wire.readReply(tree(sameReply[wire.name] ?? familyReply), request, making);
        const { contentType, body } = openaiTranscriptionsClient.writeReply(value, request, making);
        expect(contentType).toStartWith('text/event-stream');
        const events = String(body)
          .split('\n\n')
          .filter(Boolean)
          .map((block) => JSON.parse(block.slice('data: '.length)) as Tree);
        for (const event of events) expectValid('CreateTranscriptionResponseStreamEvent', event);
        expect(events.map(({ delta }) => delta ?? '').join('')).toBe('Hello, world. Yes.');
        expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: 'Hello, world. Yes.' });
        expect(events.filter(({ type }) => type === 'transcript.text.segment').length).toBe(speakers ? 2 : 0);
      }
    }
  });

  test('with speakers, in the form that distinguishes them', () => {
    const request: TranscribeRequest = { ...asked, speakers: true };
    const value = read(mistralTranscriptionsProvider, tree(sameReply['mistral-transcriptions']), request);
    const written = JSON.parse(String(openaiTranscriptionsClient.writeReply(value, request, making).body)) as Tree;
    expect(written).toEqual({
      task: 'transcribe',
      duration: 2,
      text: 'Hello, world. Yes.',
      segments: [
        { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1, text: 'Hello, world.', speaker: 'a' },
        { type: 'transcript.text.segment', id: 'seg_1', start: 1, end: 2, text: 'Yes.', speaker: 'b' },
      ],
      usage: { type: 'tokens', input_tokens: 5, output_tokens: 6, total_tokens: 11 },
    });
  });

  test('with the times that were asked for and no others', () => {
    const value: Transcript = {
      text: 'a',
      durationSeconds: 1,
      segments: [{ startSeconds: 0, endSeconds: 1, text: 'a' }],
      words: [{ word: 'a', startSeconds: 0, endSeconds: 1 }],
      consumption: { seconds: 1, tokens: { input: { total: 1 }, output: { total: 1 } } },
    };
    const keys = (granularities: TranscribeRequest['granularities']): string[] => {
      const request: TranscribeRequest = { ...asked, format: 'verbose_json', granularities };
      const written = JSON.parse(String(openaiTranscriptionsClient.writeReply(value, request, making).body)) as Tree;
      expectValid('CreateTranscriptionResponseVerboseJson', written);
      return Object.keys(written).filter((key) => key === 'segments' || key === 'words');
    };
    expect(keys([])).toEqual(['segments']);
    expect(keys(['word'])).toEqual(['words']);
    expect(keys(['segment', 'word'])).toEqual(['segments', 'words']);
  });
});

test('a reply of the same wire suits where it is what was asked for', () => {
  const suits = (reply: unknown, request: Partial<TranscribeRequest>): boolean | undefined =>
    openaiTranscriptionsClient.suits?.(reply, { ...asked, ...request });
  expect(suits({ text: 'a' }, {})).toBe(true);
  expect(suits({}, {})).toBe(false);
  expect(suits({ text: 'a' }, { format: 'verbose_json' })).toBe(false);
  expect(suits(familyReply, { format: 'verbose_json' })).toBe(true);
  expect(suits({ text: 'a' }, { format: 'srt' })).toBe(false);
  expect(suits(undefined, { format: 'srt' })).toBe(true);
  expect(suits({ text: 'a' }, { stream: true })).toBe(false);
  expect(suits({ text: 'a' }, { speakers: true })).toBe(false);
});

describe('recorded replies', () => {
  const files = recordedFiles('audio-transcriptions');
  const of = (vendor: string) =>
    files
      .filter(({ name }) => name.startsWith(`${vendor}/`))
      .map((file) => [file.name, JSON.parse(file.text()) as Tree] as const);

  test.each(of('openai'))('%s: words with their times', (_, reply) => {
    const request: TranscribeRequest = { ...asked, format: 'verbose_json', granularities: ['word'] };
    const { value, losses } = openaiTranscriptionsProvider.readReply(tree(reply), request, making);
    expect(losses).toEqual([]);
    const { seconds } = reply['usage'] as { readonly seconds: number };
    expect(value).toMatchObject({ language: 'english', text: reply['text'], consumption: { seconds } });
    expect(value.words?.length).toBe((reply['words'] as unknown[]).length);
    expect(openaiTranscriptionsClient.suits?.(reply, request)).toBe(true);
    const written = JSON.parse(String(openaiTranscriptionsClient.writeReply(value, request, making).body)) as Tree;
    expectValid('CreateTranscriptionResponseVerboseJson', written);
    expect(written).toEqual(reply);
  });

  test.each(of('mistral'))('%s: segments with their speakers, tokens and seconds', (_, reply) => {
    const value = read(mistralTranscriptionsProvider, tree(reply), { format: 'srt' });
    const used = reply['usage'] as Readonly<Record<string, number>>;
    expect(value.consumption).toEqual({
      tokens: {
        input: { total: used['prompt_tokens'], audio: undefined },
        output: { total: used['completion_tokens'] },
      },
      seconds: used['prompt_audio_seconds'],
    });
    const speakers = (reply['segments'] as Tree[]).map((segment) => segment['speaker_id'] as string);
    expect(value.segments?.map(({ speaker }) => speaker)).toEqual(speakers);
    expect(value.segments?.map((segment) => segment.text).join('')).toBe(value.text);
    expect(openaiTranscriptionsClient.suits?.(reply, { ...asked, format: 'verbose_json' })).toBe(false);
    for (const format of ['json', 'verbose_json'] as const) {
      const { body } = openaiTranscriptionsClient.writeReply(value, { ...asked, format }, making);
      const name = format === 'json' ? 'CreateTranscriptionResponseJson' : 'CreateTranscriptionResponseVerboseJson';
      expectValid(name, JSON.parse(String(body)));
    }
  });

  test.each(of('groq'))('%s: bare text', (_, { headers, body }) => {
    const reply = text(String(body), String((headers as Tree)['content-type']));
    expect(read(groqTranscriptionsProvider, reply, { format: 'text' })).toEqual({
      text: String(body).trim(),
      consumption: {},
    });
  });
});
