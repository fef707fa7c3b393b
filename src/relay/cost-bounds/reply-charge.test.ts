/** What a reply is charged: by the model that served it, with what other models and tools of the provider cost beside it. */

import { describe, expect, test } from 'bun:test';
import type { Usage } from '../../conversation/usage.ts';
import type { Price } from '../../prices/price.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CallFacts } from '../admission/call.ts';
import { replyCharge, useCharge } from './reply-charge.ts';

const flat = (usdPerMillion: number, more: Partial<Price> = {}): Price => {
  const rate = { nanoPerMillion: BigInt(usdPerMillion) * 1_000_000_000n, tiers: [] };
  return { version: 'table', input: rate, output: rate, ...more };
};
const each = (usd: number): bigint => BigInt(usd * 1e9) * 1_000_000n;

const prices: Readonly<Record<string, Price>> = {
  cheap: flat(1, { units: { tools: { code_interpreter: each(0.03) } } }),
  expensive: flat(100),
  guessed: flat(50, { guess: true }),
  'mine-cheap': flat(1, { version: 'operator' }),
  'mine-expensive': flat(100, { version: 'operator' }),
};

interface Given {
  readonly asked?: string;
  readonly usage?: Partial<Usage>;
  readonly named?: readonly string[];
  readonly reportsCost?: boolean;
}

const usage: Usage = { input: { total: 100 }, output: { total: 900 } };
const plainNano = 1_000_000n;

function charged({ asked = 'cheap', usage: more, named, reportsCost = false }: Given = {}) {
  const provider = { quirks: { toolFees: { file_search: 0.0025, web_search: 0.01 } }, reportsCost, free: false };
  const target = { model: asked, provider } as unknown as Target;
  const further = named?.map((model) => ({ param: 'models', target: { ...target, model }, times: 1 }));
  const facts = { model: asked, ...(further !== undefined && { further }) } as unknown as CallFacts;
  const parts = { priceOf: ({ model }: Target) => prices[model] };
  const served = { target, price: prices[asked], facts };
  const { costNano, guessed } = replyCharge(parts, served, { ...usage, ...more });
  return { costNano, guessed, ofUse: useCharge(parts, served, { tokens: usage }) };
}

describe('the model', () => {
  test.each([
    ['none', undefined],
    ['the one that was asked for', 'cheap'],
    ['a dated release of it', 'cheap-2026-11-19'],
    ['the same behind a path', 'vendor/cheap'],
    ['one without a known price', 'unknown'],
    ['one whose price is a guess', 'guessed'],
  ])('named in the reply: %s costs what was asked for', (_, model) => {
    expect(charged({ usage: { model } }).costNano).toBe(plainNano);
  });

  test('another one costs what it costs, up and down', () => {
    expect(charged({ usage: { model: 'expensive' } }).costNano).toBe(100n * plainNano);
    expect(charged({ asked: 'expensive', usage: { model: 'cheap' } }).costNano).toBe(plainNano);
  });

  test('the operator’s own price stays, unless the caller named the other model or the operator priced it too', () => {
    expect(charged({ asked: 'mine-cheap', usage: { model: 'expensive' } }).costNano).toBe(plainNano);
    expect(charged({ asked: 'mine-cheap', usage: { model: 'expensive' }, named: ['expensive'] }).costNano).toBe(
      100n * plainNano,
    );
    expect(charged({ asked: 'mine-cheap', usage: { model: 'mine-expensive' } }).costNano).toBe(100n * plainNano);
  });

  test('a reply that names none is charged by the most expensive that the body named, as a guess', () => {
    expect(charged({ named: ['expensive'] })).toMatchObject({ costNano: 100n * plainNano });
    expect(charged({ named: ['expensive'] }).ofUse).toMatchObject({ costNano: 100n * plainNano, guessed: true });
    expect(charged({ asked: 'expensive', named: ['cheap'] }).ofUse).toMatchObject({ guessed: false });
  });
});

describe('beside it', () => {
  test('further models at their own prices', () => {
    const beside = [{ ...usage, model: 'expensive' }];
    expect(charged({ usage: { beside } })).toMatchObject({ costNano: 101n * plainNano, guessed: false });
    expect(charged({ usage: { beside: [{ ...usage, model: 'unknown' }] } })).toMatchObject({
      costNano: 2n * plainNano,
      guessed: true,
    });
  });

  test('calls of tools at the price of the model, else at that of the preset', () => {
    expect(charged({ usage: { toolCalls: { code_interpreter: 2 } } }).costNano).toBe(plainNano + 60_000_000n);
    expect(charged({ usage: { toolCalls: { file_search: 4 } } }).costNano).toBe(plainNano + 10_000_000n);
    expect(charged({ usage: { toolCalls: { next_year: 4 } } }).costNano).toBe(plainNano);
    expect(charged({ usage: { webSearches: 3 } }).costNano).toBe(plainNano + 30_000_000n);
  });

  test('a surcharge, rounded up', () => {
    expect(charged({ usage: { surchargePercent: 10 } }).costNano).toBe(1_100_000n);
  });

  test('the cost that the provider states counts only where it is known to be in USD', () => {
    expect(charged({ usage: { costUsd: 0.5 } }).costNano).toBe(plainNano);
    expect(charged({ usage: { costUsd: 0.5 }, reportsCost: true }).costNano).toBe(500_000_000n);
    expect(charged({ usage: { costUsd: 0 }, reportsCost: true }).costNano).toBe(0n);
    expect(charged({ asked: 'unknown', usage: { costUsd: 0.1 }, reportsCost: true }).costNano).toBe(100_000_000n);
  });
});
