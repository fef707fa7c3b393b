/**
 * Transcripts and translations through the official library over every wire that has them: all forms, streams, times,
 * and fields that a wire does not support.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BadRequestError } from 'openai';
import type {
  TranscriptionCreateParamsNonStreaming,
  TranscriptionDiarized,
  TranscriptionStreamEvent,
  TranscriptionVerbose,
} from 'openai/resources/audio/transcriptions';
import {
  streamedTokensNano,
  subRip,
  transcriptNano,
  transcriptPrices,
  transcriptRows,
  transcriptWires,
  translationWires,
  webVtt,
} from '../../../contract/operations/audio-rows.ts';
import { recording, spokenText } from '../../../contract/operations/audio-wires.ts';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import { formOf } from '../../../contract/operations/scripted.ts';
import { failureOf, openaiOf } from '../../../harness/operation-clients.ts';
import { Owed } from './owed.ts';

let bench: Bench;
const owed = new Owed();
beforeAll(async () => {
  bench = await startBench(transcriptRows, { prices: transcriptPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const [name] of transcriptWires) bench.up(name).forget();
});

type Fields = Omit<Partial<TranscriptionCreateParamsNonStreaming>, 'model'>;
const talk = () => new File([recording], 'talk.wav', { type: 'audio/wav' });

/** The library types a reply by its format, which is a variable here. */
async function hear<Shape = { text: string }>(model: string, fields: Fields = {}) {
  const request = { model, file: talk(), ...fields } as TranscriptionCreateParamsNonStreaming<'json'>;
  const { data, response } = await openaiOf(bench.weir).audio.transcriptions.create(request).withResponse();
  return { reply: data as unknown as Shape, response };
}

async function sentTo(name: string): Promise<URLSearchParams> {
  const [seen] = bench.up(name).seen;
  if (seen === undefined) throw new Error(`${name} was not asked`);
  if (name === 'deepgram') return seen.query;
  if (name === 'assemblyai') {
    const order = JSON.parse(`${bench.up(name).seen[1]?.bytes}`) as Record<string, unknown>;
    return new URLSearchParams(Object.entries(order).map(([field, value]) => [field, `${value}`]));
  }
  const form = await formOf(seen);
  const config = form.get('config');
  if (config instanceof Blob) return new URLSearchParams(JSON.parse(await config.text()) as Record<string, string>);
  const texts = [...form.keys()].filter((field) => field !== 'file');
  return new URLSearchParams(
    [...new Set(texts)].flatMap((field) => form.getAll(field).map((text) => [field, `${text}`])),
  );
}

/** One of them reports the speakers without being asked. */
const withoutSpeakers = (text: string) => text.replaceAll(/<v speaker_0>|speaker_0: /g, '');
/** Read and written again, a segment keeps its words and times; only its own wire has the model's confidence. */
const figures = ['segments[].avg_logprob'];
const times = [
  [0, 1.5, 'Hello there.'],
  [1.5, 3, 'General weir.'],
];

describe.each(transcriptWires)('%s', (name, model) => {
  test.each([undefined, 'json'] as const)('json (%p)', async (response_format) => {
    const { reply, response } = await hear(model, response_format === undefined ? {} : { response_format });
    expect(reply.text).toBe(spokenText);
    expect(response.headers.get('x-weir-provider')).toBe(name);
    expect(lossesOf(response)).toEqual([]);
    owed.add(response, transcriptNano);
  });

  test.each([
    ['text', spokenText],
    ['srt', subRip],
    ['vtt', webVtt],
  ] as const)('%s', async (response_format, written) => {
    const { reply, response } = await hear<string>(model, { response_format });
    expect(withoutSpeakers(reply).trim()).toBe(written.trim());
    expect(lossesOf(response)).toEqual([]);
    owed.add(response, transcriptNano);
  });

  test.each([
    [undefined, true, false],
    [['segment'], true, false],
    [['word'], false, true],
    [['word', 'segment'], true, true],
  ] as const)('verbose_json with %p', async (asked, hasSegments, hasWords) => {
    const { reply, response } = await hear<TranscriptionVerbose>(model, {
      response_format: 'verbose_json',
      ...(asked !== undefined && { timestamp_granularities: [...asked] }),
    });
    expect(reply).toMatchObject({ task: 'transcribe', text: spokenText, duration: 3, language: expect.any(String) });
    expect([reply.segments !== undefined, reply.words !== undefined]).toEqual([hasSegments, hasWords]);
    if (hasSegments) {
      expect(reply.segments?.map(({ start, end, text }) => [start, end, text.trim()])).toEqual(times);
      expect(reply.segments?.map(({ id }) => id)).toEqual([0, 1]);
    }
    // One of them times whole sentences here, and its words are those.
    if (hasWords) expect(reply.words?.map(({ word }) => word).join(' ')).toBe(spokenText);
    expect(lossesOf(response)).toEqual(name === 'groq' && hasSegments ? figures : []);
    owed.add(response, transcriptNano);
  });

  test('a stream', async () => {
    const asked = name === 'family' ? 'gpt-4o-transcribe' : model;
    const request = { model: asked, file: talk(), stream: true } as const;
    const { data, response } = await openaiOf(bench.weir).audio.transcriptions.create(request).withResponse();
    const events: TranscriptionStreamEvent[] = await Array.fromAsync(data);
    const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []));
    expect(deltas.join('')).toBe(spokenText);
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: spokenText });
    owed.add(response, name === 'family' ? streamedTokensNano : transcriptNano);
  });

  test('speakers', async () => {
    const asked = name === 'family' ? 'gpt-4o-transcribe' : model;
    const { reply, response } = await hear<TranscriptionDiarized>(asked, { response_format: 'diarized_json' });
    expect(reply.segments.map(({ start, end, text }) => [start, end, text])).toEqual(times);
    expect(reply.segments.every(({ speaker }) => typeof speaker === 'string' && speaker !== '')).toBe(true);
    // A wire that cannot separate speakers returns one, which is reported as a loss.
    expect(lossesOf(response)).toEqual(['groq', 'cartesia', 'clips'].includes(name) ? ['response_format'] : []);
  });

  test('what is invalid is refused, and no provider is called', async () => {
    for (const [param, value] of [
      ['response_format', 'xml'],
      ['temperature', 3],
      ['file', new File([], 'talk.wav')],
    ] as const) {
      const error = await failureOf(hear(model, { [param]: value } as never));
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.param).toBe(param);
    }
    const letters = { response_format: 'verbose_json', timestamp_granularities: ['letter'] };
    expect((await failureOf(hear(model, letters as never))).param).toBe('timestamp_granularities[]');
    expect(bench.up(name).seen.length).toBe(0);
  });
});

