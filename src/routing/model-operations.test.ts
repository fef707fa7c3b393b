import { expect, test } from 'bun:test';
import { Health } from './health.ts';
import { operationsOf } from './model-operations.ts';

test.each([
  ['gpt-4.1', ['converse']],
  ['text-embedding-3-small', ['embed']],
  ['rerank-v3.5', ['rerank']],
  ['omni-moderation-latest', ['moderate']],
  ['whisper-1', ['transcribe', 'translate']],
  ['gpt-4o-mini-tts', ['speak']],
  ['gpt-image-1', ['make-image', 'edit-image']],
  ['sora-2-pro', ['make-video']],
  ['veo-3.1-generate-preview', ['make-video']],
  ['MiniMax-Hailuo-2.3', ['make-video']],
  ['T2V-01-Director', ['make-video']],
  ['wan2.5-t2v-preview', ['make-video']],
  ['doubao-seedance-1-0-pro', ['make-video']],
  ['imagen4.0', ['make-image']],
  ['flux-kontext-pro', ['make-image', 'edit-image']],
  ['image-01', ['make-image', 'edit-image']],
  ['qwen3.5-plus', ['converse']],
  ['voxtral-mini-latest', ['converse', 'transcribe']],
])('%s', (model, expected) => {
  const names = [
    'embed',
    'rerank',
    'moderate',
    'transcribe',
    'translate',
    'speak',
    'make-image',
    'edit-image',
    'make-video',
  ];
  expect(operationsOf(targetOf(model, ['openai-chat'], names))).toEqual(expected);
});

test.each([
  ['voyage-3.5', ['embed', 'rerank'], ['embed', 'rerank']],
  ['fal-ai/any/dev', ['make-image', 'edit-image'], ['make-image', 'edit-image']],
  ['eleven_multilingual_v2', ['speak', 'transcribe'], ['speak']],
  ['voxtral-mini-latest', ['transcribe'], ['transcribe']],
])('%s of a provider that does not converse', (model, does, expected) => {
  expect(operationsOf(targetOf(model, [], does))).toEqual(expected);
});

function targetOf(model: string, formats: string[], operations: string[]): Parameters<typeof operationsOf>[0] {
  const places = operations.map((name) => [name, { wire: 'w', place: 'p' }]);
  const provider = { name: 'up', notes: new Map(), formats, operations: Object.fromEntries(places) };
  return { provider, model, tier: 0, weight: 1, health: new Health() } as unknown as Parameters<typeof operationsOf>[0];
}
