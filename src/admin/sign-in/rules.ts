/** What the rules of an issuer make of a person's groups: a role, and teams with a role in each. Pure. */

import { type Role, roles } from '../../access/account.ts';
import { type TeamRole, teamRoles } from '../../access/organization.ts';
import type { SignInRule } from '../../settings/sign-in-settings.ts';

interface Ruled {
  /** Absent where no rule is about roles: an administrator sets them then. */
  readonly role?: Role;
  /** By the team as the rule names it. */
  readonly teams: ReadonlyMap<string, TeamRole>;
}

export const higherRole = (role: TeamRole, other: TeamRole = 'viewer'): TeamRole =>
  teamRoles.indexOf(role) > teamRoles.indexOf(other) ? role : other;

/** Of several rules that match, the one that gives the most counts. */
export function ruledBy(rules: readonly SignInRule[], groups: readonly string[], defaultRole: Role): Ruled {
  const given = new Set(groups);
  const matching = rules.filter(({ group }) => given.has(group));
  const teams = new Map<string, TeamRole>();
  for (const { team, teamRole = 'member' } of matching) {
    if (team !== undefined) teams.set(team, higherRole(teamRole, teams.get(team)));
  }
  if (rules.every(({ role }) => role === undefined)) return { teams };
  // The list of roles begins with the one that may do the most.
  const role = roles.find((each) => matching.some((rule) => rule.role === each)) ?? defaultRole;
  return { teams, role };
}
