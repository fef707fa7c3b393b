/**
 * The account that a token belongs to, as an administrator chooses it. What an owner has can only be given and taken by
 * an owner: the holder of such a token acts in their name.
 */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Actor } from '../accounts/sessions.ts';
import { tokenOwnerSchema } from '../contracts/account-contract.ts';
import { beyond } from './token-ceiling.ts';
import { checked } from './token-terms.ts';

interface ChosenOwner {
  /** Absent where none was named; null for no account. */
  readonly ownerId: string | null | undefined;
  /** The input without it. */
  readonly rest: unknown;
}

export function ownerIn(input: unknown): ChosenOwner {
  if (typeof input !== 'object' || input === null || !('ownerId' in input)) return { ownerId: undefined, rest: input };
  const { ownerId, ...rest } = input;
  return { ...checked(tokenOwnerSchema, { ownerId }), rest };
}

type AccountOf = (id: string) => Promise<AccountRecord | undefined>;

/** The new owner, undefined for none; throws where the actor may not choose it. */
export async function requireOwner(
  { account }: Actor,
  ownerId: string | null,
  accountOf: AccountOf,
): Promise<AccountRecord | undefined> {
  if (ownerId === account.id) return account;
  if (account.role !== 'owner' && account.role !== 'admin') {
    throw beyond('ownerId', 'only an admin may choose the owner of a token');
  }
  if (ownerId === null) return undefined;
  const owner = await accountOf(ownerId);
  if (owner === undefined)
    throw new GatewayError('field_invalid', 'ownerId: there is no such account', { param: 'ownerId' });
  if (owner.disabledAtMs !== undefined) throw beyond('ownerId', `the account of ${owner.name} is disabled`);
  if (owner.role === 'viewer') throw beyond('ownerId', `${owner.name} is a viewer, who has no tokens`);
  if (owner.role === 'owner' && account.role !== 'owner') {
    throw beyond('ownerId', 'only an owner may give a token to an owner');
  }
  return owner;
}
