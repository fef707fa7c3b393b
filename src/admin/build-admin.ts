/** Assembles the admin interface over one store. */

import { networkOf } from '../access/address.ts';
import { mintToken } from '../access/token-format.ts';
import type { TokenScope, TokenTable } from '../access/token-table.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import { createDigests } from '../secrets/digests.ts';
import type { PurposeKeys } from '../secrets/key-ring.ts';
import { type Purpose, purposes } from '../secrets/purposes.ts';
import { endpointNames } from '../snippets/endpoints.ts';
import type { Store } from '../store/store.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { type Accounts, createAccounts } from './accounts/accounts.ts';
import { type Audit, createAudit } from './accounts/audit.ts';
import { createPasswords } from './accounts/passwords.ts';
import { type Actor, createSessions, type Sessions } from './accounts/sessions.ts';
import { applyOperatorPassword, openSetUp } from './accounts/set-up.ts';
import { createSignIn, type SignIn } from './accounts/sign-in.ts';
import { createSettingsAdmin, type SettingsAdmin } from './configuration/settings.ts';
import { buildDeviceSignIns } from './device/build-device-sign-ins.ts';
import type { DeviceSignIns } from './device/signed-in-programs.ts';
import { buildFactors, type FactorParts } from './factors/build-factors.ts';
import { createJwtRevocations, type JwtRevocations } from './jwt/revocations.ts';
import { type AdminKeyParts, buildAdminKeys } from './keys/build-admin-keys.ts';
import { createEndUserAdmin, type EndUserAdmin } from './organization/end-users.ts';
import { createMembers, type Members } from './organization/members.ts';
import { createTeamAccess, type TeamAccess } from './organization/team-access.ts';
import { createUnits, type Units } from './organization/units.ts';
import { createDirectoryAccount, createScim, type Scim } from './scim/build-scim.ts';
import { createIssuers, type Issuers, type IssuersOptions } from './sign-in/build-issuers.ts';
import { budgetState, tokenTable, usageTable } from './store-tables.ts';
import { type AccountTokens, createAccountTokens, playgroundTokenId } from './tokens/account-tokens.ts';
import {
  createLeastReservations,
  type LeastReservationOptions,
  type LeastReservations,
} from './tokens/least-reservation.ts';
import { createTokenPowers, type TokenPowers } from './tokens/token-powers.ts';
import { createTokenSpends } from './tokens/token-spend.ts';
import type { TokenAdmin } from './tokens/tokens.ts';
import { type AccountUsage, type AccountUsageOptions, createAccountUsage } from './usage/account-usage.ts';
import { createAnalyticsAdmin } from './usage/analytics.ts';
import { budgetShares, createBudgetAlarms } from './usage/budget-alarms.ts';
import { type ContentAdmin, type ContentSource, createContentAdmin } from './usage/request-content.ts';
import { createRequestDetails, type RequestDetailOptions } from './usage/request-detail.ts';
import { createTaskAdmin, type TaskAdmin } from './usage/tasks.ts';

interface AdminOptions extends Omit<LeastReservationOptions, 'nowMs'>, Pick<IssuersOptions, 'warn'> {
  readonly store: Store;
  readonly settings: LiveSettings;
  readonly contents: ContentSource;
  readonly tokenAdmin: TokenAdmin;
  readonly egressRoutes: EgressRoutes;
  /** Keys of its own for each purpose. */
  readonly keysFor: (purpose: Purpose) => PurposeKeys;
  readonly nowMs: () => number;
}

export interface Admin extends Omit<FactorParts, 'tidy'> {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly issuers: Issuers;
  readonly jwtRevocations: JwtRevocations;
  readonly scim: Scim;
  readonly accounts: Accounts;
  readonly devices: DeviceSignIns;
  readonly keys: AdminKeyParts;
  readonly tokens: AccountTokens;
  readonly usage: AccountUsage;
  readonly audit: Audit;
  readonly settings: SettingsAdmin;
  readonly contents: ContentAdmin;
  readonly tasks: TaskAdmin;
  readonly units: Units;
  readonly members: Members;
  readonly endUsers: EndUserAdmin;
  /** Before the port opens: loads the console's settings, and applies the operator's password, if there is one. */
  start(): Promise<void>;
  /** A code for the set-up link, where set-up is still to be done. */
  setUpCode(): Promise<string | undefined>;
  /** Removes ended and outdated records. */
  tidy(): Promise<void>;
}

