/** How people come in: by a password, within limits, or by the one-time link of the first start. */

import type { AccountRecord } from '../access/account.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Digests } from '../secrets/digests.ts';
import type { AccountStore, SetUpStore, SignInTryStore } from '../store/account-store.ts';
import { passwordChangeSchema, setUpSchema, signInBounds, signInSchema } from './account-contract.ts';
import { newAccountRecord } from './accounts.ts';
import type { Audit } from './audit.ts';
import { nameKeyOf } from './name-key.ts';
import type { Passwords } from './passwords.ts';
import type { Actor, Client, OpenedSession, Sessions } from './sessions.ts';
import { checked } from './token-terms.ts';

export interface SignInOptions {
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
  readonly nowMs: () => number;
}

export interface SignIn {
  signIn(input: unknown, client: Client): Promise<OpenedSession>;
  signOut(actor: Actor): Promise<void>;
  isSetUp(): Promise<boolean>;
  /** Makes the first account and signs it in; works once. */
  setUp(input: unknown, client: Client): Promise<OpenedSession>;
  /** Ends all other sessions of the account: how many there were. */
  changePassword(actor: Actor, input: unknown): Promise<number>;
}

interface Scope {
  readonly name: string;
  readonly triesMax: number;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { accounts, sessions, passwords, audit, nowMs } = options;
  const { count, giveBack } = createTryLimit(options.tries, nowMs);
  const addressScope = ({ address }: Client): Scope => ({
    name: `address:${options.networkOf(address)}`,
    triesMax: signInBounds.triesPerAddressMax,
  });

  async function open(account: AccountRecord, passwordHash: string, client: Client): Promise<OpenedSession> {
    const opened = await sessions.open(account, passwordHash, client);
    if (opened === undefined) throw refused();
    return opened;
  }

  return {
    async signIn(input, client) {
      const given = checked(signInSchema, input);
      const nameKey = nameKeyOf(given.name);
      const scopes = [addressScope(client), { name: `name:${nameKey}`, triesMax: signInBounds.triesPerNameMax }];
      await count(scopes);
      const found = await accounts.byName(nameKey);
      const isRight = await passwords.verify(given.password, found?.passwordHash);
      if (found === undefined || !isRight || found.account.disabledAtMs !== undefined) {
        // What stands in the name's place may be a password that somebody typed there.
        const accountName = found === undefined ? '' : found.account.name;
        const subject = found === undefined ? '' : `account:${found.account.id}`;
        await audit.write({ accountName, client }, { action: 'sign-in-refused', subject });
        throw refused();
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
      const scopes = [addressScope(client)];
      await count(scopes);
      const passwordHash = await passwords.hash(password);
      const account = newAccountRecord({ name, role: 'owner', passwordHash, atMs: nowMs() });
      const complete = async (link: string): Promise<true | undefined> =>
        (await options.setUp.complete(account, link)) || undefined;
      if ((await options.digests.find(code, complete)) === undefined) {
        const message =
          'The set-up link is wrong or too old, or set-up was done already. A new start prints a new link.';
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
      // A session that somebody left open must not become a way to find the password out.
      const scopes = [{ name: `account:${account.id}`, triesMax: signInBounds.triesPerAddressMax }];
      await count(scopes);
      if (!(await passwords.verify(current, await accounts.passwordHash(account.id)))) {
        throw new GatewayError('field_invalid', 'current: is not the password of this account', { param: 'current' });
      }
      await giveBack(scopes);
      await accounts.setPassword(account.id, await passwords.hash(next), nowMs());
      const revoked = await sessions.revokeOf(account.id, session.id);
      const detail = { sessionsRevoked: revoked };
      await audit.write(actor, { action: 'password-change', subject: `account:${account.id}`, detail });
      return revoked;
    },
  };
}

/** One sentence for every reason: who asks learns only whether it was right. */
function refused(): GatewayError {
  return new GatewayError('sign_in_failed', 'Name or password is wrong, or the account is disabled.');
}

/** Each try counts until it turns out to be right, so that many at once are no way around the limit. */
function createTryLimit(tries: SignInTryStore, nowMs: () => number) {
  return {
    async count(scopes: readonly Scope[]): Promise<void> {
      for (const { name, triesMax } of scopes) {
        const atMs = nowMs();
        const counted = await tries.count(name, atMs, signInBounds.windowMs);
        if (counted.tries <= triesMax) continue;
        const retryAfterMs = Math.max(1_000, counted.startedAtMs + signInBounds.windowMs - atMs);
        const minutes = Math.ceil(retryAfterMs / 60_000);
        const message = `Too many wrong passwords. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
        throw new GatewayError('sign_in_limited', message, { retryAfterMs });
      }
    },
    async giveBack(scopes: readonly Scope[]): Promise<void> {
      for (const { name } of scopes) await tries.giveBack(name);
    },
  };
}
