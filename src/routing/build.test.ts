/** Proves whose word counts for a model's sizes and its end. */

import { expect, test } from 'bun:test';
import type { ListedModel, ModelProfile } from '../conversation/model-profile.ts';
import type { KnownFacts } from '../prices/look-up.ts';
import type { Prices } from '../prices/prices.ts';
import { createPricing } from './build.ts';
import type { Target } from './catalogue.ts';

function pricingWith(facts: KnownFacts) {
  const prices: Pick<Prices, 'factsOf' | 'priceOf' | 'ready'> = {
    factsOf: () => facts,
    priceOf: () => undefined,
    ready: () => Promise.resolve(),
  };
  return createPricing(prices as Prices);
}

interface Said {
  readonly family?: ModelProfile;
  readonly listed?: ModelProfile;
  readonly operator?: ModelProfile;
}

function targetOf({ family = {}, listed, operator }: Said): Target {
  const profiles = operator === undefined ? [] : [{ pattern: '*', profile: operator }];
  const listedModel: ListedModel | undefined = listed && { name: 'm', profile: listed };
  return {
    provider: { name: 'up', tables: undefined, free: false, notes: new Map(), profiles },
    model: 'm',
    profile: { ...family, ...listed, ...operator },
    listed: listedModel,
  } as unknown as Target;
}

test('context: operator, list and tables, family, and last what other hosts have', () => {
  const of = (facts: KnownFacts, said: Said) => pricingWith(facts).contextTokensOf(targetOf(said));
  const family = { contextTokens: 1 };
  expect(of({ contextTokens: 2 }, { family, operator: { contextTokens: 9 } })).toBe(9);
  expect(of({ contextTokens: 2 }, { family })).toBe(2);
  expect(of({ contextTokens: 3, contextOf: 'elsewhere' }, { family })).toBe(1);
  expect(of({ contextTokens: 3, contextOf: 'elsewhere' }, {})).toBe(3);
  expect(of({}, {})).toBeUndefined();
});

test('largest output: operator, list, tables, family; the bound is the largest where none is certain', () => {
  const of = (facts: KnownFacts, said: Said) => {
    const pricing = pricingWith(facts);
    const target = targetOf(said);
    return [pricing.outputTokensOf(target), pricing.outputBoundOf(target)];
  };
  const family = { outputTokensMax: 800 };
  expect(of({}, {})).toEqual([undefined, undefined]);
  expect(of({}, { family })).toEqual([800, 800]);
  expect(of({ outputTokensMax: 500 }, { family })).toEqual([500, 800]);
  expect(of({ outputTokensMax: 900 }, { family })).toEqual([900, 900]);
  expect(of({ outputTokensMax: 900 }, { family, listed: { outputTokensMax: 700 } })).toEqual([700, 700]);
  expect(of({ outputTokensMax: 900 }, { listed: { outputTokensMax: 700 }, operator: { outputTokensMax: 60 } })).toEqual(
    [60, 60],
  );
});

test('the end of a model', () => {
  const retirement = pricingWith({ shutdownAt: '2027-01-14' }).retirementOf(targetOf({}));
  expect(retirement?.headers).toEqual({ deprecation: '@1799884800', sunset: 'Thu, 14 Jan 2027 00:00:00 GMT' });
  expect(pricingWith({}).retirementOf(targetOf({}))).toBeUndefined();
});
