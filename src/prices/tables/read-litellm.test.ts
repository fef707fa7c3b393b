import { describe, expect, test } from 'bun:test';
import { imageVariant } from './litellm-names.ts';
import { readLitellm } from './read-litellm.ts';
import type { TableEntry } from './table.ts';
import { TableError } from './table-error.ts';

const table = (entries: Record<string, object>) =>
  readLitellm(
    Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, { litellm_provider: 'h', ...entry }])),
    'litellm 2026-01-01',
  );
const entryOf = (entry: object): TableEntry | undefined => table({ m: entry }).find('h', 'm', 0);
const usd = (perMillion: number) => ({ nanoPerMillion: BigInt(Math.round(perMillion * 1e9)), tiers: [] });
/** Nano-USD for a million of a unit that costs so much each. */
const each = (value: number) => BigInt(Math.round(value * 1e9)) * 1_000_000n;

describe('prices of tokens', () => {
  test('of every class', () => {
    expect(
      entryOf({
        input_cost_per_token: 1e-6,
        output_cost_per_token: 2e-6,
        cache_read_input_token_cost: 1e-7,
        cache_creation_input_token_cost: 1.25e-6,
        cache_creation_input_token_cost_above_1hr: 2e-6,
        cache_read_input_audio_token_cost: 3e-7,
        input_cost_per_audio_token: 4e-6,
        input_cost_per_image_token: 5e-6,
        output_cost_per_reasoning_token: 6e-6,
        output_cost_per_audio_token: 7e-6,
        output_cost_per_image_token: 8e-6,
        output_cost_per_video_token: 9e-6,
      })?.price,
    ).toEqual({
      input: usd(1),
      output: usd(2),
      cacheRead: usd(0.1),
      cacheWrite: usd(1.25),
      cacheWrite1h: usd(2),
      cachedAudio: usd(0.3),
      inputAudio: usd(4),
      inputImage: usd(5),
      thinking: usd(6),
      outputAudio: usd(7),
      outputImage: usd(8),
      outputVideo: usd(9),
    });
  });

  test('in steps and tiers of service, and both at once', () => {
    const price = entryOf({
      input_cost_per_token: 1e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
      input_cost_per_token_above_128k_tokens: 1.5e-6,
      input_cost_per_token_priority: 3e-6,
      input_cost_per_token_above_200k_tokens_priority: 4e-6,
      input_cost_per_token_flex: 5e-7,
      input_cost_per_token_batches: 4e-7,
      cache_creation_input_token_cost_above_1hr: 2e-6,
      cache_creation_input_token_cost_above_1hr_above_200k_tokens: 4e-6,
      output_cost_per_token: 1e-5,
    })?.price;
    const at = (base: number, ...steps: [number, number][]) => ({
      nanoPerMillion: BigInt(base * 1e9),
      tiers: steps.map(([above, rate]) => ({ aboveInputTokens: above, nanoPerMillion: BigInt(rate * 1e9) })),
    });
    expect(price).toEqual({
      input: at(1, [128_000, 1.5], [200_000, 2]),
      cacheWrite1h: at(2, [200_000, 4]),
      output: at(10),
      serviceTiers: { priority: { input: at(3, [200_000, 4]) }, flex: { input: at(0.5) }, batch: { input: at(0.4) } },
    });
  });

  test('in ranges', () => {
    const range = (from: number, to: number, rate: number) => ({
      range: [from, to],
      input_cost_per_token: rate,
      output_cost_per_token: rate,
    });
    expect(entryOf({ tiered_pricing: [range(0, 256e3, 1e-6), range(256e3, 1e6, 2e-6)] })?.price?.input).toEqual({
      nanoPerMillion: 1_000_000_000n,
      tiers: [{ aboveInputTokens: 256_000, nanoPerMillion: 2_000_000_000n }],
    });
    expect(
      entryOf({ mode: 'search', tiered_pricing: [{ input_cost_per_query: 1, max_results_range: [0, 25] }] })?.price,
    ).toBeUndefined();
  });

  test('nothing at all is not known', () => {
    expect(entryOf({ input_cost_per_token: 0, output_cost_per_token: 0, max_input_tokens: 5 })).toEqual({
      contextTokens: 5,
    });
    expect(entryOf({})).toEqual({});
  });
});

