/** Proves that lists of models are read in the shapes that providers write them in, with what they say of each model. */

import { expect, test } from 'bun:test';
import { readListedModels } from './read-model-list.ts';

const soleOf = (row: object) => readListedModels({ data: [row] })?.[0];

test('names in three shapes, each once', () => {
  expect(readListedModels({ data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }, { id: '' }, 7] })).toEqual([
    { name: 'a' },
    { name: 'b' },
  ]);
  expect(readListedModels({ models: [{ name: 'models/gemini-x' }] })).toEqual([{ name: 'gemini-x' }]);
  expect(readListedModels([{ id: 'bare' }])).toEqual([{ name: 'bare' }]);
  expect(readListedModels({ error: {} })).toBeUndefined();
  expect(readListedModels({ data: [{ id: 'x'.repeat(301) }] })).toEqual([]);
});

test('OpenRouter: sizes of the first provider, modalities, and the parameters that it names', () => {
  const model = soleOf({
    id: 'maker/model',
    context_length: 200_000,
    top_provider: { context_length: 128_000, max_completion_tokens: 16_384 },
    architecture: { input_modalities: ['text', 'image', 'file', 'smell'], output_modalities: ['text'] },
    supported_parameters: ['max_tokens', 'temperature', 'top_p', 'tools', 'tool_choice', 'reasoning'],
  });
  expect(model?.profile).toMatchObject({
    contextTokens: 200_000,
    outputTokensMax: 16_384,
    input: ['text', 'image', 'pdf'],
    output: ['text'],
  });
  expect(model?.takes).toEqual(['temperature', 'topP', 'tools', 'toolChoice']);
  expect(model?.profile?.refuses).toContain('seed');
  expect(model?.profile?.refuses).not.toContain('verbosity');
  expect(model?.profile?.thinking).toBeUndefined();
  expect(soleOf({ id: 'm', supported_parameters: ['temperature'] })?.profile?.thinking).toEqual({ kind: 'never' });
});

const yes = { supported: true };
const no = { supported: false };

test('Anthropic: limits, kinds of thinking and efforts', () => {
  const capabilities = {
    image_input: yes,
    pdf_input: yes,
    structured_outputs: yes,
    effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: null, max: yes },
    thinking: { supported: true, types: { adaptive: yes, enabled: yes, disabled: yes } },
  };
  expect(soleOf({ id: 'c', max_input_tokens: 1_000_000, max_tokens: 128_000, capabilities })).toEqual({
    name: 'c',
    profile: {
      contextTokens: 1_000_000,
      outputTokensMax: 128_000,
      thinking: {
        kind: 'adaptive',
        efforts: ['low', 'medium', 'high', 'max'],
        canBeOff: true,
        budgets: { tokensMin: 1_024 },
      },
      input: ['text', 'image', 'pdf'],
      refuses: [],
    },
    takes: ['schemaOutput'],
  });
  const types = (given: object, effort: object = no) =>
    soleOf({ id: 'c', capabilities: { thinking: { supported: true, types: given }, effort } })?.profile?.thinking;
  expect(types({ adaptive: yes, enabled: no, disabled: no }, { low: yes })).toEqual({
    kind: 'adaptive',
    efforts: ['low'],
    canBeOff: false,
  });
  expect(types({ adaptive: no, enabled: yes, disabled: yes })).toEqual({
    kind: 'budget',
    tokensMin: 1_024,
    canBeOff: true,
  });
  expect(soleOf({ id: 'c', capabilities: { thinking: no, structured_outputs: no } })?.profile).toEqual({
    thinking: { kind: 'never' },
    refuses: ['schemaOutput'],
  });
});

test('Gemini, Groq, Mistral, vLLM and others', () => {
  const gemini = { name: 'models/g', inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, maxTemperature: 2 };
  expect(readListedModels({ models: [{ ...gemini, thinking: false }] })?.[0]?.profile).toEqual({
    contextTokens: 1_048_576,
    outputTokensMax: 65_536,
    temperatureMax: 2,
    thinking: { kind: 'never' },
  });
  expect(readListedModels({ models: [{ ...gemini, thinking: true }] })?.[0]?.profile?.thinking).toBeUndefined();
  expect(soleOf({ id: 'q', context_window: 131_072, max_completion_tokens: 32_768 })?.profile).toEqual({
    contextTokens: 131_072,
    outputTokensMax: 32_768,
  });
  expect(soleOf({ id: 'v', context_window: 400_000, max_tokens: 128_000 })?.profile?.outputTokensMax).toBe(128_000);
  expect(soleOf({ id: 'd', max_tokens: 128_000 })?.profile).toBeUndefined();
  expect(soleOf({ id: 'l', max_model_len: 32_768 })?.profile).toEqual({ contextTokens: 32_768 });
  expect(soleOf({ id: 'm', max_context_length: 262_144, capabilities: { vision: false } })?.profile).toEqual({
    contextTokens: 262_144,
    input: ['text'],
  });
});

test('a number that cannot be a size is none', () => {
  for (const size of [0, -1, 1.5, '7', null, 1e9]) {
    expect(soleOf({ id: 'm', context_length: size, max_completion_tokens: size })).toEqual({ name: 'm' });
  }
});

test('when a model ends, as each list writes it', () => {
  const datesOf = (row: object) => {
    const { deprecatedAt, shutdownAt } = soleOf({ id: 'm', ...row }) ?? {};
    return [deprecatedAt, shutdownAt];
  };
  expect(datesOf({ shutdown_date: '2027-01-14' })).toEqual([undefined, '2027-01-14']);
  expect(datesOf({ shutdown_date: null })).toEqual([undefined, undefined]);
  expect(datesOf({ expiration_date: '2026-12-31' })).toEqual([undefined, '2026-12-31']);
  expect(datesOf({ deprecation: '2026-08-31T12:00:00Z' })).toEqual([undefined, '2026-08-31']);
  expect(datesOf({ deprecated_at: 1_788_220_800 })).toEqual(['2026-09-01', undefined]);
  expect(datesOf({ deprecation_date: '2026-06-01', shutdown_date: '2026-12-01' })).toEqual([
    '2026-06-01',
    '2026-12-01',
  ]);
});

test('what is no date is none', () => {
  for (const date of [
    'soon',
    '2026-13-45',
    '1969-12-31',
    '9999-01-01',
    '',
    -5,
    0,
    1e300,
    Number.NaN,
    true,
    {},
    [],
    '2026',
  ]) {
    expect(soleOf({ id: 'm', shutdown_date: date, deprecated_at: date })).toEqual({ name: 'm' });
  }
});
