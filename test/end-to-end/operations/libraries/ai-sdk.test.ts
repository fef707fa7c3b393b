/**
 * The AI SDK over every wire: vectors, images generated and edited, speech and transcripts, through its two providers
 * that call the chat family's endpoints.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embed, embedMany, generateImage, generateSpeech, transcribe } from 'ai';
import { speechWires, transcriptWires } from '../../../contract/operations/audio-rows.ts';
import { audioBytes, recording, spokenText } from '../../../contract/operations/audio-wires.ts';
import { type Bench, type Row, startBench } from '../../../contract/operations/bench.ts';
import { embeddingPrices, embeddingWires, nanoPerToken } from '../../../contract/operations/embedding-rows.ts';
import { tokensOf, vectorOf } from '../../../contract/operations/embedding-wires.ts';
import { makingModel, ownModels } from '../../../contract/operations/image-rows.ts';
import { png, pngBytes } from '../../../contract/operations/image-wires.ts';
import { formOf, type Seen } from '../../../contract/operations/scripted.ts';
import { watchedFetch } from '../../../harness/operation-clients.ts';
import { everyRow } from './every-row.ts';
import { Owed } from './owed.ts';

// Some draw for a second or two.
setDefaultTimeout(300_000);

const failing: Readonly<Record<string, Row>> = Object.fromEntries(
  [400, 404, 429, 500].flatMap((status) =>
    // One for each kind of call: a provider that sent a 429 is cooling down for a while.
    Array.from({ length: 12 }, (_, call): [string, Row] => [
      `fails-${status}-${call}`,
      {
        kind: 'openai',
        base: '/v1',
        models: [`fails-${status}-${call}`],
        answer: () => Response.json({ error: { message: `so ${status} it is` } }, { status }),
      },
    ]),
  ),
);

let bench: Bench;
const owed = new Owed();
beforeAll(async () => {
  const prices = { '*': { ...embeddingPrices['*'], image: 0.04, minute: 0.006, characters: 15 } };
  bench = await startBench({ ...everyRow(), ...failing }, { prices });
});
afterAll(() => bench.remove());

const settings = () => ({
  apiKey: bench.weir.token,
  baseURL: bench.weir.base,
  fetch: watchedFetch as typeof fetch,
});
const openai = () => createOpenAI(settings());
const compatible = () => createOpenAICompatible({ name: 'weir', ...settings() });

let calls = 0;
/** No two texts are alike, so that each request is found again among all that come at the same time. */
const newPrompt = () => `weir number ${++calls} of the kit.`;
const newText = () => `kit text ${++calls}.`;
function seenWith(name: string, mark: string): readonly Seen[] {
  return bench.up(name).seen.filter(({ bytes }) => bytes.includes(mark));
}

type Headers = Readonly<Record<string, string>> | undefined;
const lossesIn = (headers: Headers) => (headers?.['x-weir-losses'] ?? '').split(', ').filter((loss) => loss !== '');
const rounded = (vector: readonly number[]) => vector.map(Math.fround);

describe.concurrent.each([
  ['openai', (model: string) => openai().embedding(model)],
  ['openai-compatible', (model: string) => compatible().embeddingModel(model)],
] as const)('vectors by %s', (_, modelOf) => {
  test.each(embeddingWires)('%s: one', async (name, model) => {
    const value = newText();
    const one = await embed({ model: modelOf(model), value, maxRetries: 0 });
    expect(rounded(one.embedding)).toEqual(rounded(vectorOf(value)));
    expect(one.usage.tokens).toBe(tokensOf([value]));
    expect(one.response?.headers?.['x-weir-provider']).toBe(`embed-${name}`);
    expect(lossesIn(one.response?.headers)).toEqual([]);
    owed.add(one.response?.headers, BigInt(tokensOf([value])) * nanoPerToken);
  });

  test.each(embeddingWires)('%s: more than it takes at once, in their order', async (_name, model, inputsMax) => {
    const count = Math.min(inputsMax + 3, 2_048);
    const values = Array.from({ length: count }, (_value, index) => `text ${count - index}`);
    const many = await embedMany({ model: modelOf(model), values, maxRetries: 0 });
    expect(many.embeddings.map(([first]) => first ?? -1)).toEqual(values.map((_value, index) => count - index));
    expect(many.usage.tokens).toBe(tokensOf(values));
  });

  test.each(embeddingWires)('%s: a length', async (name, model) => {
    // One of them sells four lengths only, and its scripted vectors have none of them.
    const dimensions = name === 'cohere' ? 512 : 2;
    const value = newText();
    const { embedding } = await embed({ model: modelOf(model), value, dimensions, maxRetries: 0 });
    expect(rounded(embedding)).toEqual(rounded(vectorOf(value).slice(0, dimensions)));
    const [seen] = seenWith(`embed-${name}`, value);
    expect(`${seen?.bytes}`).toMatch(new RegExp(`imension[a-z]*":${dimensions}`, 'i'));
  });

  test.each(embeddingWires)('%s: who asks', async (name, model) => {
    const { response } = await embed({
      model: modelOf(model),
      value: newText(),
      providerOptions: { openai: { user: 'ada' }, weir: { user: 'ada' } },
      maxRetries: 0,
    });
    const isSent = ['family', 'floats', 'encoded', 'few'].includes(name);
    expect(lossesIn(response?.headers)).toEqual(isSent ? [] : ['user']);
  });
});

