import { describe, expect, test } from 'bun:test';
import type { Caller, TokenTerms } from '../../access/caller.ts';
import { callerOf } from '../../access/levels/caller-of.ts';
import type { LevelsAbove } from '../../access/levels/load-levels.ts';
import type { BudgetUnit } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Price } from '../../prices/price.ts';
import { flatRate, priceOf } from '../../prices/tables/table.ts';
import type { Target } from '../../routing/catalogue.ts';
import { budgetsOf } from './budget-scopes.ts';

const target = { model: 'm', provider: { name: 'up' } } as Target;
const callerWith = (budget: TokenTerms['budget']) =>
  callerOf({ id: 't', hint: '', createdAtMs: 0, terms: { name: 't', ...(budget && { budget }) } });
const budgeted = callerWith({ limitNano: 5n, period: 'total' });
const own = priceOf({ input: flatRate(1n), output: flatRate(1n) }, 'models.dev 2026-07-02');
const guess = priceOf({ input: flatRate(1n), output: flatRate(1n) }, 'guess: models.dev 2026-07-02 other', true);

function verdict(caller: Caller, price: Price | undefined, guesses: 'display' | 'budgets' | 'off' = 'display'): string {
  try {
    return `${budgetsOf({ caller, model: 'm', target, price }, { guesses }, 0).scopes.length} scopes`;
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

describe('budgets of the levels above', () => {
  const team = (unit: BudgetUnit): LevelsAbove => ({
    creators: [],
    levels: [
      { kind: 'team', id: 'team_a', name: 'A', terms: { budgets: [{ id: 'b', unit, limit: 5n, period: 'total' }] } },
    ],
  });
  const below = (unit: BudgetUnit) => callerOf({ id: 't', hint: '', createdAtMs: 0, terms: { name: 't' } }, team(unit));

  test('in money need a price, and the error names the level', () => {
    expect(verdict(below('usd'), undefined)).toStartWith('price_unknown: The team "A" has a budget and m has no known');
    expect(verdict(below('usd'), own)).toBe('1 scopes');
  });

  test('in requests or tokens need none', () => {
    expect(verdict(below('requests'), undefined)).toBe('1 scopes');
    expect(verdict(below('tokens'), guess)).toBe('1 scopes');
  });
});
