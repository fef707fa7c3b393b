/** SCIM 2.0 put together: the token of the directory, users and groups, and who signs in as whom. */

import { timingSafeEqual } from 'node:crypto';
import type { AccountRecord } from '../../access/account.ts';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import type { Store } from '../../store/store.ts';
import { nameKeyOf } from '../accounts/name-key.ts';
import type { Client } from '../accounts/sessions.ts';
import { createTryLimit, networkScope } from '../accounts/try-limit.ts';
import { signInBounds } from '../contracts/account-contract.ts';
import type { Person } from '../sign-in/claims.ts';
import { createScimGroups, type ScimGroups } from './groups.ts';
import { isBreakGlass } from './memberships.ts';
import { ScimError } from './scim-error.ts';
import { createScimUsers, type ScimUsers, type UserOptions } from './users.ts';

interface ScimOptions extends UserOptions {
  readonly store: Pick<Store, 'accounts' | 'organization' | 'scim' | 'signInTries'>;
  readonly networkOf: (address: string) => string;
}

export interface Scim {
  /** Throws a `ScimError` where SCIM is off, the token is wrong, or there are too many requests. */
  admit(authorization: string | null, client: Client): Promise<void>;
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  tidy(): Promise<void>;
}

/** A directory that synchronizes everything makes some dozens of requests a second. */
const requestsPerMinuteMax = 6_000;

const digestOf = (text: string): Buffer => new Bun.CryptoHasher('sha256').update(text).digest();

/** Digests have one length, so that the time says nothing about the token. */
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digestOf(given), digestOf(wanted));

export function createScim(options: ScimOptions): Scim {
  const { store, config, nowMs } = options;
  const limit = createTryLimit(store.signInTries, nowMs);
  const groups = createScimGroups(options);
  let minute = 0;
  let requests = 0;

  return {
    async admit(authorization, { address }) {
      if (config.token === undefined) {
        throw new ScimError(404, 'SCIM is off. Set WEIR_SCIM_TOKEN and restart Weir to turn it on.');
      }
      const given = /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
      if (given === undefined || !isSame(given, config.token)) {
        await limit.count([networkScope('scim', options.networkOf(address), signInBounds.triesPerAddressMax)]);
        throw new ScimError(401, 'The bearer token is not the one of scim.token.');
      }
      const now = Math.floor(nowMs() / 60_000);
      requests = now === minute ? requests + 1 : 1;
      minute = now;
      if (requests > requestsPerMinuteMax) throw new ScimError(429, 'Too many requests. Retry in a minute.');
    },
    users: createScimUsers(options),
    groups,
    async tidy() {
      if (config.token !== undefined) await groups.reconcile({ address: '', agent: '' });
    },
  };
}

interface DirectoryOptions {
  readonly store: Pick<Store, 'accounts' | 'scim'>;
  readonly config: Pick<UserOptions['config'], 'token' | 'issuer'>;
  readonly issuers: readonly Pick<IssuerConfig, 'name'>[];
}

/**
 * Finds the account that the directory made for a person who signs in for the first time: by the id that both have for
 * the person, by the user name, or by the e-mail address.
 */
export function createDirectoryAccount({ store, config, issuers }: DirectoryOptions) {
  const { accounts, scim } = store;

  async function provided(accountId: string | undefined): Promise<AccountRecord | undefined> {
    const row = accountId === undefined ? undefined : await scim.user(accountId);
    const account =
      row?.removedAtMs === undefined && row !== undefined ? await accounts.byId(row.accountId) : undefined;
    return account === undefined || (await isBreakGlass(accounts, account)) ? undefined : account;
  }

  return async (person: Person, issuer: Pick<IssuerConfig, 'name'>): Promise<AccountRecord | undefined> => {
    const wanted = config.issuer ?? (issuers.length === 1 ? issuers[0]?.name : undefined);
    if (config.token === undefined || wanted !== issuer.name) return undefined;
    const [first, second] = await scim.byExternalId(person.subject);
    const byId = second === undefined ? await provided(first?.accountId) : undefined;
    if (byId !== undefined) return byId;
    for (const name of [...(person.isNameSure ? [person.name] : []), ...(person.email ? [person.email] : [])]) {
      const found = await provided((await accounts.byName(nameKeyOf(name)))?.account.id);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
