import { describe, expect, test } from 'bun:test';
import { callerOf } from '../../access/levels/caller-of.ts';
import type { LevelBudget, LevelTerms } from '../../access/organization.ts';
import { allBudgets, countedBudgets } from './level-budgets.ts';

const dayMs = 86_400_000;
const named = { asked: 'fast', provider: 'up', model: 'gpt-4o' };
const budget = (id: string, more: Partial<LevelBudget> = {}): LevelBudget => ({
  id,
  unit: 'requests',
  limit: 10n,
  period: 'total',
  ...more,
});
const callerWith = (team: LevelTerms, own: readonly LevelBudget[] = []) =>
  callerOf(
    {
      id: 'tok',
      hint: '',
      createdAtMs: 0,
      terms: { name: 't', budget: { limitNano: 7n, period: 'day' }, budgets: own },
    },
    {
      levels: [
        { kind: 'organization', id: 'org', name: 'O', terms: { budgets: [budget('all')] } },
        { kind: 'team', id: 'team_a', name: 'A', terms: team },
      ],
      creators: [{ id: 'creator', hint: '', createdAtMs: 0, terms: { name: 'm', budgets: [budget('x')] } }],
    },
  );

describe('the budgets that count for a call', () => {
  test('are those of all levels from the top, under the names of their scopes', () => {
    const caller = callerWith({ budgets: [budget('one'), budget('two', { unit: 'tokens' })] }, [budget('more')]);
    const { scopes, money, tokens } = countedBudgets(caller, named, 5);
    expect(scopes.map(({ scope }) => scope)).toEqual([
      'org:org#all',
      'team:team_a#one',
      'team:team_a#two',
      'token:creator#x',
      'token:tok',
      'token:tok#more',
    ]);
    expect(scopes[4]).toEqual({ scope: 'token:tok', unit: 'usd', limit: 7n, windowStartMs: 0 });
    expect([money?.scope, tokens?.scope]).toEqual(['token:tok', 'team:team_a#two']);
    const further = countedBudgets(caller, named, 5).furtherScopes;
    expect(further.map(({ scope }) => scope)).toEqual(['team:team_a#two', 'token:tok']);
    expect(allBudgets(caller)).toHaveLength(6);
  });

  test('are one array until a window ends, also for copies of the caller', () => {
    const caller = callerWith({});
    const first = countedBudgets(caller, named, 5).scopes;
    expect(countedBudgets({ ...caller }, { ...named, asked: 'other' }, dayMs - 1).scopes).toBe(first);
    const next = countedBudgets(caller, named, dayMs).scopes;
    expect(next).not.toBe(first);
    expect(next.map(({ windowStartMs }) => windowStartMs)).toEqual([0, 0, dayMs]);
    // The clock was set back.
    expect(countedBudgets(caller, named, dayMs - 1).scopes).toEqual(first);
  });

  test('have the raised limit until the raise ends', () => {
    const caller = callerWith({ budgets: [budget('b', { raise: { limit: 99n, untilMs: 1_000 } })] });
    const limitAt = (atMs: number) => countedBudgets(caller, named, atMs).scopes[1]?.limit;
    expect([limitAt(0), limitAt(999), limitAt(1_000), limitAt(999)]).toEqual([99n, 99n, 10n, 99n]);
  });

  test('match the name that was asked for and that of the provider', () => {
    for (const [models, counts] of [
      [['fast'], true],
      [['gpt-*'], true],
      [['up/*'], true],
      [['claude-*'], false],
    ] as const) {
      const caller = callerWith({ budgets: [budget('b', { models })] });
      const scopes = countedBudgets(caller, named, 0).scopes.map(({ scope }) => scope);
      expect(scopes.includes('team:team_a#b')).toBe(counts);
    }
  });

  test('are none for a caller without budgets', () => {
    const caller = callerOf({ id: 't', hint: '', createdAtMs: 0, terms: { name: 't' } });
    expect(countedBudgets(caller, named, 0).scopes).toEqual([]);
  });
});
