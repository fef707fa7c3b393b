/** The store's contract: everything Weir keeps, on either engine. */

import type { TokenRecord, TokenTerms } from '../access/caller.ts';
import type { TokenRoom, TokenSearch } from '../access/token-table.ts';
import type { UsageRow } from '../ledger/ledger.ts';
import type { AttemptStore, HeldKeyStore, InstanceStore, PriceTextStore } from '../ledger/ledger-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { AccountStore, AuditStore, SessionStore, SetUpStore, SignInTryStore } from './accounts/account-store.ts';
import type { AnalyticsStore } from './analytics/analytics-store.ts';
import type { ConfigurationStore } from './configuration/configuration-store.ts';
import type { ConsoleSettingStore } from './configuration/console-settings.ts';
import type { PriceTableStore } from './prices/price-tables.ts';
import type { OwnedIdStore } from './requests/owned-ids.ts';
import type { ReplicaContentStore } from './requests/replica-contents.ts';
import type { RequestContentStore } from './requests/request-contents.ts';
import type { KeptResultStore, ResultPartStore } from './results/result-rows.ts';
import type { SecretUseStore } from './secret-keys/secret-uses.ts';
import type { Engine } from './sql/driver.ts';
import type { Page, PageRequest } from './sql/pages.ts';
import type { TaskPageStore } from './tasks/task-pages.ts';
import type { UsageGrouping } from './usage/usage-queries.ts';

export type { Engine } from './sql/driver.ts';
export type { Cursor, Page, PageRequest } from './sql/pages.ts';
export type { UsageGrouping } from './usage/usage-queries.ts';

/** A token found by its secret. An old secret of a rotated token works until `secretValidUntilMs`. */
export interface TokenMatch extends TokenRecord {
  readonly secretValidUntilMs?: number;
}

export interface NewToken {
  readonly id: string;
  readonly digest: string;
  readonly hint: string;
  readonly terms: TokenTerms;
  readonly createdAtMs: number;
  readonly ownerId?: string | undefined;
}

export interface TokenStore {
  insert(token: NewToken): Promise<void>;
  /** False where the account has no room for it. */
  insertWithin(token: NewToken & { readonly ownerId: string }, room: TokenRoom): Promise<boolean>;
  /** Finds revoked and expired tokens too: the caller says why it refuses. */
  byDigest(digest: string): Promise<TokenMatch | undefined>;
  byId(id: string): Promise<TokenRecord | undefined>;
  /** Newest first; all, or those of one account, and of these those that fit. */
  list(page: PageRequest, ownerId?: string, search?: TokenSearch): Promise<Page<TokenRecord>>;
  /** False where there is no such token. */
  updateTerms(id: string, terms: TokenTerms): Promise<boolean>;
  /** False where there is none, or it was revoked before. */
  revoke(id: string, atMs: number): Promise<boolean>;
  rotate(id: string, newDigest: string, newHint: string, oldValidUntilMs: number): Promise<boolean>;
  /** Makes the account's token of this id, or gives it a new secret and new terms. False where the id is another's. */
  renew(token: NewToken & { readonly ownerId: string }, oldValidUntilMs: number): Promise<boolean>;
  /** The same secret under the digest of a newer key. */
  moveDigest(from: string, to: string): Promise<void>;
  /** How many tokens of the account were revoked. */
  revokeOf(ownerId: string, atMs: number): Promise<number>;
}

