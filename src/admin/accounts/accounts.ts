/** What owners and admins can do with accounts. An admin cannot change owners, nor make one. */

import type { AccountRecord, Role } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { AccountOutcome, AccountStore, NewAccount } from '../../store/accounts/account-store.ts';
import {
  type AccountView,
  accountBounds,
  accountChangesSchema,
  type IssuedAccountView,
  newAccountSchema,
  passwordResetSchema,
  type SessionView,
} from '../contracts/account-contract.ts';
import { checked, withoutAbsent } from '../tokens/token-terms.ts';
import type { Audit } from './audit.ts';
import { nameKeyOf } from './name-key.ts';
import type { Passwords } from './passwords.ts';
import type { Actor, Sessions } from './sessions.ts';

interface AccountsOptions {
  readonly accounts: AccountStore;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly audit: Audit;
  /** Revokes all tokens of an account; returns how many there were. */
  readonly revokeTokens: (accountId: string) => Promise<number>;
  /** Revokes only the token of the playground. */
  readonly revokePlayground: (accountId: string) => Promise<void>;
  /** Ends the sign-ins of programs; returns how many there were. */
  readonly endPrograms: (accountId: string) => Promise<number>;
  readonly nowMs: () => number;
}

export interface Accounts {
  list(): Promise<readonly AccountView[]>;
  create(actor: Actor, input: unknown): Promise<IssuedAccountView>;
  change(actor: Actor, id: string, input: unknown): Promise<AccountView>;
  /** Ends all sessions of the account. */
  resetPassword(actor: Actor, id: string, input: unknown): Promise<IssuedAccountView>;
  sessionsOf(actor: Actor, id: string): Promise<readonly SessionView[]>;
  /** Ends the sessions, programs and tokens of a disabled account: how many there were of each. */
  endAccess(id: string): Promise<Readonly<Record<string, number>>>;
  /** Returns how many there were. */
  revokeSessions(actor: Actor, id: string): Promise<number>;
}

