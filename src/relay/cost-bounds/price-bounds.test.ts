import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Price, Rate } from '../../prices/price.ts';
import { zeroPrice } from '../../prices/prices.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CallFacts } from '../admission/call.ts';
import { boundsAt, PriceBounds } from './price-bounds.ts';

/** A nano-dollar for each token, read or written. */
const rate: Rate = { nanoPerMillion: 1_000_000n, tiers: [] };
const price: Price = { ...zeroPrice('test'), input: rate, output: rate };
const facts: CallFacts = { model: 'm', stream: false, candidates: 1, inputTokensMax: 400, outputTokensMax: 10 };
const target = { model: 'm' } as Target;

const most = (given: Partial<CallFacts>, contextTokens?: number, thinkingBeside?: boolean): bigint =>
  new PriceBounds(price, { ...facts, ...given }, contextTokens, thinkingBeside).mostNano();

describe('the most that can be written', () => {
  const written = (given: Partial<CallFacts>, beside?: boolean) => most(given, undefined, beside) - 400n;

  test('is the limit for each reply; without one 32,768 tokens, or what another spelling or the thinking asks for', () => {
    expect(written({ candidates: 3 })).toBe(30n);
    expect(written({ outputTokensMax: undefined })).toBe(32_768n);
    expect(written({ outputTokensMax: undefined, outputTokensOther: 10 })).toBe(32_768n);
    expect(written({ outputTokensMax: undefined, outputTokensOther: 50_000 })).toBe(50_000n);
    expect(written({ outputTokensMax: undefined, thinkingTokensMax: 50_000 })).toBe(58_192n);
  });

  test('has thinking on top only where the provider counts it beside the limit', () => {
    expect(written({ thinkingTokensMax: 500 })).toBe(10n);
    expect(written({ thinkingTokensMax: 500 }, true)).toBe(510n);
    expect(written({}, true)).toBe(10n + 32_768n);
  });
});

describe('the output limit that fits', () => {
  const fitting = (leftNano: bigint, given: Partial<CallFacts> = {}, beside?: boolean) =>
    new PriceBounds(price, { ...facts, outputTokensMax: 1_000, ...given }, undefined, beside).outputFitting(leftNano);

  test('is what is left after the input, to the token', () => {
    expect([fitting(401n), fitting(650n), fitting(1_399n), fitting(9_999n)]).toEqual([1, 250, 999, 1_000]);
    expect(fitting(700n, { candidates: 3 })).toBe(100);
    expect(fitting(1_000n, { thinkingTokensMax: 500 }, true)).toBe(100);
    for (const left of [401n, 650n, 1_399n])
      expect(most({ outputTokensMax: fitting(left) ?? 0 })).toBeLessThanOrEqual(left);
  });

  test('is none where the input alone costs too much, or where something else is bought', () => {
    expect([fitting(400n), fitting(0n)]).toEqual([undefined, undefined]);
    expect(fitting(10_000n, { most: { images: 1 } })).toBeUndefined();
  });
});

describe('the most that can be read', () => {
  const read = (given: Partial<CallFacts>, contextTokens?: number) => most(given, contextTokens) - 10n;

  test('is the length of the body, and no more than the context for each time that it is read', () => {
    expect(read({})).toBe(400n);
    expect(read({}, 300)).toBe(300n);
    expect(read({ contextReadsMax: 2 }, 150)).toBe(300n);
    expect(read({ contextReadsMax: 2 }, 1_000)).toBe(400n);
  });

  test('is the whole context where the body does not measure it', () => {
    expect(read({ inputUnbounded: 'conversation' }, 1_000)).toBe(1_000n);
    expect(read({ inputUnbounded: 'tools[0]', contextReadsMax: 4 }, 1_000)).toBe(4_000n);
  });

  test('is unknown where neither the body nor the context bounds it, which costs nothing only where nothing does', () => {
    const bounds = (given: Partial<CallFacts>, contextTokens?: number, at: Price | undefined = price) =>
      new PriceBounds(at, { ...facts, ...given }, contextTokens);
    expect(() => bounds({ inputUnbounded: 'prompt' }).requireBound(target, { money: true, tokens: false })).toThrow(
      GatewayError,
    );
    for (const held of [
      bounds({}),
      bounds({ inputUnbounded: 'prompt' }, 1_000),
      bounds({ inputUnbounded: 'prompt' }, undefined, zeroPrice('free')),
    ]) {
      expect(() => held.requireBound(target, { money: true, tokens: false })).not.toThrow();
    }
  });
});

test('what is likely is a quarter of the bound and never more than the context', () => {
  const likely = (given: Partial<CallFacts>, contextTokens?: number) =>
    new PriceBounds(price, { ...facts, ...given }, contextTokens).likelyNano() - 10n;
  expect(likely({})).toBe(100n);
  expect(likely({}, 50)).toBe(50n);
  expect(likely({ inputUnbounded: 'prompt', contextReadsMax: 4 }, 1_000)).toBe(250n);
});

describe('what is billed beside plain tokens', () => {
  const micro = (nanoPerMillion: bigint): Rate => ({ nanoPerMillion: nanoPerMillion * 1_000_000n, tiers: [] });
  const bound = (at: Price, given: Partial<CallFacts>) => new PriceBounds(at, { ...facts, ...given }, undefined);

  test('searches that the request allows and the fee of the request are held; one search is likely', () => {
    const searching: Price = { ...price, units: { webSearches: 7_000_000n, requests: 3_000_000n } };
    expect(bound(searching, {}).mostNano()).toBe(410n + 3n);
    expect(bound(searching, { webSearchesMax: 5 }).mostNano()).toBe(410n + 3n + 35n);
    expect(bound(searching, { webSearchesMax: 5 }).likelyNano()).toBe(110n + 3n + 7n);
    expect(bound(searching, { webSearchesMax: 0 }).likelyNano()).toBe(110n + 3n);
    expect(bound(searching, { webSearchesMax: 5 }).mostUsage.webSearches).toBe(5);
    expect(bound(searching, { webSearchesMax: 5 }).leftUse(true)).toMatchObject({
      usage: { webSearches: 1 },
      units: { webSearches: 1, requests: 1 },
    });
  });

  test('a conversation with a model that makes images holds a few of them, not its whole output at their price', () => {
    const drawing: Price = { ...price, outputImage: micro(50n) };
    expect(bound(drawing, { outputTokensMax: undefined }).mostNano()).toBe(400n + 8_192n * 50n + (32_768n - 8_192n));
    expect(bound(drawing, { outputTokensMax: 100, candidates: 2 }).mostNano()).toBe(400n + 200n * 50n);
  });

  test('images are reserved by the tokens of their model', () => {
    const drawing: Price = { ...price, outputImage: micro(50n) };
    const imageTerms = { quality: undefined, size: undefined, areaMax: 0, textTokens: 20, partialTokens: 0 };
    const tokens = { input: { total: 10 }, output: { total: 5_020, image: 5_000 } };
    const asked = { ...facts, most: { images: 2, tokens, imageTerms } };
    const at = (model: string) =>
      boundsAt(
        { contextTokensOf: () => undefined, outputBoundOf: () => undefined, priceOf: () => drawing },
        { ...target, model, provider: { quirks: {} } } as Target,
        drawing,
        {
          ...asked,
          outputTokensMax: 1,
        },
      ).mostNano();
    expect(at('unknown')).toBe(10n + 5_000n * 50n + 20n);
    expect(at('gemini-2.5-flash-image')).toBe(10n + 2n * 1_290n * 50n + 2n * 20n);
  });
});
