import { describe, expect, test } from 'bun:test';
import { callerOf } from '../../access/levels/caller-of.ts';
import type { BudgetUnit, LevelBudget } from '../../access/organization.ts';
import { budgetRefusal } from './budget-refusal.ts';

const nowMs = Date.UTC(2026, 10, 17, 12);
const bounds = { mostNano: () => 2_000_000_000n, mostTokens: () => 500, outputFitting: () => 40 };

async function refusal(unit: BudgetUnit, more: Partial<LevelBudget> = {}, standing = [3n, 1n]) {
  const budget: LevelBudget = { id: 'b', unit, limit: 4n, period: 'month', ...more };
  const caller = callerOf(
    { id: 'tok', hint: '', createdAtMs: 0, terms: { name: 't', budget: { limitNano: 1n, period: 'day' } } },
    { levels: [{ kind: 'team', id: 'team_a', name: 'Research', terms: { budgets: [budget] } }], creators: [] },
  );
  const [spentNano = 0n, heldNano = 0n] = standing;
  const parts = { budgetOf: async () => ({ spentNano, heldNano }), wallMs: () => nowMs };
  return (scope = 'team:team_a#b') => budgetRefusal(parts, caller, scope, bounds);
}

describe('the error of a budget without room', () => {
  test('names the level, what it has left, spent and holds, and when it resets', async () => {
    const { message, headers, code } = await (await refusal('requests'))();
    expect(code).toBe('budget_spent');
    expect(message).toBe(
      'This is one request, and 0 requests are left of the budget of 4 requests a month of the team "Research" (3 requests spent, 1 request held by requests in flight). The budget resets at 2026-12-01T00:00:00.000Z.',
    );
    expect(headers).toEqual({
      'x-weir-budget-level': 'team:team_a',
      'x-weir-budget-unit': 'requests',
      'x-weir-budget-period': 'month',
      'x-weir-budget-limit': '4',
      'x-weir-budget-spent': '3',
      'x-weir-budget-held': '1',
      'x-weir-budget-left': '0',
      'x-weir-budget-reset': '2026-12-01T00:00:00.000Z',
    });
  });

  test('says what the request could use of tokens and of money, and what would fit', async () => {
    const tokens = await (await refusal('tokens', { limit: 400n, period: 'total' }, [0n, 0n]))();
    expect(tokens.message).toBe(
      'This request could use up to 500 tokens, and 400 tokens are left of the budget of 400 tokens of the team "Research".',
    );
    const money = await (await refusal('usd', { limit: 1_500_000_000n, period: 'total' }, [0n, 0n]))();
    expect(money.message).toBe(
      'This request could cost up to $2.00, and $1.50 is left of the budget of $1.50 of the team "Research". It fits with an output limit of 40 tokens or less.',
    );
    expect(money.headers?.['x-weir-budget-limit']).toBe('1.50');
  });

  test('is counted against the raised limit', async () => {
    const { message } = await (await refusal('requests', { raise: { limit: 9n, untilMs: nowMs + 1 } }, [9n, 0n]))();
    expect(message).toContain('0 requests are left of the budget of 9 requests a month');
  });

  test('of the token itself names no level', async () => {
    const { message, headers } = await (await refusal('usd'))('token:tok');
    expect(message).toContain("is left of the token's budget of $0.000000001 a day");
    expect(headers?.['x-weir-budget-level']).toBe('token:tok');
  });

  test('is a plain one where the budget is gone', async () => {
    expect((await (await refusal('usd'))('team:other#b')).code).toBe('budget_spent');
  });
});
