/** Who may invite whom: a person gives at most what they have. */

import type { AccountRecord, Role } from '../../access/account.ts';
import type { MembershipRecord } from '../../access/organization.ts';

interface Giver {
  readonly account: Pick<AccountRecord, 'role' | 'disabledAtMs'>;
  readonly memberships: readonly Pick<MembershipRecord, 'teamId' | 'role'>[];
}

interface Given {
  readonly role: Role;
  readonly teamId?: string | undefined;
}

/**
 * Owners give every role, administrators every role except owner. The admin of a team invites members into that team; a
 * viewer sees everything, so a team's admin cannot give that role.
 */
export function mayInvite({ account, memberships }: Giver, { role, teamId }: Given): boolean {
  if (account.disabledAtMs !== undefined) return false;
  if (account.role === 'owner') return true;
  if (account.role === 'admin') return role !== 'owner';
  if (account.role !== 'member' || role !== 'member') return false;
  return memberships.some((membership) => membership.teamId === teamId && membership.role === 'admin');
}

/** The teams into which this person may invite; undefined: every team, and none at all. */
export function teamsInvitingTo({ account, memberships }: Giver): readonly string[] | undefined {
  if (account.role === 'owner' || account.role === 'admin') return undefined;
  return memberships.flatMap(({ teamId, role }) =>
    mayInvite({ account, memberships }, { role: 'member', teamId }) && role === 'admin' ? [teamId] : [],
  );
}