export function newAccountRecord(given: {
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly atMs: number;
  readonly mustChangePassword?: boolean;
}): NewAccount {
  const id = `acc_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const { name, role, passwordHash, atMs, mustChangePassword } = given;
  const mustChange = mustChangePassword === true && { mustChangePassword };
  return { id, name, nameKey: nameKeyOf(name), role, passwordHash, createdAtMs: atMs, ...mustChange };
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { accounts, sessions, passwords, audit, nowMs } = options;

  async function existing(id: string): Promise<AccountRecord> {
    const account = await accounts.byId(id);
    if (account === undefined) throw new GatewayError('not_found', 'Account not found.', { param: 'id' });
    return account;
  }

  /** The account, where the actor may change it. */
  async function within(actor: Actor, id: string, act = 'change'): Promise<AccountRecord> {
    const account = await existing(id);
    if (account.role === 'owner') requireOwner(actor, `Only an owner can ${act} an owner.`);
    return account;
  }

  /** A disabled account is signed out at once; its tokens keep working unless they are to be revoked as well. */
  async function consequences(id: string, disabled: boolean, revokeTokens: boolean): Promise<Record<string, number>> {
    if (!disabled) return {};
    const sessionsRevoked = await sessions.revokeOf(id);
    const programsEnded = await options.endPrograms(id);
    if (revokeTokens) return { sessionsRevoked, programsEnded, tokensRevoked: await options.revokeTokens(id) };
    await options.revokePlayground(id);
    return { sessionsRevoked, programsEnded };
  }

  return {
    async list() {
      return (await accounts.list(accountBounds.accountsListedMax)).map(accountView);
    },
    async create(actor, input) {
      const { name, role, password } = checked(newAccountSchema, input);
      if (role === 'owner') requireOwner(actor, 'Only an owner can add an owner.');
      const made = password ?? passwords.make();
      const passwordHash = await passwords.hash(made);
      const mustChangePassword = password === undefined;
      const account = newAccountRecord({ name, role, passwordHash, atMs: nowMs(), mustChangePassword });
      if (!(await accounts.insert(account))) throw faultOf('name-taken');
      const detail = { name, role };
      await audit.write(actor, { action: 'account-create', subject: `account:${account.id}`, detail });
      const view = accountView(await existing(account.id));
      return password === undefined ? { account: view, password: made } : { account: view };
    },
    async change(actor, id, input) {
      const changes = checked(accountChangesSchema, input);
      await within(actor, id);
      const { name, role, disabled, revokeTokens = false } = changes;
      if (role === 'owner') requireOwner(actor, 'Only an owner can add an owner.');
      if (revokeTokens && disabled !== true) {
        throw new GatewayError('field_invalid', 'revokeTokens: requires disabled', { param: 'revokeTokens' });
      }
      const outcome = await accounts.update(id, {
        name: name === undefined ? undefined : { shown: name, key: nameKeyOf(name) },
        role,
        disabledAtMs: disabled === undefined ? undefined : disabled ? nowMs() : 0,
      });
      if (outcome !== 'changed') throw faultOf(outcome);
      const followed = await consequences(id, disabled === true, revokeTokens);
      const detail = withoutAbsent<Record<string, string | boolean | number>>({ name, role, disabled, ...followed });
      await audit.write(actor, { action: 'account-change', subject: `account:${id}`, detail });
      return accountView(await existing(id));
    },
    async resetPassword(actor, id, input) {
      const { password } = checked(passwordResetSchema, input);
      await within(actor, id);
      if (id === actor.account.id) {
        throw new GatewayError('field_invalid', 'id: to change your own password, use your current one', {
          param: 'id',
        });
      }
      const made = password ?? passwords.make();
      await accounts.setPassword(id, await passwords.hash(made), nowMs(), { mustChange: password === undefined });
      const detail = { sessionsRevoked: await sessions.revokeOf(id) };
      await audit.write(actor, { action: 'password-reset', subject: `account:${id}`, detail });
      const account = accountView(await existing(id));
      return password === undefined ? { account, password: made } : { account };
    },
    endAccess: (id) => consequences(id, true, true),
    async sessionsOf(actor, id) {
      return sessions.list((await within(actor, id, 'see the sessions of')).id, actor.session);
    },
    async revokeSessions(actor, id) {
      await within(actor, id);
      const sessionsRevoked = await sessions.revokeOf(id);
      await audit.write(actor, { action: 'session-revoke', subject: `account:${id}`, detail: { sessionsRevoked } });
      return sessionsRevoked;
    },
  };
}

function requireOwner(actor: Actor, message: string): void {
  if (actor.account.role !== 'owner') throw new GatewayError('role_not_allowed', message);
}

function faultOf(outcome: Exclude<AccountOutcome, 'changed'>): GatewayError {
  switch (outcome) {
    case 'absent':
      return new GatewayError('not_found', 'Account not found.', { param: 'id' });
    case 'name-taken':
      return new GatewayError('field_invalid', 'name: is already taken', { param: 'name' });
    case 'last-owner':
      return new GatewayError('field_invalid', 'role: this is the last owner; add another owner first', {
        param: 'role',
      });
  }
}

const iso = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : new Date(atMs).toISOString();

export function accountView(record: AccountRecord): AccountView {
  return withoutAbsent<AccountView>({
    id: record.id,
    name: record.name,
    role: record.role,
    state: record.disabledAtMs === undefined ? 'active' : 'disabled',
    createdAt: new Date(record.createdAtMs).toISOString(),
    passwordChangedAt: new Date(record.passwordChangedAtMs).toISOString(),
    lastSignInAt: iso(record.lastSignInAtMs),
    disabledAt: iso(record.disabledAtMs),
    mustChangePassword: record.mustChangePassword === true ? true : undefined,
    secondFactorAt: iso(record.secondFactorAtMs),
  });
}