const imageProviders: Readonly<Record<string, string>> = {
  'gpt-image-1': 'draw-family',
  'plain-image': 'draw-plain',
  'gemini-2.5-flash-image': 'draw-gemini',
  [makingModel]: 'draw-gemini',
  'flux-2-inline': 'draw-bfl',
  'acme/inline-model': 'draw-replicate',
  'fal-ai/inline/dev': 'draw-fal',
};

describe.concurrent.each([
  ['openai', (model: string) => openai().image(model)],
  ['openai-compatible', (model: string) => compatible().imageModel(model)],
] as const)('images by %s', (provider, modelOf) => {
  test.each([...ownModels, makingModel])('%s: two of a size', async (model) => {
    const prompt = newPrompt();
    const made = await generateImage({ model: modelOf(model), prompt, n: 2, size: '1536x1024', maxRetries: 0 });
    expect(made.images.map(({ base64 }) => base64)).toEqual([png, png]);
    expect(made.image.mediaType).toBe('image/png');
    expect(Buffer.from(made.image.uint8Array).equals(pngBytes)).toBe(true);
    const name = imageProviders[model] ?? '';
    expect(made.responses.every(({ headers }) => headers?.['x-weir-provider'] === name)).toBe(true);
    expect(`${seenWith(name, prompt)[0]?.bytes}`).toMatch(/1536x1024|1536,"height":1024|"(3:2|4:3)"/);
  });

  test.each([...ownModels])('%s: changed, with a mask', async (model) => {
    const text = newPrompt();
    const prompt = { images: [pngBytes, pngBytes], mask: pngBytes, text };
    const made = await generateImage({ model: modelOf(model), prompt, maxRetries: 0 });
    expect(made.images.map(({ base64 }) => base64)).toEqual([png]);
    const name = imageProviders[model] ?? '';
    const [seen] = seenWith(name, text);
    const losses = lossesIn(made.responses[0]?.headers);
    expect(losses.includes('mask')).toBe(model !== 'gpt-image-1');
    expect(losses.includes('images[1]')).toBe(['acme/inline-model', 'fal-ai/inline/dev'].includes(model));
    if (model === 'gpt-image-1' && seen !== undefined) {
      const form = await formOf(seen);
      expect([form.getAll('image[]').length, form.getAll('mask').length]).toEqual([2, 1]);
    } else {
      expect(`${seen?.bytes}`).toContain(png);
    }
  });

  test('a server that knows less of it than the rest', async () => {
    const { image } = await generateImage({ model: modelOf('plain-image'), prompt: newPrompt(), maxRetries: 0 });
    expect(image.base64).toBe(png);
  });

  test('options of the provider', async () => {
    const prompt = newPrompt();
    const options = { quality: 'high', background: 'opaque', user: 'ada' };
    const providerOptions = { [provider === 'openai' ? 'openai' : 'weir']: options };
    const model = modelOf('gpt-image-1');
    await generateImage({ model, prompt, providerOptions, maxRetries: 0 });
    expect(JSON.parse(`${seenWith('draw-family', prompt)[0]?.bytes}`)).toMatchObject(options);
    const reply = await generateImage({
      model: modelOf('gemini-2.5-flash-image'),
      prompt: newPrompt(),
      providerOptions,
      maxRetries: 0,
    });
    expect(lossesIn(reply.responses[0]?.headers).sort()).toEqual(['background', 'quality', 'user']);
  });
});

