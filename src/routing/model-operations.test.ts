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
])('%s', (model, expected) => {
  const place = { wire: 'w', place: 'p' };
  const names = ['embed', 'rerank', 'moderate', 'transcribe', 'translate', 'speak', 'make-image', 'edit-image'];
  const provider = {
    name: 'up',
    notes: new Map(),
    operations: Object.fromEntries(names.map((name) => [name, place])),
  };
  const target = { provider, model, tier: 0, weight: 1, health: new Health() } as unknown as Parameters<
    typeof operationsOf
  >[0];
  expect(operationsOf(target)).toEqual(expected);
});
