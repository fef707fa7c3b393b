/** What a member may give a token of their own, measured against the operator's defaults. */

import { describe, expect, test } from 'bun:test';
import type { TokenTerms } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import { playgroundTokenId } from './account-tokens.ts';
import { requireWithinDefaults } from './token-ceiling.ts';

const nowMs = Date.parse('2030-01-01');
const dayMs = 86_400_000;
const none: TokenDefaults = {
  rpm: undefined,
  tpm: undefined,
  concurrency: undefined,
  models: undefined,
  expiresInDays: undefined,
  budgetUsd: undefined,
  budgetPeriod: 'month',
  perPersonMax: 50,
};

function verdict(terms: Omit<TokenTerms, 'name'>, defaults: Partial<TokenDefaults> = {}): string {
  try {
    requireWithinDefaults({ name: 'mine', ...terms }, { ...none, ...defaults }, nowMs);
    return 'fine';
  } catch (error) {
    return error instanceof GatewayError ? `${error.code} ${error.param}` : 'another error';
  }
}

describe('a member', () => {
  test('may take less than the defaults, not more, and not none at all', () => {
    for (const limit of ['rpm', 'tpm', 'concurrency'] as const) {
      expect(verdict({ [limit]: 10 }, { [limit]: 10 })).toBe('fine');
      expect(verdict({ [limit]: 11 }, { [limit]: 10 })).toBe(`role_not_allowed ${limit}`);
      expect(verdict({}, { [limit]: 10 })).toBe(`role_not_allowed ${limit}`);
      expect(verdict({ [limit]: 11 })).toBe('fine');
    }
    expect(verdict({ expiresAtMs: nowMs + dayMs }, { expiresInDays: 1 })).toBe('fine');
    expect(verdict({ expiresAtMs: nowMs + dayMs + 1 }, { expiresInDays: 1 })).toBe('role_not_allowed expiresAt');
    expect(verdict({}, { expiresInDays: 1 })).toBe('role_not_allowed expiresAt');
  });

  test('may take less than the budget, for the same time or longer', () => {
    const defaults = { budgetUsd: '2.5', budgetPeriod: 'week' } as const;
    const budget = (limitNano: bigint, period: 'day' | 'week' | 'month' | 'total') => ({
      budget: { limitNano, period },
    });
    expect(verdict(budget(2_500_000_000n, 'week'), defaults)).toBe('fine');
    expect(verdict(budget(1n, 'month'), defaults)).toBe('fine');
    expect(verdict(budget(2_500_000_000n, 'total'), defaults)).toBe('fine');
    expect(verdict(budget(2_500_000_001n, 'total'), defaults)).toBe('role_not_allowed budgetUsd');
    expect(verdict(budget(1n, 'day'), defaults)).toBe('role_not_allowed budgetPeriod');
    expect(verdict({}, defaults)).toBe('role_not_allowed budgetUsd');
    expect(verdict({})).toBe('fine');
  });

  test('may name models among those of the defaults, and no wider pattern', () => {
    const defaults = { models: ['gpt-*', 'up/claude'] };
    expect(verdict({ models: ['gpt-*'] }, defaults)).toBe('fine');
    expect(verdict({ models: ['gpt-4.1', 'up/claude'] }, defaults)).toBe('fine');
    for (const models of [['*'], ['gpt-4*'], ['other'], ['gpt-*', 'up/*']])
      expect(verdict({ models }, defaults)).toBe('role_not_allowed models');
    expect(verdict({}, defaults)).toBe('role_not_allowed models');
  });

  test('grants no rights and gives no labels', () => {
    expect(verdict({ maySteer: true })).toBe('role_not_allowed maySteer');
    expect(verdict({ mayExplain: true })).toBe('role_not_allowed mayExplain');
    expect(verdict({ labels: ['eu'] })).toBe('role_not_allowed labels');
    expect(verdict({ strict: true, addresses: ['10.0.0.0/8'] })).toBe('fine');
  });
});

test('an account has one token for the playground', () => {
  expect(playgroundTokenId('acc_00ff')).toBe('tok_playground_00ff');
});
