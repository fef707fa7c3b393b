/** Finds what people name on the command line: a team, a project or an account, by its ID or its name. */

import type { AccountRecord } from '../access/account.ts';
import type { UnitRecord } from '../access/organization.ts';
import { nameKeyOf } from '../admin/accounts/name-key.ts';
import { organizationBounds } from '../admin/contracts/organization-contract.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Store } from '../store/store.ts';

export const unitsOf = ({ organization }: Pick<Store, 'organization'>): Promise<readonly UnitRecord[]> =>
  organization.list(organizationBounds.unitsListedMax);

export function teamNamed(units: readonly UnitRecord[], reference: string): UnitRecord {
  const teams = units.filter(({ kind }) => kind === 'team');
  return named(teams, reference) ?? missing('No team has this ID or name.');
}

export function projectNamed(units: readonly UnitRecord[], team: UnitRecord, reference: string): UnitRecord {
  const projects = units.filter(({ kind, parentId }) => kind === 'project' && parentId === team.id);
  return named(projects, reference) ?? missing('No project of this team has this ID or name.');
}

export async function accountNamed({ accounts }: Pick<Store, 'accounts'>, reference: string): Promise<AccountRecord> {
  const found = (await accounts.byId(reference)) ?? (await accounts.byName(nameKeyOf(reference)))?.account;
  return found ?? missing('No account has this ID or name.');
}

const named = (units: readonly UnitRecord[], reference: string): UnitRecord | undefined =>
  units.find(({ id }) => id === reference) ?? units.find(({ name }) => nameKeyOf(name) === nameKeyOf(reference));

function missing(message: string): never {
  throw new GatewayError('not_found', message, { param: 'id' });
}
