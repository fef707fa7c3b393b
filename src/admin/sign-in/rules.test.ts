/** What rules make of groups: the highest role wins, and roles that no rule is about stay. */

import { describe, expect, test } from 'bun:test';
import { ruledBy } from './rules.ts';

const rules = [
  { group: 'staff', team: 'A' },
  { group: 'leads', team: 'A', teamRole: 'admin' },
  { group: 'guests', team: 'A', teamRole: 'viewer' },
  { group: 'guests', team: 'B', role: 'viewer' },
  { group: 'it', role: 'admin' },
] as const;

const ruled = (...groups: string[]) => {
  const { role, teams } = ruledBy(rules, groups, 'member');
  return { role, teams: [...teams].map(([team, teamRole]) => `${team} ${teamRole}`) };
};

describe('rules', () => {
  test('no group gives no team and the default role', () => {
    expect(ruled()).toEqual({ role: 'member', teams: [] });
    expect(ruled('others')).toEqual({ role: 'member', teams: [] });
  });

  test('of several roles in a team the highest counts, in any order', () => {
    expect(ruled('guests', 'leads', 'staff')).toEqual({ role: 'viewer', teams: ['A admin', 'B member'] });
    expect(ruled('staff', 'guests').teams).toEqual(['A member', 'B member']);
  });

  test('of several roles the one that may do the most counts', () => {
    expect(ruled('guests', 'it').role).toBe('admin');
  });

  test('rules without roles leave roles to administrators', () => {
    expect(ruledBy([{ group: 'staff', team: 'A' }], ['staff'], 'viewer').role).toBeUndefined();
    expect(ruledBy([], ['staff'], 'viewer').role).toBeUndefined();
  });
});
