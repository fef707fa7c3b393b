import { expect, test } from 'bun:test';
import { operationTokensAsked, tokensAsked } from './tokens-asked.ts';

const facts = { inputTokensMax: 400, outputTokensMax: 900, candidates: 1 };

test('what may be written counts beside a quarter of the bytes', () => {
  expect(tokensAsked(facts, 10_000)).toBe(1_000);
  expect(tokensAsked({ ...facts, candidates: 3 }, 10_000)).toBe(2_800);
  expect(tokensAsked({ ...facts, outputTokensMax: undefined }, 10_000)).toBe(4_196);
  expect(operationTokensAsked({ tokens: { input: { total: 400 }, output: { total: 50 } } }, 10_000)).toBe(150);
  expect(operationTokensAsked({ images: 2 }, 10_000)).toBe(0);
});

test('a token without the limit reserves nothing', () => {
  expect([tokensAsked(facts, undefined), operationTokensAsked({}, undefined)]).toEqual([0, 0]);
});

test('a request that just fills the minute is admitted alone; one that cannot fit keeps its full count', () => {
  expect(tokensAsked({ ...facts, outputTokensMax: 10_000 }, 10_000)).toBe(10_000);
  expect(tokensAsked({ ...facts, outputTokensMax: 10_001 }, 10_000)).toBe(10_101);
  expect(tokensAsked({ ...facts, inputTokensMax: 40_004 }, 10_000)).toBe(10_901);
  expect(tokensAsked({ ...facts, outputTokensMax: undefined, candidates: 9 }, 2_000)).toBe(2_000);
});
