/** Effort, budget and adaptive thinking are converted into each other; what the model does not support is reported. */

import { describe, expect, test } from 'bun:test';
import { LossList } from '../loss-list.ts';
import type { ThinkingRule } from '../model-profile.ts';
import type { Thinking } from '../text-request.ts';
import { fitThinking, thinksWhenAsked } from './thinking.ts';

type Row = readonly [
  requested: Thinking,
  limit: number | undefined,
  sent: Thinking | undefined,
  lost: readonly string[],
];

function check(rule: ThinkingRule, rows: readonly Row[]): void {
  test.each(rows)('%j within %p', (requested, limit, sent, lost) => {
    const losses = new LossList();
    expect(fitThinking(requested, rule, losses, limit)).toEqual(sent);
    expect(losses.all.map(({ what }) => what)).toEqual([...lost]);
  });
}

describe('never', () => {
  check({ kind: 'never' }, [
    [{ effort: 'high' }, undefined, undefined, ['thinking']],
    [{ mode: 'off' }, undefined, undefined, []],
  ]);
});

describe('always', () => {
  check({ kind: 'always' }, [
    [{ mode: 'on', visible: true }, undefined, { visible: true }, []],
    [{ effort: 'low' }, undefined, undefined, ['thinking amount']],
    [{ mode: 'off' }, undefined, undefined, ['thinking off']],
  ]);
});

describe('a switch', () => {
  check({ kind: 'switch' }, [
    [{ mode: 'adaptive' }, undefined, { mode: 'on' }, []],
    [{ budgetTokens: 2_000 }, undefined, { mode: 'on' }, ['thinking amount']],
    [{ effort: 'none' }, undefined, { mode: 'off' }, []],
  ]);
});

describe('a budget that can be off', () => {
  check({ kind: 'budget', tokensMin: 1_024, tokensMax: 32_000, canBeOff: true }, [
    [{ effort: 'high' }, undefined, { budgetTokens: 24_576 }, []],
    [{ effort: 'minimal' }, undefined, { budgetTokens: 1_024 }, ['thinking effort minimal']],
    [{ mode: 'adaptive' }, undefined, { mode: 'on', budgetTokens: 8_192 }, []],
    [{ mode: 'on', budgetTokens: 50_000 }, undefined, { mode: 'on', budgetTokens: 32_000 }, ['thinking budget']],
    [{ mode: 'off' }, undefined, { mode: 'off' }, []],
    // A word leaves a quarter of the reply to the answer, a number one token.
    [{ effort: 'high' }, 8_000, { budgetTokens: 6_000 }, ['thinking effort high']],
    [{ effort: 'high' }, 32_000, { budgetTokens: 24_000 }, []],
    [{ budgetTokens: 8_000 }, 8_000, { budgetTokens: 7_999 }, ['thinking budget']],
    [{ budgetTokens: 31_999 }, 32_000, { budgetTokens: 31_999 }, []],
    [{ effort: 'high' }, 1_000, { mode: 'off' }, ['thinking']],
  ]);
});

describe('a dynamic budget that cannot be off', () => {
  check({ kind: 'budget', tokensMin: 128, tokensMax: 32_768, canBeOff: false, dynamic: true }, [
    [{ mode: 'adaptive', visible: true }, undefined, { mode: 'adaptive', visible: true }, []],
    [{ mode: 'off' }, undefined, { budgetTokens: 128 }, ['thinking off']],
    [{ effort: 'low' }, 100, { budgetTokens: 128 }, ['thinking effort low']],
  ]);
});

describe('a budget beside an effort', () => {
  check({ kind: 'budget', tokensMin: 1_024, canBeOff: true, efforts: ['low', 'medium', 'high'] }, [
    [{ effort: 'high' }, undefined, { budgetTokens: 24_576, effort: 'high' }, []],
    [{ budgetTokens: 2_000 }, undefined, { budgetTokens: 2_000 }, []],
  ]);
});

describe('adaptive', () => {
  check({ kind: 'adaptive', efforts: ['low', 'medium', 'high'], canBeOff: false }, [
    [{ budgetTokens: 31_999 }, undefined, { mode: 'adaptive', effort: 'high' }, []],
    [{ mode: 'on' }, undefined, { mode: 'adaptive' }, []],
    [{ effort: 'max' }, undefined, { mode: 'adaptive', effort: 'high' }, ['thinking effort max']],
    [{ effort: 'minimal' }, undefined, { mode: 'adaptive', effort: 'low' }, ['thinking effort minimal']],
    [{ effort: 'unknown' }, undefined, { mode: 'adaptive' }, ['thinking effort unknown']],
    [{ mode: 'off' }, undefined, { mode: 'adaptive', effort: 'low' }, ['thinking off']],
  ]);
});

describe('adaptive, with budgets as well', () => {
  check({ kind: 'adaptive', efforts: ['low', 'high'], canBeOff: true, budgets: { tokensMin: 1_024 } }, [
    [{ mode: 'on', budgetTokens: 5_000 }, undefined, { mode: 'on', budgetTokens: 5_000 }, []],
    [{ effort: 'high' }, undefined, { mode: 'adaptive', effort: 'high' }, []],
    [{ mode: 'off' }, undefined, { mode: 'off' }, []],
  ]);
});

describe('an effort', () => {
  check({ kind: 'effort', efforts: ['none', 'low', 'medium', 'high'] }, [
    [{ mode: 'on' }, undefined, { effort: 'medium' }, []],
    [{ mode: 'adaptive' }, undefined, undefined, []],
    [{ budgetTokens: 2_000 }, undefined, { effort: 'low' }, []],
    [{ mode: 'off' }, undefined, { effort: 'none' }, []],
    [{ effort: 'minimal' }, undefined, { effort: 'low' }, ['thinking effort minimal']],
  ]);
});

test('whether a model thinks when it is asked so', () => {
  const effort: ThinkingRule = { kind: 'effort', efforts: ['none', 'low'], byDefault: 'none' };
  expect(thinksWhenAsked(undefined, effort)).toBe(false);
  expect(thinksWhenAsked(undefined, { ...effort, byDefault: 'low' })).toBe(true);
  expect(thinksWhenAsked({ effort: 'none' }, { ...effort, byDefault: 'low' })).toBe(false);
  expect(thinksWhenAsked({ mode: 'off' }, { kind: 'always' })).toBe(true);
  expect(thinksWhenAsked({ mode: 'on' }, { kind: 'never' })).toBe(false);
  expect(thinksWhenAsked({ visible: true }, undefined)).toBe(false);
});
