/** Puts the admin interface's parts together over one store. */

import { networkOf } from '../access/address.ts';
import { createTokenDigest, mintToken } from '../access/token-format.ts';
import type { Config } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import { signInBounds } from './account-contract.ts';
import { type AccountTokens, createAccountTokens, playgroundTokenId } from './account-tokens.ts';
import { type AccountUsage, createAccountUsage } from './account-usage.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Audit, createAudit } from './audit.ts';
import { createPasswords } from './passwords.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { applyOperatorPassword, openSetUp } from './set-up.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { budgetState, tokenTable, usageTable } from './store-tables.ts';
import type { TokenAdmin } from './tokens.ts';
import { createUsageAdmin } from './usage.ts';

export interface AdminOptions {
  readonly store: Store;
  readonly config: Config;
  readonly tokenAdmin: TokenAdmin;
  /** A key of its own for each purpose. */
  readonly derive: (label: string) => Uint8Array;
  /** What a token of the playground may call. */
  readonly playgroundEndpoints: readonly string[];
  readonly nowMs: () => number;
}

export interface Admin {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly tokens: AccountTokens;
  readonly usage: AccountUsage;
  readonly audit: Audit;
  /** Before the port opens: applies the operator's password, where there is one. */
  start(): Promise<void>;
  /** A code for the set-up link, where set-up is still to be done. */
  setUpCode(): Promise<string | undefined>;
  /** Removes what has ended or is too old. */
  tidy(): Promise<void>;
}

export function buildAdmin(options: AdminOptions): Admin {
  const { store, config, nowMs, derive } = options;
  const passwords = createPasswords();
  const audit = createAudit({ table: store.audit, nowMs });
  const sessions = createSessions({
    table: store.sessions,
    digest: createTokenDigest(derive('session-digest')),
    nowMs,
  });
  const setUpDigest = createTokenDigest(derive('set-up-digest'));
  const table = tokenTable(store);
  const tokens = createAccountTokens({
    tokens: table,
    admin: options.tokenAdmin,
    defaults: config.tokenDefaults,
    mint: mintToken,
    digest: createTokenDigest(derive('token-digest')),
    budgetState: (record, atMs) => budgetState(store, record, atMs),
    accountName: async (id) => (await store.accounts.byId(id))?.name,
    playgroundEndpoints: options.playgroundEndpoints,
    audit,
    nowMs,
  });
  const tokenName = async (id: string): Promise<string | undefined> => (await table.byId(id))?.terms.name;
  const firstStart = { ...store, passwords, digest: setUpDigest, nowMs };
  return {
    sessions,
    audit,
    tokens,
    signIn: createSignIn({
      ...store,
      sessions,
      tries: store.signInTries,
      passwords,
      audit,
      digest: setUpDigest,
      networkOf,
      nowMs,
    }),
    accounts: createAccounts({
      accounts: store.accounts,
      sessions,
      passwords,
      audit,
      revokeTokens: (accountId) => table.revokeOf(accountId, nowMs()),
      revokePlayground: async (accountId) => {
        await table.revoke(playgroundTokenId(accountId), nowMs());
      },
      nowMs,
    }),
    usage: createAccountUsage({
      usage: store.usage,
      admin: createUsageAdmin({ usage: usageTable(store), tokenName }),
      tokenName,
      maySee: (actor, tokenId) => tokens.maySee(actor, tokenId),
    }),
    async start() {
      if (config.adminPassword !== undefined) await applyOperatorPassword(firstStart, config.adminPassword);
    },
    setUpCode: () => openSetUp(firstStart),
    async tidy() {
      await sessions.tidy();
      await audit.tidy();
      await store.signInTries.expire(nowMs(), signInBounds.windowMs);
    },
  };
}