describe('prices of other units', () => {
  const unitsOf = (entry: object) => entryOf(entry)?.price?.units;
  test('audio by the second, in whichever direction it is written, once', () => {
    const seconds = { mode: 'audio_transcription', input_cost_per_second: 0.0001, output_cost_per_second: 0.0001 };
    expect(unitsOf(seconds)).toEqual({ seconds: each(0.006) });
    expect(unitsOf({ ...seconds, input_cost_per_token: 1e-6 })).toBeUndefined();
    expect(unitsOf({ mode: 'audio_speech', input_cost_per_character: 1.5e-5 })).toEqual({
      characters: 15_000_000_000n,
    });
  });
  test('searches, pages, requests and web searches, the most expensive', () => {
    expect(unitsOf({ mode: 'rerank', input_cost_per_query: 0.002, input_cost_per_token: 0 })).toEqual({
      searches: each(0.002),
    });
    expect(unitsOf({ mode: 'ocr', ocr_cost_per_page: 0.004 })).toEqual({ pages: each(0.004) });
    const fees = { input_cost_per_request: 0.005, search_context_cost_per_query: { low: 0.01, high: 0.02, medium: 0 } };
    expect(unitsOf({ mode: 'chat', input_cost_per_token: 1e-6, ...fees })).toEqual({
      requests: each(0.005),
      webSearches: each(0.02),
    });
  });
  test('video by the second and by resolution', () => {
    expect(
      unitsOf({ mode: 'video_generation', output_cost_per_second: 0.05, output_cost_per_second_1080p: 0.08 }),
    ).toEqual({
      videoSeconds: each(0.05),
      videoSecondsOf: { '1080p': each(0.08) },
    });
    expect(unitsOf({ mode: 'video_generation', output_cost_per_video_per_second: 0.1 })).toEqual({
      videoSeconds: each(0.1),
    });
  });
  test('images, each once: by tokens where those are priced, else by the piece', () => {
    expect(unitsOf({ mode: 'image_generation', input_cost_per_image: 0.04 })).toEqual({ images: each(0.04) });
    expect(unitsOf({ mode: 'image_generation', input_cost_per_image: 0.01, output_cost_per_image: 0.08 })).toEqual({
      images: each(0.08),
    });
    const both = { mode: 'image_generation', output_cost_per_image: 0.04, output_cost_per_image_token: 3e-5 };
    expect(entryOf(both)?.price).toEqual({ outputImage: usd(30) });
    expect(entryOf({ mode: 'image_generation', input_cost_per_token: 4e-8, output_cost_per_token: 4e-8 })).toEqual({});
    expect(unitsOf({ mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_image: 0.1 })).toBeUndefined();
  });
  test('images of a size and quality belong to their model', () => {
    const image = { mode: 'image_generation' };
    const given = table({
      'd-3': { ...image, input_cost_per_image: 0.04 },
      'hd/1024-x-1792/d-3': { ...image, input_cost_per_pixel: 6e-8, output_cost_per_pixel: 0 },
      'standard/1024-x-1024/d-3': { ...image, output_cost_per_image: 0.04 },
      'low/1024-x-1024/gone': { ...image, input_cost_per_image: 0.011 },
      '512-x-512/50-steps/s': { ...image, output_cost_per_image: 0.018 },
      '512-x-512/max-steps/s': { ...image, output_cost_per_image: 0.036 },
      tokens: { ...image, output_cost_per_image_token: 4e-5 },
      'high/1024-x-1024/tokens': { ...image, input_cost_per_image: 0.167 },
    });
    expect(given.find('h', 'd-3', 0)?.price?.units).toEqual({
      images: each(0.04),
      imagesOf: { 'hd/1024x1792': 110_100_480_000_000n, 'standard/1024x1024': each(0.04) },
    });
    expect(given.find('h', 'gone', 0)?.price?.units).toEqual({ imagesOf: { 'low/1024x1024': each(0.011) } });
    expect(given.find('h', 's', 0)?.price?.units).toEqual({ imagesOf: { '512x512': each(0.036) } });
    expect(given.find('h', 'tokens', 0)?.price).toEqual({ outputImage: usd(40) });
    expect([...given.entries(0)].map(([, model]) => model)).toEqual(['d-3', 'tokens', 'gone', 's']);
  });
  test('without a class are reported', () => {
    const given = table({
      m: {
        mode: 'chat',
        input_cost_per_token: 1e-6,
        output_cost_per_token: 2e-6,
        citation_cost_per_token: 2e-6,
        code_interpreter_cost_per_session: 0.03,
        google_maps_grounding_cost_per_query: 0.025,
      },
    });
    expect([...given.unread]).toEqual([['citation_cost_per_token', 1]]);
    const each = (nano: bigint) => nano * 1_000_000n;
    const fees = { code_interpreter: each(30_000_000n), google_maps: each(25_000_000n) };
    expect(given.find('h', 'm', 0)?.price?.units?.tools).toEqual(fees);
  });
});

