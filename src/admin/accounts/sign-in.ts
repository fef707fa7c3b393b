/** Sign-in: by a password, within limits, or by the one-time link of the first start. */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { AccountStore, SetUpStore, SignInTryStore } from '../../store/accounts/account-store.ts';
import { passwordChangeSchema, setUpSchema, signInBounds, signInSchema } from '../contracts/account-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { newAccountRecord } from './accounts.ts';
import type { Audit } from './audit.ts';
import { nameKeyOf } from './name-key.ts';
import type { Passwords } from './passwords.ts';
import type { Actor, Client, OpenedSession, Sessions } from './sessions.ts';
import { createTryLimit, networkScope, type TryScope } from './try-limit.ts';

interface SignInOptions {
  readonly accounts: AccountStore;
  readonly sessions: Sessions;
  readonly setUp: SetUpStore;
  readonly tries: SignInTryStore;
  readonly passwords: Passwords;
  readonly audit: Audit;
  /** For set-up codes, as sessions have it for cookies. */
  readonly digests: Digests;
  /** The network that counts as one caller. */
  readonly networkOf: (address: string) => string;
  /** The ticket for the second step; undefined where the account has no second factor. */
  readonly ticketFor: (account: AccountRecord, client: Client) => string | undefined;
  /** With `owners`, everyone else signs in through an issuer. */
  readonly passwordsFor: () => 'all' | 'owners';
  readonly nowMs: () => number;
}

/** The password was right, and the account has a second factor. */
interface PendingSignIn {
  readonly account: AccountRecord;
  readonly ticket: string;
}

export interface SignIn {
  signIn(input: unknown, client: Client): Promise<OpenedSession | PendingSignIn>;
  signOut(actor: Actor): Promise<void>;
  isSetUp(): Promise<boolean>;
  /** Makes the first account and signs it in; works once. */
  setUp(input: unknown, client: Client): Promise<OpenedSession>;
  /** Ends all other sessions of the account: how many there were. */
  changePassword(actor: Actor, input: unknown): Promise<number>;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { accounts, sessions, passwords, audit, nowMs } = options;
  const { count, giveBack } = createTryLimit(options.tries, nowMs);

  /** The narrowest first: a caller that is refused there does not count against others. */
  function scopesOf(nameKey: string, { address }: Client): readonly TryScope[] {
    const { triesMax, triesPerAddressMax, triesPerNameMax } = signInBounds;
    const network = options.networkOf(address);
    const pair = `${network} ${nameKey}`;
    return [
      { name: `pair:${pair}`, triesMax, paced: undefined },
      { name: `name:${nameKey}`, triesMax: triesPerNameMax, paced: `pace:name:${nameKey}` },
      { name: `address:${network}`, triesMax: triesPerAddressMax, paced: `pace:pair:${pair}` },
    ];
  }

  async function open(account: AccountRecord, passwordHash: string, client: Client): Promise<OpenedSession> {
    const opened = await sessions.open(account, passwordHash, client);
    if (opened === undefined) throw refused();
    return opened;
  }

  return {
    async signIn(input, client) {
      const given = checked(signInSchema, input);
      const nameKey = nameKeyOf(given.name);
      const scopes = scopesOf(nameKey, client);
      await count(scopes);
      const found = await accounts.byName(nameKey);
      const isRight = await passwords.verify(given.password, found?.passwordHash);
      if (found === undefined || !isRight || found.account.disabledAtMs !== undefined) {
        // The name may be a password that was typed into the wrong field.
        const accountName = found === undefined ? '' : found.account.name;
        const subject = found === undefined ? '' : `account:${found.account.id}`;
        await audit.write({ accountName, client }, { action: 'sign-in-refused', subject });
        throw refused();
      }
      if (options.passwordsFor() === 'owners' && found.account.role !== 'owner') {
        const subject = `account:${found.account.id}`;
        await audit.write({ accountName: found.account.name, client }, { action: 'sign-in-refused', subject });
        const message = 'Only owners can sign in with a password. Sign in through your organization.';
        throw new GatewayError('sign_in_failed', message);
      }
      const ticket = options.ticketFor(found.account, client);
      if (ticket !== undefined) {
        await giveBack(scopes);
        return { account: found.account, ticket };
      }
      const opened = await open(found.account, found.passwordHash, client);
      await giveBack(scopes);
      await audit.write(opened.actor, { action: 'sign-in', subject: `session:${opened.actor.session.id}` });
      return opened;
    },
    async signOut(actor) {
      await sessions.revoke(actor.session.id, actor.account.id);
      await audit.write(actor, { action: 'sign-out', subject: `session:${actor.session.id}` });
    },
    isSetUp: () => options.setUp.isDone(),
    async setUp(input, client) {
      const { code, name, password } = checked(setUpSchema, input);
      const scopes = [networkScope('set-up', options.networkOf(client.address), signInBounds.triesMax)];
      await count(scopes);
      const passwordHash = await passwords.hash(password);
      const account = newAccountRecord({ name, role: 'owner', passwordHash, atMs: nowMs() });
      const complete = async (link: string): Promise<true | undefined> =>
        (await options.setUp.complete(account, link)) || undefined;
      if ((await options.digests.find(code, complete)) === undefined) {
        const message =
          'The setup link is invalid or has expired, or Weir is already set up. Run `weir set-up-link` for a new link.';
        throw new GatewayError('set_up_refused', message);
      }
      await giveBack(scopes);
      const made = await accounts.byId(account.id);
      if (made === undefined) throw refused();
      const opened = await open(made, passwordHash, client);
      await audit.write(opened.actor, { action: 'set-up', subject: `account:${made.id}`, detail: { name: made.name } });
      return opened;
    },
    async changePassword(actor, input) {
      const { current, next } = checked(passwordChangeSchema, input);
      const { account, session } = actor;
      // An unattended session must not be a means to find the password out.
      const scopes = [{ name: `account:${account.id}`, triesMax: signInBounds.triesMax, paced: undefined }];
      await count(scopes);
      if (!(await passwords.verify(current, await accounts.passwordHash(account.id)))) {
        throw new GatewayError('field_invalid', 'current: is not your current password', { param: 'current' });
      }
      await giveBack(scopes);
      if (next === current) {
        throw new GatewayError('field_invalid', 'next: is your current password; choose another', { param: 'next' });
      }
      await accounts.setPassword(account.id, await passwords.hash(next), nowMs());
      const revoked = await sessions.revokeOf(account.id, session.id);
      const detail = { sessionsRevoked: revoked };
      await audit.write(actor, { action: 'password-change', subject: `account:${account.id}`, detail });
      return revoked;
    },
  };
}

/** One message for every reason: the caller learns only whether it was right. */
function refused(): GatewayError {
  return new GatewayError('sign_in_failed', 'Wrong name or password, or the account is disabled.');
}
