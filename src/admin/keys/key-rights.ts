/** What an admin key may do now: at most what the account that created it may do. */

import type { AccountRecord, Role } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { AdminKeyRecord } from '../../store/admin-keys/admin-key-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { TeamKeyRole } from '../contracts/admin-key-contract.ts';

export interface KeyRights {
  readonly creator: AccountRecord;
  /** Of the account that the key acts as. */
  readonly role: Role;
  /** Nothing but this team. */
  readonly team?: { readonly id: string; readonly role: TeamKeyRole };
}

interface RightsOptions {
  readonly accountOf: (id: string) => Promise<AccountRecord | undefined>;
  readonly organization: Pick<OrganizationStore, 'byId' | 'membershipsOf'>;
}

type Grant = Pick<AdminKeyRecord, 'role' | 'teamId' | 'createdBy'>;

/** Throws where the creator has nothing left that the key could have. */
export async function rightsOf(grant: Grant, { accountOf, organization }: RightsOptions): Promise<KeyRights> {
  const creator = await accountOf(grant.createdBy);
  if (creator === undefined || creator.disabledAtMs !== undefined) {
    throw lost('The account that created this admin key is disabled.');
  }
  if (grant.teamId === undefined) return { creator, role: roleFor(creator, grant.role) };
  if ((await organization.byId(grant.teamId))?.kind !== 'team') throw lost('The team of this admin key was removed.');
  const role = await teamRoleFor(creator, grant.teamId, organization);
  if (role === undefined) throw lost('The account that created this admin key has no rights in its team any more.');
  const effective = grant.role === 'admin' && role === 'admin' ? 'admin' : 'viewer';
  return { creator, role: 'member', team: { id: grant.teamId, role: effective } };
}

/** An owner who became an admin has keys of an admin. */
function roleFor(creator: AccountRecord, role: Role): Role {
  if (creator.role === 'owner') return role;
  if (creator.role === 'admin') return role === 'owner' ? 'admin' : role;
  throw lost('The account that created this admin key is no longer an owner or admin.');
}

async function teamRoleFor(
  { id, role }: AccountRecord,
  teamId: string,
  organization: RightsOptions['organization'],
): Promise<TeamKeyRole | undefined> {
  if (role === 'owner' || role === 'admin') return 'admin';
  if (role === 'viewer') return 'viewer';
  const member = (await organization.membershipsOf(id)).find((each) => each.teamId === teamId);
  return member?.role === 'member' ? undefined : member?.role;
}

const lost = (message: string): GatewayError => new GatewayError('admin_key_revoked', `${message} Create a new key.`);
