/** Who may invite whom, over every pair of roles. */

import { expect, test } from 'bun:test';
import { type Role, roles } from '../../access/account.ts';
import type { TeamRole } from '../../access/organization.ts';
import { mayInvite, teamsInvitingTo } from './may-invite.ts';

const givenBy = (role: Role, teamRole?: TeamRole, teamId?: string): readonly Role[] => {
  const memberships = teamRole === undefined ? [] : [{ teamId: 'team_a', role: teamRole }];
  return roles.filter((given) => mayInvite({ account: { role }, memberships }, { role: given, teamId }));
};

test('owners give every role, administrators all but owner, others none', () => {
  expect(roles.map((role) => givenBy(role))).toEqual([roles, ['admin', 'member', 'viewer'], [], []] as never);
});

test('a team’s admin gives membership of that team and nothing else', () => {
  expect(givenBy('member', 'admin', 'team_a')).toEqual(['member']);
  for (const given of [
    givenBy('member', 'admin'),
    givenBy('member', 'admin', 'team_b'),
    givenBy('member', 'member', 'team_a'),
    givenBy('member', 'viewer', 'team_a'),
    givenBy('viewer', 'admin', 'team_a'),
  ]) {
    expect(given).toEqual([]);
  }
});

test('a disabled person gives nothing', () => {
  const account = { role: 'owner', disabledAtMs: 1 } as const;
  expect(mayInvite({ account, memberships: [] }, { role: 'viewer' })).toBe(false);
});

test('administrators see every invitation, admins of teams those of their teams', () => {
  const memberships = [
    { teamId: 'team_a', role: 'admin' },
    { teamId: 'team_b', role: 'member' },
  ] as const;
  const teams = (role: Role) => teamsInvitingTo({ account: { role }, memberships });
  expect(roles.map(teams)).toEqual([undefined, undefined, ['team_a'], []]);
});
