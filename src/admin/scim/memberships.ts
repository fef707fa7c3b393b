/** What the groups of a directory make of a person: a role by the rules, and teams by the rules or by the group's name. */

import type { AccountRecord } from '../../access/account.ts';
import type { TeamRole } from '../../access/organization.ts';
import type { Config } from '../../settings/config.ts';
import type { ScimGroupRow } from '../../store/scim/scim-store.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Client } from '../accounts/sessions.ts';
import { applyTeams, teamFinder, unitsReadMax } from '../sign-in/provision.ts';
import { higherRole, ruledBy } from '../sign-in/rules.ts';

export interface MembershipOptions {
  readonly store: Pick<Store, 'accounts' | 'organization' | 'scim'>;
  readonly config: Config['scim'];
  readonly audit: Audit;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly nowMs: () => number;
}

/** The name in the audit log, and of the source of memberships. */
export const directoryName = 'scim';

/** An owner with a password is the way in when the directory is wrong: it decides nothing about them. */
export async function isBreakGlass(
  accounts: Pick<Store['accounts'], 'passwordHash'>,
  account: AccountRecord,
): Promise<boolean> {
  return account.role === 'owner' && (await accounts.passwordHash(account.id)) !== '';
}

/** Applies the groups that the person is in now. */
export async function applyGroups(options: MembershipOptions, account: AccountRecord, client: Client): Promise<void> {
  const { store, config, audit, warn } = options;
  const groups = await store.scim.groupsOf(account.id);
  const { role, teams } = ruledBy(config.rules, namesOf(groups), config.defaultRole);
  const wanted = new Map<string, TeamRole>(teams);
  const unruled = groups.filter((group) => !config.rules.some((rule) => namesOf([group]).includes(rule.group)));
  if (unruled.length > 0) {
    const find = teamFinder(await store.organization.list(unitsReadMax));
    for (const { displayName } of unruled) {
      const team = find(displayName);
      if (team !== undefined) wanted.set(team.id, higherRole(config.teamRole, wanted.get(team.id)));
    }
  }
  const detail: Record<string, string | readonly string[]> = {};
  if (role !== undefined && role !== account.role && !(await isBreakGlass(store.accounts, account))) {
    const outcome = await store.accounts.update(account.id, { role });
    if (outcome === 'changed') detail['role'] = role;
    else warn('Role not changed by the groups of the directory', { account: account.name, role, outcome });
  }
  const source = { name: directoryName, source: directoryName };
  Object.assign(detail, await applyTeams({ ...options, ...store }, account, wanted, source));
  if (Object.keys(detail).length === 0) return;
  const entry = { action: 'account-change', subject: `account:${account.id}`, detail } as const;
  await audit.write({ accountName: directoryName, client }, entry);
}

/** A rule names a group by its name, or by the id that the directory has for it. */
const namesOf = (groups: readonly ScimGroupRow[]): readonly string[] =>
  groups.flatMap(({ displayName, externalId }) => [displayName, ...(externalId === undefined ? [] : [externalId])]);