export interface UsageFilter {
  readonly tokenId?: string | undefined;
  /** Only what tokens of this account used. */
  readonly ownerId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly code?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

export interface UsageSum {
  /** The model, token id or provider; for days and hours the start in milliseconds. */
  readonly key: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costNano: bigint;
  /** How many of the requests the cost leaves out, because no price is known for what they used. */
  readonly unpriced: number;
}

export interface UsageStore {
  insertMany(rows: readonly UsageRow[]): Promise<void>;
  /** Newest first. */
  list(filter: UsageFilter, page: PageRequest): Promise<Page<UsageRow>>;
  byId(requestId: string): Promise<UsageRow | undefined>;
  /** At most `limit` groups (1,000): days and hours newest first, others dearest first. */
  summarise(by: UsageGrouping, filter: UsageFilter, limit?: number): Promise<readonly UsageSum[]>;
}

/** Prices that requests were charged at, each as the ledger wrote it. */
export interface PriceStore extends PriceTextStore {
  get(name: string): Promise<string | undefined>;
}

export interface BudgetStanding {
  readonly token: TokenRecord;
  readonly windowStartMs: number;
  readonly spentNano: bigint;
}

export interface IdempotencyStore extends HeldKeyStore {
  /** A key that was begun longer than `lifetimeMs` ago is free again. */
  begin(claim: {
    readonly tokenId: string;
    readonly key: string;
    readonly requestId: string;
    /** Tells whether a later request with this key is the same one. */
    readonly fingerprint: string;
    readonly atMs: number;
    readonly lifetimeMs: number;
  }): Promise<
    | { readonly begun: true }
    | {
        readonly begun: false;
        readonly requestId: string;
        readonly fingerprint: string;
        readonly state: 'running' | 'finished' | 'lost';
      }
  >;
  finish(tokenId: string, key: string, requestId: string): Promise<void>;
  expire(beforeMs: number): Promise<void>;
}

export interface KeptReplyRow {
  readonly tokenId: string;
  readonly id: string;
  readonly kind: 'content' | 'at-provider' | 'too-large';
  readonly provider: string;
  readonly keyId: string;
  readonly tokens: number | undefined;
  /** Opaque here: its writer encrypts it. */
  readonly content: string | undefined;
  readonly expiresAtMs: number;
}

export interface KeptReplyStore {
  /** In the place of an earlier one with the same id. */
  put(row: KeptReplyRow): Promise<void>;
  /** Nothing where there is none, where it expired, and where it is another token's. */
  get(tokenId: string, id: string, nowMs: number): Promise<KeptReplyRow | undefined>;
  /** Does any token have it? */
  has(id: string, nowMs: number): Promise<boolean>;
  /** False where there was none. */
  remove(tokenId: string, id: string, nowMs: number): Promise<boolean>;
  /** Removes the oldest of a token beyond so many, or beyond so many bytes; how many. */
  trim(tokenId: string, most: number, bytesMax: number): Promise<number>;
  /** Removes the oldest content of all tokens beyond so many bytes; how many. */
  trimAll(bytesMax: number): Promise<number>;
  /** Removes all that have expired, some at a time. */
  expire(nowMs: number): Promise<void>;
}

/** A short-lived credential for one realtime client, known by its digest alone. */
export interface ClientSecretRow {
  readonly digest: string;
  readonly tokenId: string;
  readonly model: string;
  /** Its shape is its writer's business. */
  readonly content: string;
  readonly expiresAtMs: number;
}

export interface SecretCeiling {
  readonly nowMs: number;
  readonly perTokenMax: number;
  readonly max: number;
}

export interface ClientSecretStore {
  /** False where as many are alive as may be; absent means no ceiling. */
  put(row: ClientSecretRow, ceiling?: SecretCeiling): Promise<boolean>;
  /** Nothing where there is none and where it expired. */
  get(digest: string, nowMs: number): Promise<ClientSecretRow | undefined>;
  /** Removes all that have expired, some at a time. */
  expire(nowMs: number): Promise<void>;
}

export interface Store {
  readonly engine: Engine;
  /** Made anew for each opening: the name under which this process holds attempts. */
  readonly instanceId: string;
  readonly schemaVersion: number;
  readonly tokens: TokenStore;
  readonly attempts: AttemptStore;
  readonly usage: UsageStore;
  readonly analytics: AnalyticsStore;
  readonly prices: PriceStore;
  readonly budgets: {
    read(scope: string, windowStartMs: number): Promise<{ readonly spentNano: bigint; readonly heldNano: bigint }>;
    /** What tokens that were not revoked have spent in one of these windows, as far as they have spent anything. */
    standings(windowStartsMs: readonly number[], ownerId?: string): Promise<readonly BudgetStanding[]>;
  };
  readonly providerModels: {
    get(provider: string): Promise<{ readonly models: unknown; readonly fetchedAtMs: number } | undefined>;
    /** `models` is any JSON value; its shape is its reader's business. */
    put(provider: string, models: unknown, fetchedAtMs: number): Promise<void>;
  };
  readonly settings: {
    get(key: string): Promise<string | undefined>;
    /** Returns the value that stands afterwards. */
    putIfAbsent(key: string, value: string): Promise<string>;
    put(key: string, value: string): Promise<void>;
  };
  readonly instances: InstanceStore;
  readonly idempotency: IdempotencyStore;
  readonly keptReplies: KeptReplyStore;
  readonly ownedIds: OwnedIdStore;
  readonly replicaContents: ReplicaContentStore;
  readonly keptResults: KeptResultStore;
  readonly resultParts: ResultPartStore;
  readonly tasks: TaskStore;
  readonly taskPages: TaskPageStore;
  readonly contents: RequestContentStore;
  readonly consoleSettings: ConsoleSettingStore;
  readonly clientSecrets: ClientSecretStore;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly audit: AuditStore;
  readonly setUp: SetUpStore;
  readonly signInTries: SignInTryStore;
  /** What people configure in the console. */
  readonly configuration: ConfigurationStore;
  /** Tables of prices beside the bundled one. */
  readonly priceTables: PriceTableStore;
  /** What hangs on the secrets of this Weir. */
  readonly secretUses: SecretUseStore;
  /** Grows with every change of a token or setting, whoever made it. */
  revision(): Promise<number>;
  /** Rejects where the database cannot be asked or, after a write has failed, cannot write. */
  ping(): Promise<void>;
  /** What people should know of what was found when this process began to serve. */
  notices(): readonly string[];
  /** Finishes what was asked for, then lets go of the database. */
  close(): Promise<void>;
}
