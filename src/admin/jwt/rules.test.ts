/** What claims come to by rules: which rule, which unit, and budgets that stay the same budget. */

import { describe, expect, test } from 'bun:test';
import type { UnitRecord } from '../../access/organization.ts';
import type { JwtRule } from '../../settings/jwt-settings.ts';
import { outcomeOf, ruleFor } from './rules.ts';

const unit = (id: string, kind: UnitRecord['kind'], name: string, parentId: string): UnitRecord => ({
  ...{ id, kind, name, parentId, terms: {}, createdAtMs: 0 },
});
const units = async () => [
  unit('team_1', 'team', 'Research', 'org'),
  unit('proj_1', 'project', 'Ranking', 'team_1'),
  unit('team_2', 'team', 'Ranking', 'org'),
];

test('the first rule counts whose claims all match', () => {
  const rules: readonly JwtRule[] = [
    { match: { repo: ['company/*'], public: ['false'] }, rpm: 1 },
    { match: { 'kubernetes.io.namespace': ['batch'] }, rpm: 2 },
    { match: { groups: ['a', 'b-*'] }, rpm: 3 },
  ];
  const rpmOf = (claims: object) => {
    try {
      return ruleFor({ rules }, { ...claims }).rpm;
    } catch {
      return 'none';
    }
  };
  expect(rpmOf({ repo: 'company/app', public: false })).toBe(1);
  expect(rpmOf({ repo: 'company/app' })).toBe('none');
  expect(rpmOf({ repo: 'evil-company/app', public: false })).toBe('none');
  expect(rpmOf({ 'kubernetes.io': { namespace: 'batch' } })).toBe(2);
  expect(rpmOf({ groups: ['x', 'b-1'] })).toBe(3);
  expect(rpmOf({ groups: { a: true } })).toBe('none');
});

describe('an outcome', () => {
  test('has the project of the named team, whatever other teams are called', async () => {
    const of = (rule: object, claims: object = {}) => outcomeOf({ match: {}, ...rule }, { ...claims }, units);
    expect((await of({ team: 'research', project: 'ranking' })).unitId).toBe('proj_1');
    expect((await of({ team: { claim: 'department' } }, { department: 'team_2' })).unitId).toBe('team_2');
    expect((await of({})).unitId).toBeUndefined();
    expect(of({ team: 'Ranking', project: 'Ranking' })).rejects.toMatchObject({ code: 'jwt_not_allowed' });
    // A project is no team.
    expect(of({ team: 'proj_1' })).rejects.toMatchObject({ code: 'jwt_not_allowed' });
  });

  test('has budgets whose ids say what they count, so that a new limit is the same budget', async () => {
    const budgetsOf = async (limit: bigint | { claim: string }, claims: object = {}) =>
      (
        await outcomeOf(
          {
            match: {},
            budgets: [
              { unit: 'usd', limit: 5n, period: 'month' },
              { unit: 'tokens', limit, period: 'day', models: ['gpt-*'] },
            ],
          },
          { ...claims },
          units,
        )
      ).terms;
    const first = await budgetsOf(7n);
    expect(first.budget).toEqual({ limitNano: 5n, period: 'month' });
    const claimed = await budgetsOf({ claim: 'quota' }, { quota: 9 });
    expect(claimed.budgets?.map(({ limit }) => limit)).toEqual([9n]);
    expect(claimed.budgets?.[0]?.id).toBe(first.budgets?.[0]?.id ?? '');
    for (const quota of [0, -1, 1.5, 'much', undefined]) {
      expect(budgetsOf({ claim: 'quota' }, { quota })).rejects.toMatchObject({ code: 'jwt_refused' });
    }
  });
});
