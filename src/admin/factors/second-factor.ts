/** The second step of a sign-in, and the sign-in by a passkey alone. */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { AccountStore } from '../../store/accounts/account-store.ts';
import type { FactorStore } from '../../store/factors/factor-store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Client, OpenedSession, Sessions } from '../accounts/sessions.ts';
import { networkScope, type TryLimit } from '../accounts/try-limit.ts';
import { signInBounds } from '../contracts/account-contract.ts';
import {
  type FactorKind,
  factorBounds,
  type PasskeyRequestView,
  type PendingSignInView,
  passkeySignInSchema,
  secondFactorSchema,
} from '../contracts/factor-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { type Passkeys, requestOptions } from './passkeys.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import { type Tickets, ticketDigest } from './tickets.ts';
import type { TotpFactor } from './totp-factor.ts';
import type { Site } from './webauthn.ts';

interface SecondFactorOptions {
  readonly accounts: AccountStore;
  readonly factors: FactorStore;
  readonly sessions: Sessions;
  readonly tickets: Tickets;
  readonly totp: TotpFactor;
  readonly recovery: RecoveryCodes;
  readonly passkeys: Passkeys;
  readonly tries: TryLimit;
  readonly audit: Audit;
  readonly networkOf: (address: string) => string;
}

export interface SecondFactor {
  /** The ticket of a right password; undefined where the account has no second factor. */
  ticketFor(account: AccountRecord, client: Client): string | undefined;
  /** What the ticket can be completed with. */
  pendingView(account: AccountRecord, ticket: string, site: Site): Promise<PendingSignInView>;
  complete(input: unknown, client: Client, site: Site): Promise<OpenedSession>;
  /** For a sign-in without a name: the browser offers the passkeys that it has for this site. */
  passkeyOptions(client: Client, site: Site): PasskeyRequestView;
  passkeySignIn(input: unknown, client: Client, site: Site): Promise<OpenedSession>;
}

export function createSecondFactor(options: SecondFactorOptions): SecondFactor {
  const { accounts, factors, sessions, tickets, totp, recovery, passkeys, tries, audit, networkOf } = options;

  /** The hash is read first: a password that is changed meanwhile opens nothing. */
  async function current(accountId: string): Promise<{ account: AccountRecord; passwordHash: string } | undefined> {
    const passwordHash = await accounts.passwordHash(accountId);
    const account = await accounts.byId(accountId);
    if (passwordHash === undefined || account === undefined || account.disabledAtMs !== undefined) return undefined;
    return { account, passwordHash };
  }

  async function opened(
    { account, passwordHash }: { account: AccountRecord; passwordHash: string },
    client: Client,
    secondFactor: FactorKind,
  ): Promise<OpenedSession> {
    const session = await sessions.open(account, passwordHash, client);
    if (session === undefined) throw failed();
    const subject = `session:${session.actor.session.id}`;
    await audit.write(session.actor, { action: 'sign-in', subject, detail: { secondFactor } });
    return session;
  }

  async function refused(accountName: string, accountId: string, client: Client, kind: FactorKind): Promise<never> {
    const subject = accountId === '' ? '' : `account:${accountId}`;
    await audit.write({ accountName, client }, { action: 'second-factor-refused', subject, detail: { kind } });
    throw failed();
  }

  /** The account that the ticket was issued for, unless its password was changed since. */
  async function holderOf(ticket: string, client: Client) {
    const [accountId = '', passwordChangedAt, network] = (await tickets.read('second-factor', ticket)) ?? [];
    if (network !== networkOf(client.address)) return undefined;
    const found = await current(accountId);
    return String(found?.account.passwordChangedAtMs) === passwordChangedAt ? found : undefined;
  }

  return {
    ticketFor(account, { address }) {
      if (account.secondFactorAtMs === undefined) return undefined;
      return tickets.issue('second-factor', [account.id, String(account.passwordChangedAtMs), networkOf(address)]);
    },
    async pendingView({ id }, ticket, site) {
      const usable = await passkeys.usableOf(id, site);
      const secondFactor: FactorKind[] = [];
      if ((await factors.totp(id))?.state === 'active') secondFactor.push('totp');
      if (usable.length > 0) secondFactor.push('passkey');
      secondFactor.push('recovery');
      const passkey = usable.length > 0 && { passkey: requestOptions(ticket, site, usable, 'preferred') };
      return { secondFactor, ticket, ...passkey };
    },
    async complete(input, client, site) {
      const given = checked(secondFactorSchema, input);
      const { ticket } = given;
      const holder = await holderOf(ticket, client);
      if (holder === undefined) throw failed();
      const { id, name } = holder.account;
      const scopes = [
        { name: `ticket:${ticketDigest(ticket)}`, triesMax: factorBounds.triesPerTicketMax, paced: undefined },
        { name: `factor:${id}`, triesMax: factorBounds.triesPerAccountMax, paced: `pace:factor:${id}` },
      ];
      await tries.count(scopes);
      const isTicket = async (signed: string): Promise<boolean> => signed === ticket;
      const kind = given.totp !== undefined ? 'totp' : given.recovery !== undefined ? 'recovery' : 'passkey';
      const isRight =
        given.passkey !== undefined
          ? (await passkeys.use(given.passkey, site, { isTicket, userVerified: false }))?.accountId === id
          : given.totp !== undefined
            ? await totp.use(id, given.totp)
            : await recovery.use(id, given.recovery ?? '');
      if (!isRight || !(await tickets.spend(ticket))) return refused(name, id, client, kind);
      await tries.giveBack(scopes);
      return opened(holder, client, kind);
    },
    passkeyOptions({ address }, site) {
      const ticket = tickets.issue('passkey-sign-in', [networkOf(address)]);
      return requestOptions(ticket, site, [], 'required');
    },
    async passkeySignIn(input, client, site) {
      const { credential } = checked(passkeySignInSchema, input);
      const network = networkOf(client.address);
      // Without a name only the address can be limited, at a pace, because people behind one proxy share it.
      const scopes = [networkScope('passkey', network, signInBounds.triesPerAddressMax)];
      await tries.count(scopes);
      const isTicket = async (signed: string): Promise<boolean> =>
        (await tickets.read('passkey-sign-in', signed))?.[0] === network && (await tickets.spend(signed));
      const passkey = await passkeys.use(credential, site, { isTicket, userVerified: true });
      const found = passkey && (await current(passkey.accountId));
      if (found === undefined) return refused('', passkey?.accountId ?? '', client, 'passkey');
      await tries.giveBack(scopes);
      return opened(found, client, 'passkey');
    },
  };
}

/** One message for every reason: the caller learns only whether it was right. */
function failed(): GatewayError {
  const message = 'The code or passkey is wrong or was used before, or the sign-in took too long. Try again.';
  return new GatewayError('second_factor_failed', message);
}
