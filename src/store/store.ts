/** The store's contract: everything Weir keeps, on either engine. */

import type { TokenRecord } from '../access/caller.ts';
import type { AttemptStore, InstanceStore, PriceTextStore } from '../ledger/ledger-store.ts';
import type { FleetState } from '../routing/fleet/fleet-state.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { AccountStore, AuditStore, SessionStore, SetUpStore, SignInTryStore } from './accounts/account-store.ts';
import type { AdminKeyStore, IdempotentWriteStore } from './admin-keys/admin-key-store.ts';
import type { AlertStore } from './alerts/alert-store.ts';
import type { AnalyticsStore } from './analytics/analytics-store.ts';
import type { ConfigurationStore } from './configuration/configuration-store.ts';
import type { ConsoleSettingStore } from './configuration/console-settings.ts';
import type { DeviceSignInStore } from './device/sign-in-store.ts';
import type { ClockReadings } from './engines/database-clock.ts';
import type { FactorStore } from './factors/factor-store.ts';
import type { InvitationStore } from './factors/invitation-store.ts';
import type { AttemptHealthStore } from './health/attempt-health-store.ts';
import type { JwtStore } from './jwt/jwt-store.ts';
import type { ChangeSetStore } from './organization/change-set-store.ts';
import type { EndUserStore } from './organization/end-user-store.ts';
import type { OrganizationStore } from './organization/organization-store.ts';
import type { PriceTableStore } from './prices/price-tables.ts';
import type { ClientSecretStore } from './requests/client-secrets.ts';
import type { IdempotencyStore } from './requests/idempotency.ts';
import type { KeptReplyStore } from './requests/kept-replies.ts';
import type { OwnedIdStore } from './requests/owned-ids.ts';
import type { ReplicaContentStore } from './requests/replica-contents.ts';
import type { RequestContentStore } from './requests/request-contents.ts';
import type { RequestErrorStore } from './requests/request-errors.ts';
import type { RequestExportStore } from './requests/request-exports.ts';
import type { KeptResultStore, ResultPartStore } from './results/result-rows.ts';
import type { ScimStore } from './scim/scim-store.ts';
import type { SecretUseStore } from './secret-keys/secret-uses.ts';
import type { IdentityStore } from './sign-in/identity-store.ts';
import type { Engine } from './sql/driver.ts';
import type { TaskPageStore } from './tasks/task-pages.ts';
import type { TokenStore } from './tokens/token-store.ts';
import type { UsageStore } from './usage/usage-store.ts';

/** Prices that requests were charged at, each as the ledger wrote it. */
interface PriceStore extends PriceTextStore {
  get(name: string): Promise<string | undefined>;
}

export interface BudgetStanding {
  readonly token: TokenRecord;
  readonly windowStartMs: number;
  readonly spentNano: bigint;
  readonly heldNano: bigint;
}

export interface Store {
  readonly engine: Engine;
  /** Several processes may serve from these data. */
  readonly several: boolean;
  /** The database is a server that another may replace, which may lack the last that was written. */
  readonly failsOver: boolean;
  /** Created for each opening: the name under which this process holds attempts. */
  readonly instanceId: string;
  readonly schemaVersion: number;
  readonly tokens: TokenStore;
  readonly attempts: AttemptStore;
  readonly usage: UsageStore;
  readonly analytics: AnalyticsStore;
  readonly prices: PriceStore;
  readonly budgets: {
    read(scope: string, windowStartMs: number): Promise<{ readonly spentNano: bigint; readonly heldNano: bigint }>;
    /** What tokens that were not revoked have spent in one of these windows, as far as they have spent anything; all, or those that an account may see. */
    standings(windowStartsMs: readonly number[], seenBy?: string): Promise<readonly BudgetStanding[]>;
  };
  readonly providerModels: {
    get(provider: string): Promise<{ readonly models: unknown; readonly fetchedAtMs: number } | undefined>;
    /** `models` is any JSON value; its shape is up to its reader. */
    put(provider: string, models: unknown, fetchedAtMs: number): Promise<void>;
  };
  readonly settings: {
    get(key: string): Promise<string | undefined>;
    /** Returns the value that is stored afterwards. */
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
  readonly requestErrors: RequestErrorStore;
  /** How attempts ended, for the health of providers. */
  readonly requestExports: RequestExportStore;
  readonly attemptHealth: AttemptHealthStore;
  /** What replicas tell each other about providers where there is no Redis. */
  readonly clock: ClockReadings;
  readonly fleetState: FleetState;
  readonly consoleSettings: ConsoleSettingStore;
  readonly clientSecrets: ClientSecretStore;
  readonly organization: OrganizationStore;
  readonly changeSets: ChangeSetStore;
  readonly endUsers: EndUserStore;
  readonly alerts: AlertStore;
  readonly adminKeys: AdminKeyStore;
  /** Replies to writes with an admin key and an `Idempotency-Key`. */
  readonly idempotentWrites: IdempotentWriteStore;
  readonly deviceSignIns: DeviceSignInStore;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  /** Who people are at the issuers that they sign in through. */
  readonly identities: IdentityStore;
  readonly jwts: JwtStore;
  /** What a directory says of people and groups. */
  readonly scim: ScimStore;
  readonly audit: AuditStore;
  readonly setUp: SetUpStore;
  readonly invitations: InvitationStore;
  readonly factors: FactorStore;
  readonly signInTries: SignInTryStore;
  /** The console's configuration. */
  readonly configuration: ConfigurationStore;
  /** Price tables beside the bundled one. */
  readonly priceTables: PriceTableStore;
  /** What depends on the secret keys of this Weir. */
  readonly secretUses: SecretUseStore;
  /** Grows with every change of a token or setting by any process. */
  revision(): Promise<number>;
  /** Rejects where the database cannot be read or, after a write has failed, cannot be written. */
  ping(): Promise<void>;
  /** What the operator should know of what was found when this process began to serve. */
  notices(): readonly string[];
  /** Finishes the calls in flight, then closes the database. */
  close(): Promise<void>;
}