test('names without the prefixes of hosts', () => {
  const nameOf = (key: string, host: string) => imageVariant(key, host).model;
  expect(nameOf('azure/gpt-4o', 'azure')).toBe('gpt-4o');
  expect(nameOf('vertex_ai/claude-opus-4', 'vertex_ai-anthropic_models')).toBe('claude-opus-4');
  expect(nameOf('gpt-4o', 'openai')).toBe('gpt-4o');
  expect(nameOf('openrouter/openai/gpt-4o', 'openrouter')).toBe('openai/gpt-4o');
  expect(nameOf('fireworks_ai/accounts/fireworks/models/x', 'fireworks_ai')).toBe('accounts/fireworks/models/x');
  expect(imageVariant('1024-x-1024/50-steps/bedrock/amazon.nova-canvas-v1:0', 'bedrock')).toEqual({
    model: 'amazon.nova-canvas-v1:0',
    kind: '1024x1024',
    pixels: 1_048_576,
  });
  expect(imageVariant('azure/hd/1024-x-1792/dall-e-3', 'azure')).toEqual({
    model: 'dall-e-3',
    kind: 'hd/1024x1792',
    pixels: 1_835_008,
  });
  expect(imageVariant('standard', 'h')).toEqual({ model: 'standard', kind: undefined, pixels: undefined });
});

test('facts, and what is no model', () => {
  const given = readLitellm(
    {
      sample_spec: { input_cost_per_token: 'a text' },
      fallback_generalizations: { rules: [] },
      m: {
        litellm_provider: 'h',
        mode: 'chat',
        max_input_tokens: 1000,
        max_output_tokens: 100,
        deprecation_date: '2026-12-01',
        supported_modalities: ['text', 'image'],
        supported_output_modalities: ['text'],
        supports_function_calling: true,
        supports_web_search: false,
      },
    },
    'x',
  );
  expect([...given.entries(0)]).toEqual([
    [
      'h',
      'm',
      {
        contextTokens: 1000,
        outputTokensMax: 100,
        shutdownAt: '2026-12-01',
        inputModalities: ['text', 'image'],
        outputModalities: ['text'],
        capabilities: { tools: true, webSearch: false },
      },
    ],
  ]);
});

describe('what is wrong is named', () => {
  const messageOf = (entry: object): string => {
    try {
      entryOf(entry);
      return 'nothing';
    } catch (error) {
      return error instanceof TableError ? error.message : String(error);
    }
  };
  for (const bad of [-1e-6, Number.NaN, Number.POSITIVE_INFINITY, 1e308, '3e-6', true, 2]) {
    test(`a price of ${String(bad)} (${typeof bad})`, () => {
      expect(messageOf({ input_cost_per_token: bad })).toStartWith('m/input_cost_per_token: ');
      expect(messageOf({ tiered_pricing: [{ range: [0, 1], input_cost_per_token: bad }] })).toStartWith(
        'm/tiered_pricing/0/',
      );
    });
  }
  for (const bad of [-1, Number.NaN, 1e308, '1', true]) {
    test(`a price of a unit of ${String(bad)} (${typeof bad})`, () => {
      expect(messageOf({ mode: 'ocr', ocr_cost_per_page: bad })).toStartWith('m/ocr_cost_per_page: ');
      expect(messageOf({ search_context_cost_per_query: { low: bad } })).toStartWith(
        'm/search_context_cost_per_query/low: ',
      );
    });
  }
  test('another currency, no host', () => {
    expect(messageOf({ currency: 'EUR' })).toStartWith('m/currency: ');
    expect(messageOf({ litellm_provider: 7 })).toStartWith('m/litellm_provider: ');
  });
});
