import { describe, expect, test } from 'bun:test';
import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Price } from '../../prices/price.ts';
import { flatRate, priceOf } from '../../prices/tables/table.ts';
import type { Target } from '../../routing/catalogue.ts';
import { budgetScopesOf } from './budget-scopes.ts';

const target = { model: 'm' } as Target;
const callerWith = (budget: object | undefined) => ({ tokenId: 't', terms: { budget } }) as unknown as Caller;
const budgeted = callerWith({ limitNano: 5n, period: 'total' });
const own = priceOf({ input: flatRate(1n), output: flatRate(1n) }, 'models.dev 2026-07-02');
const guess = priceOf({ input: flatRate(1n), output: flatRate(1n) }, 'guess: models.dev 2026-07-02 other', true);

function verdict(caller: Caller, price: Price | undefined, guesses: 'display' | 'budgets' | 'off' = 'display'): string {
  try {
    return `${budgetScopesOf(caller, target, price, { guesses }, 0).length} scopes`;
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe('a token with a budget', () => {
  test('is served at a price of the provider’s own', () => {
    expect(verdict(budgeted, own)).toBe('1 scopes');
  });

  test('is served at a guess only where the operator allows it, and the error names the provider of the guess', () => {
    expect(verdict(budgeted, guess, 'budgets')).toBe('1 scopes');
    for (const guesses of ['display', 'off'] as const) {
      expect(verdict(budgeted, guess, guesses)).toStartWith(
        'price_unknown: This token has a budget and m has no known price',
      );
      expect(verdict(budgeted, guess, guesses)).toContain('(models.dev 2026-07-02 other)');
      expect(verdict(budgeted, guess, guesses)).toContain('price_tables.guesses: budgets');
    }
  });

  test('is not served without a known price, nor by one for other units', () => {
    expect(verdict(budgeted, undefined)).toStartWith('price_unknown: ');
    expect(verdict(budgeted, priceOf({ units: { seconds: 1n } }, 'x'))).toStartWith('price_unknown: ');
  });
});

test('a token without a budget is served at any price', () => {
  for (const price of [own, guess, undefined]) expect(verdict(callerWith(undefined), price)).toBe('0 scopes');
});
