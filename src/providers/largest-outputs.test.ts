import { expect, test } from 'bun:test';
import { largestOutputOf } from './largest-outputs.ts';

test.each([
  ['gpt-5', 128_000],
  ['openai/gpt-5.5', 128_000],
  ['gpt-5-pro', 272_000],
  ['gpt-4.1-mini', 32_768],
  ['gpt-4o-2024-11-20', 16_384],
  ['o3-mini', 100_000],
  ['openai/o1', 100_000],
  ['claude-sonnet-4-5-20250929', 128_000],
  ['us.anthropic.claude-opus-4-8', 128_000],
  ['claude-3-5-sonnet-20241022', 8_192],
  ['models/gemini-2.5-pro', 65_536],
  ['deepseek-chat', 384_000],
  ['ministral-8b-latest', 262_144],
  ['devstral-2512', 262_144],
  ['MiniMax-M2', 131_072],
] as const)('%s can write %d tokens', (model, tokens) => {
  expect(largestOutputOf(model)).toBe(tokens);
});

test('a family that is not known has no figure, also when it is asked for again', () => {
  expect([largestOutputOf('my-model'), largestOutputOf('my-model')]).toEqual([undefined, undefined]);
  expect(largestOutputOf('foo1-o3x')).toBeUndefined();
});
