/** Finds what people name on the command line: a team or an account, by its ID or its name. */

import type { AccountRecord } from '../access/account.ts';
import type { UnitRecord } from '../access/organization.ts';
import { nameKeyOf } from '../admin/accounts/name-key.ts';
import { organizationBounds } from '../admin/contracts/organization-contract.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Store } from '../store/store.ts';

export async function teamNamed({ organization }: Pick<Store, 'organization'>, reference: string): Promise<UnitRecord> {
  const units = await organization.list(organizationBounds.unitsListedMax);
  const teams = units.filter(({ kind }) => kind === 'team');
  const found =
    teams.find(({ id }) => id === reference) ?? teams.find(({ name }) => nameKeyOf(name) === nameKeyOf(reference));
  if (found === undefined) throw new GatewayError('not_found', 'No team has this ID or name.', { param: 'id' });
  return found;
}

export async function accountNamed({ accounts }: Pick<Store, 'accounts'>, reference: string): Promise<AccountRecord> {
  const found = (await accounts.byId(reference)) ?? (await accounts.byName(nameKeyOf(reference)))?.account;
  if (found === undefined) throw new GatewayError('not_found', 'No account has this ID or name.', { param: 'id' });
  return found;
}
