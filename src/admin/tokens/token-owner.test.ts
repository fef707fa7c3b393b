/** Proves who may give a token to whom. */

import { expect, test } from 'bun:test';
import type { AccountRecord, Role } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Actor } from '../accounts/sessions.ts';
import { ownerIn, requireOwner } from './token-owner.ts';

const account = (id: string, role: Role, disabledAtMs?: number): AccountRecord => ({
  id,
  name: id,
  role,
  createdAtMs: 1,
  passwordChangedAtMs: 1,
  ...(disabledAtMs !== undefined && { disabledAtMs }),
});
const accounts = [
  account('owner', 'owner'),
  account('another owner', 'owner'),
  account('admin', 'admin'),
  account('member', 'member'),
  account('viewer', 'viewer'),
  account('gone', 'member', 5),
];

async function verdict(role: Role, ownerId: string | null): Promise<string> {
  const actor = { account: account(role, role) } as Actor;
  try {
    const owner = await requireOwner(actor, ownerId, async (id) => accounts.find((each) => each.id === id));
    return owner?.name ?? 'none';
  } catch (error) {
    return error instanceof GatewayError ? `${error.code} ${error.param}` : 'another error';
  }
}

const refused = 'role_not_allowed ownerId';

test('an account may name itself, and only administrators another one', async () => {
  for (const role of ['owner', 'admin', 'member'] as const) expect(await verdict(role, role)).toBe(role);
  expect([await verdict('member', 'admin'), await verdict('member', null)]).toEqual([refused, refused]);
  expect([await verdict('admin', 'member'), await verdict('admin', null)]).toEqual(['member', 'none']);
});

test('an owner gets tokens from owners only', async () => {
  expect([await verdict('admin', 'owner'), await verdict('owner', 'another owner')]).toEqual([
    refused,
    'another owner',
  ]);
});

test('none is given to a viewer, to a disabled account or to one that does not exist', async () => {
  expect([await verdict('owner', 'viewer'), await verdict('owner', 'gone')]).toEqual([refused, refused]);
  expect(await verdict('owner', 'unknown')).toBe('field_invalid ownerId');
});

test('the owner is taken out of the input, of which nothing else changes', () => {
  expect(ownerIn({ name: 'x' })).toEqual({ ownerId: undefined, rest: { name: 'x' } });
  expect(ownerIn({ name: 'x', ownerId: null })).toEqual({ ownerId: null, rest: { name: 'x' } });
  expect(ownerIn('text')).toEqual({ ownerId: undefined, rest: 'text' });
  expect(() => ownerIn({ ownerId: 5 })).toThrow('ownerId');
});