export function buildAdmin(options: AdminOptions): Admin {
  const { store, nowMs, keysFor } = options;
  const { config } = options.settings;
  const passwords = createPasswords();
  const audit = createAudit({ table: store.audit, nowMs });
  const sessions = createSessions({
    table: store.sessions,
    digests: createDigests(keysFor(purposes.sessionDigests)),
    nowMs,
  });
  const factorParts = buildFactors({ ...options, sessions, passwords, audit, signIn: config.signIn });
  const setUpDigests = createDigests(keysFor(purposes.setUpDigests));
  const table = tokenTable(store);
  const least = createLeastReservations(options);
  const access = createTeamAccess(store.organization);
  const tokens = tokensOf(options, { access, table, least, audit });
  const maySee = (actor: Actor, tokenId: string): Promise<boolean> => tokens.maySee(actor, tokenId);
  const settings = createSettingsAdmin({
    live: options.settings,
    table: store.consoleSettings,
    revision: store.revision,
    audit,
  });
  const tokenName = async (id: string): Promise<string | undefined> => (await table.byId(id))?.terms.name;
  const devices = buildDeviceSignIns({ ...options, config, audit, table });
  const keys = buildAdminKeys({ ...options, config, audit, access });
  const jwtRevocations = createJwtRevocations({ ...config.jwt, store, audit, nowMs });
  const firstStart = { ...store, passwords, digests: setUpDigests, nowMs };
  const basis = { sessions, audit, issuers: issuersOf(options, sessions, audit) };
  const accounts = createAccounts({
    ...{ accounts: store.accounts, sessions, passwords, audit },
    revokeTokens: (accountId) => table.revokeOf(accountId, nowMs()),
    revokePlayground: async (accountId) => {
      await table.revoke(playgroundTokenId(accountId), nowMs());
    },
    endPrograms: devices.endOf,
    nowMs,
  });
  const scim = createScim({ ...options, config: config.scim, audit, networkOf, endAccess: accounts.endAccess });
  return {
    ...factorParts,
    ...basis,
    jwtRevocations,
    tokens,
    devices,
    keys,
    settings,
    contents: createContentAdmin({ contents: options.contents, maySee }),
    ...organizationOf(options, { access, table, audit }),
    tasks: createTaskAdmin({ table: store.taskPages, tokenName, nowMs }),
    signIn: createSignIn({
      ...store,
      sessions,
      tries: store.signInTries,
      passwords,
      audit,
      digests: setUpDigests,
      networkOf,
      ticketFor: factorParts.secondFactor.ticketFor,
      passwordsFor: () => config.signIn.passwords,
      nowMs,
    }),
    accounts,
    scim,
    usage: usageOf(store, { tokenName, maySee, least, nowMs }),
    async start() {
      await settings.load();
      if (config.adminPassword !== undefined) await applyOperatorPassword(firstStart, config.adminPassword);
    },
    setUpCode: () => openSetUp(firstStart),
    async tidy() {
      const parts = [sessions, audit, devices, keys, factorParts, basis.issuers, jwtRevocations, scim];
      await Promise.all(parts.map((part) => part.tidy()));
    },
  };
}

interface TokenParts {
  readonly access: TeamAccess;
  readonly table: TokenTable;
  readonly least: LeastReservations;
  readonly audit: Audit;
}