describe('options', () => {
  /** The name of each option on each wire; what is not here is lost. */
  const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    family: { language: 'language', prompt: 'prompt', temperature: 'temperature' },
    groq: { language: 'language', prompt: 'prompt', temperature: 'temperature' },
    mistral: { language: 'language', temperature: 'temperature' },
    elevenlabs: { language: 'language_code', temperature: 'temperature' },
    deepgram: { language: 'language' },
    assemblyai: { language: 'language_code', prompt: 'prompt', temperature: 'temperature' },
    clips: { prompt: 'prompt' },
    cartesia: { language: 'language' },
  };

  test.each(transcriptWires)('%s: language, prompt and temperature', async (name, model) => {
    const options = { language: 'de', prompt: 'A weir.', temperature: 0.4 };
    const { response } = await hear(model, options);
    const fields = names[name] ?? {};
    const sent = await sentTo(name);
    for (const [option, field] of Object.entries(fields)) {
      expect([option, sent.get(field)]).toEqual([option, `${options[option as keyof typeof options]}`]);
    }
    expect(lossesOf(response)).toEqual(Object.keys(options).filter((option) => fields[option] === undefined));
  });

  test.each(transcriptWires.slice(2))('%s: words of the library that it does not know', async (_, model) => {
    const { response } = await hear(model, { include: ['logprobs'], chunking_strategy: 'auto' });
    expect(lossesOf(response).sort()).toEqual(['chunking_strategy', 'include[]']);
  });

  test('and the wire that has them gets them', async () => {
    const { response } = await hear('gpt-4o-transcribe', { include: ['logprobs'], chunking_strategy: 'auto' });
    expect(lossesOf(response)).toEqual([]);
    const sent = await sentTo('family');
    expect([sent.get('include[]'), sent.get('chunking_strategy')]).toEqual(['logprobs', 'auto']);
  });

  const losing = transcriptWires.filter(([name]) => names[name]?.['prompt'] === undefined);
  test.each(losing)('%s: a strict caller is refused what would be lost', async (name, model) => {
    const request = { model, file: talk(), prompt: 'A weir.' };
    const options = { headers: { 'x-weir-strict': 'true' } };
    const error = await failureOf(openaiOf(bench.weir).audio.transcriptions.create(request, options));
    expect(error).toBeInstanceOf(BadRequestError);
    expect([error.code, error.param]).toEqual(['loss_refused', 'prompt']);
    expect(bench.up(name).seen.length).toBe(0);
  });
});

describe('into English', () => {
  const translate = (model: string, fields: object = {}) =>
    openaiOf(bench.weir)
      .audio.translations.create({ model, file: talk(), ...fields })
      .withResponse();

  describe.each(translationWires)('%s', (name, model) => {
    test.each([undefined, 'json', 'text'] as const)('%p', async (response_format) => {
      const { data, response } = await translate(model, response_format === undefined ? {} : { response_format });
      const text: unknown = response_format === 'text' ? data : data.text;
      expect(String(text).trim()).toBe('Good day.');
      expect(bench.up(name).seen[0]?.path).toBe('/v1/audio/translations');
      owed.add(response, transcriptNano);
    });

    test.each(['srt', 'vtt'] as const)('%s', async (response_format) => {
      const { data } = await translate(model, { response_format });
      expect(String(data as unknown)).toBe(response_format === 'srt' ? subRip : webVtt);
    });

    test('verbose_json, with a prompt and a temperature', async () => {
      const fields = { response_format: 'verbose_json', prompt: 'A weir.', temperature: 0.1 };
      const { data, response } = await translate(model, fields);
      expect(data).toMatchObject({ task: 'translate', text: 'Good day.', duration: 3, segments: [{}, {}] });
      expect(lossesOf(response)).toEqual(name === 'groq' ? figures : []);
      const sent = await sentTo(name);
      expect([sent.get('prompt'), sent.get('temperature')]).toEqual(['A weir.', '0.1']);
    });
  });

  test.each(transcriptWires.slice(2))('%s does not', async (name, model) => {
    const error = await failureOf(translate(model));
    expect(error).toBeInstanceOf(BadRequestError);
    expect([error.code, error.param]).toEqual(['operation_unsupported', 'model']);
    expect(bench.up(name).seen.length).toBe(0);
  });
});

test('everything is in the ledger at its price', () => owed.check(bench.weir));