describe('speech', () => {
  const spoken = speechWires.flatMap(([name, model, voice, formats]) =>
    formats.map((format) => [name, format, model, voice] as const),
  );

  test.each(spoken)('%s in %s', async (name, outputFormat, model, voice) => {
    const { audio, responses, warnings } = await generateSpeech({
      model: openai().speech(model),
      text: spokenText,
      voice,
      outputFormat,
      maxRetries: 0,
    });
    expect(Buffer.from(audio.uint8Array).subarray(-audioBytes.length).equals(audioBytes)).toBe(true);
    expect(responses[0]?.headers?.['x-weir-provider']).toBe(`speak-${name}`);
    expect([warnings, lossesIn(responses[0]?.headers)]).toEqual([[], []]);
  });

  test.each([
    ['family', []],
    ['plain', []],
    ['elevenlabs', ['instructions']],
    ['deepgram', ['instructions']],
    ['cartesia', ['instructions']],
    ['gemini', ['speed']],
  ])('%s: instructions and speed', async (name, losses) => {
    const [, model = '', voice = '', [outputFormat = 'mp3'] = []] = speechWires.find(([each]) => each === name) ?? [];
    const { responses } = await generateSpeech({
      model: openai().speech(model),
      text: spokenText,
      voice,
      outputFormat,
      instructions: 'softly',
      speed: 1.1,
      maxRetries: 0,
    });
    expect(lossesIn(responses[0]?.headers)).toEqual(losses);
  });
});

describe('transcripts', () => {
  test.each(transcriptWires)('%s', async (name, model) => {
    const transcript = await transcribe({ model: openai().transcription(model), audio: recording, maxRetries: 0 });
    expect(transcript.text).toBe(spokenText);
    expect(transcript.responses[0]?.headers?.['x-weir-provider']).toBe(`hear-${name}`);
  });

  test.each(transcriptWires)('%s: times, a language and a temperature', async (name, model) => {
    const transcript = await transcribe({
      model: openai().transcription(model),
      audio: recording,
      maxRetries: 0,
      providerOptions: {
        openai: { responseFormat: 'verbose_json', timestampGranularities: ['segment'], temperature: 0.2 },
      },
    });
    expect(transcript.text).toBe(spokenText);
    expect(
      transcript.segments.map(({ text, startSecond, endSecond }) => [text.trim(), startSecond, endSecond]),
    ).toEqual([
      ['Hello there.', 0, 1.5],
      ['General weir.', 1.5, 3],
    ]);
    expect(transcript.durationInSeconds).toBe(3);
    // One does not report the language that it detected.
    expect(transcript.language).toBe(name === 'clips' ? undefined : 'en');
  });

  test.each(transcriptWires)('%s: words', async (_, model) => {
    const transcript = await transcribe({
      model: openai().transcription(model),
      audio: recording,
      maxRetries: 0,
      providerOptions: { openai: { responseFormat: 'verbose_json', timestampGranularities: ['word'] } },
    });
    expect(transcript.segments.map(({ text }) => text).join(' ')).toBe(spokenText);
  });
});

describe('failures', () => {
  const asks: Readonly<Record<string, (model: string) => Promise<unknown>>> = {
    embed: (model) => embed({ model: openai().embedding(model), value: 'text 1', maxRetries: 0 }),
    'embed, compatible': (model) =>
      embed({ model: compatible().embeddingModel(model), value: 'text 1', maxRetries: 0 }),
    draw: (model) => generateImage({ model: openai().image(model), prompt: 'a weir', maxRetries: 0 }),
    'draw, compatible': (model) =>
      generateImage({ model: compatible().imageModel(model), prompt: 'a weir', maxRetries: 0 }),
    edit: (model) =>
      generateImage({ model: openai().image(model), prompt: { images: [pngBytes], text: 'a weir' }, maxRetries: 0 }),
    speak: (model) => generateSpeech({ model: openai().speech(model), text: spokenText, maxRetries: 0 }),
    hear: (model) => transcribe({ model: openai().transcription(model), audio: recording, maxRetries: 0 }),
  };

  const failureOf = async (call: Promise<unknown> | undefined) => {
    const error: unknown = await call?.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!APICallError.isInstance(error)) throw new Error(`not an APICallError: ${error}`);
    return error;
  };

  const cases = Object.keys(asks).flatMap((call) =>
    [
      [400, 400, false],
      [404, 404, false],
      [429, 429, true],
      [500, 502, true],
    ].map(([status, got, isRetryable]) => [call, status, got, isRetryable] as const),
  );

  test.each(cases)('%s: %p is reported as %p', async (call, status, got, isRetryable) => {
    const error = await failureOf(asks[call]?.(`fails-${status}-${Object.keys(asks).indexOf(call)}`));
    expect([error.statusCode, error.isRetryable]).toEqual([Number(got), isRetryable === true]);
    if (status !== 500) expect(error.message).toContain(`so ${status} it is`);
    else expect(error.message).not.toBe('');
  });

  test.each(Object.keys(asks))('%s: an unknown model', async (call) => {
    const error = await failureOf(asks[call]?.('no-such-model'));
    expect(error.statusCode).toBe(404);
    expect(error.message).toContain('no-such-model');
  });
});

test('vectors are in the ledger at their price', () => owed.check(bench.weir));