function tokensOf(options: AdminOptions, { access, table, least, audit }: TokenParts): AccountTokens {
  const { store, nowMs, keysFor } = options;
  const { config } = options.settings;
  return createAccountTokens({
    tokens: table,
    admin: options.tokenAdmin,
    defaults: config.tokens,
    mint: mintToken,
    digests: createDigests(keysFor(purposes.tokenDigests)),
    budgetState: (record, atMs) => budgetState(store, record, atMs),
    budgets: store.budgets,
    accountOf: store.accounts.byId,
    powers: powersOf(options, access),
    spends: createTokenSpends(store.analytics, nowMs),
    budgetShares: (seenBy) => budgetShares(store.budgets.standings, nowMs(), seenBy),
    least,
    lastUsedAtMs: async (tokenId) => (await store.usage.list({ tokenId }, { limit: 1 })).items[0]?.atMs,
    audit,
    nowMs,
  });
}

function powersOf({ store, settings, nowMs }: AdminOptions, access: TeamAccess): TokenPowers {
  const { organization, accounts } = store;
  return createTokenPowers({
    ...{ access, organization, accountOf: accounts.byId },
    ...{ defaults: settings.config.tokens, nowMs },
  });
}

type OrganizationParts = Omit<TokenParts, 'least'>;

function organizationOf(
  options: AdminOptions,
  parts: OrganizationParts,
): Pick<Admin, 'units' | 'members' | 'endUsers'> {
  const { store, nowMs } = options;
  const { organization, accounts, budgets, endUsers, analytics } = store;
  const { table, access } = parts;
  const levels = { ...parts, organization, budgets, endpoints: endpointNames, nowMs };
  return {
    endUsers: createEndUserAdmin({ ...levels, endUsers, analytics, tokens: table, powers: powersOf(options, access) }),
    units: createUnits(levels),
    members: createMembers({
      ...levels,
      accounts,
      revokeTokensIn: (unitId, ownerId) => revokeAll(table, { unitId, ownerId }, nowMs()),
    }),
  };
}

/** Returns how many there were. */
async function revokeAll(table: TokenTable, scope: TokenScope, atMs: number): Promise<number> {
  let revoked = 0;
  for (let afterId: string | undefined; ; ) {
    const page = await table.list({ ...scope, limit: 200, ...(afterId !== undefined && { afterId }) });
    for (const { id } of page) if (await table.revoke(id, atMs)) revoked++;
    afterId = page.at(-1)?.id;
    if (afterId === undefined || page.length < 200) return revoked;
  }
}

function issuersOf(options: AdminOptions, sessions: Sessions, audit: Audit): Issuers {
  const { signIn, server, scim } = options.settings.config;
  // What an issuer's metadata names must not lead to the addresses that hand out a machine's credentials.
  const issuerTransport = options.egressRoutes.of({ guarded: true }).transport;
  return createIssuers({
    ...options,
    signIn,
    directoryAccount: createDirectoryAccount({ store: options.store, config: scim, issuers: signIn.issuers }),
    publicUrl: server.publicUrl,
    sessions,
    audit,
    issuerTransport,
    networkOf,
  });
}

/** Kinds of refusals that are named for a minute. */
const countedRowsMax = 5;

type UsageParts = Pick<AccountUsageOptions, 'maySee' | 'nowMs'> &
  Pick<RequestDetailOptions, 'tokenName'> & {
    readonly least: LeastReservations;
  };

function usageOf(store: Store, { tokenName, maySee, least, nowMs }: UsageParts): AccountUsage {
  return createAccountUsage({
    analytics: createAnalyticsAdmin({ analytics: store.analytics, tokens: store.tokens, errors: store.requestErrors }),
    requestDetails: createRequestDetails({
      usage: usageTable(store),
      price: store.prices.get,
      tokenName,
      hasContent: (id) => store.contents.has(id, nowMs()),
    }),
    budgetAlarms: createBudgetAlarms({ standings: store.budgets.standings, least, nowMs }),
    countedRows: async (fromMs, toMs, seenBy) =>
      (await store.usage.list({ fromMs, toMs, seenBy, requestsMin: 2 }, { limit: countedRowsMax })).items,
    maySee,
    nowMs,
  });
}
