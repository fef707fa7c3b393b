/** Alerts, deliveries, channels and rules as the store keeps them. */

export const alertKinds = [
  'budget',
  'unusual-spend',
  'error-rate',
  'provider-down',
  'key-refused',
  'token-expiry',
  'unpriced-use',
  'model-shutdown',
  'replica-fault',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** From the least to the most severe. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const channelKinds = ['webhook', 'slack', 'discord', 'teams', 'feishu', 'mail'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** `open`: it lasts and will be resolved. `noted`: it happened, and there is nothing to wait for. */
export const alertStates = ['open', 'resolved', 'noted'] as const;
export type AlertState = (typeof alertStates)[number];

export type AlertFacts = Readonly<Record<string, string | number>>;

/** Raised once for each kind, subject, occurrence and threshold, by whichever replica is first. */
export interface AlertKey {
  readonly kind: AlertKind;
  /** As `team:team_1#b1`, `provider:up`, `token:tok_1`. */
  readonly subject: string;
  /** Which window or end it is about. */
  readonly occurrence: string;
  readonly threshold: string;
}

export interface NewAlert extends AlertKey {
  readonly subjectName: string;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  readonly facts: AlertFacts;
  readonly state: Exclude<AlertState, 'resolved'>;
}

export interface AlertRecord extends Omit<NewAlert, 'state'> {
  readonly id: string;
  readonly state: AlertState;
  readonly raisedAtMs: number;
  /** When it was last found to be true. */
  readonly seenAtMs: number;
  readonly resolvedAtMs?: number;
}

export type Notice = 'raised' | 'repeated' | 'resolved';
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** Where a notice goes and when. Those of one batch are sent as one message. */
export interface NewDelivery {
  readonly channelId: string;
  readonly ruleId: string;
  readonly dueAtMs: number;
  /** Absent: it is sent by itself. */
  readonly batch?: string | undefined;
  /** Absent: it is not repeated while the alert lasts. */
  readonly repeatMs?: number | undefined;
}

export interface DeliveryRecord {
  readonly id: string;
  readonly alertId: string;
  readonly channelId: string;
  readonly ruleId: string;
  readonly notice: Notice;
  readonly sequence: number;
  readonly batch: string;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly dueAtMs: number;
  readonly createdAtMs: number;
  readonly endedAtMs?: number;
  readonly lastError?: string;
}

/** Claimed by this replica until its lease ends. */
export interface ClaimedDelivery {
  readonly delivery: DeliveryRecord;
  readonly alert: AlertRecord;
}

export interface ChannelSettings {
  /** Of a webhook; the rest of its URL is sealed. */
  readonly host?: string | undefined;
  /** Of mail. */
  readonly to?: readonly string[] | undefined;
}

export interface ChannelRecord {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly settings: ChannelSettings;
  /** The URL and the secret. */
  readonly sealed?: string;
  readonly disabled: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Local times of day as `22:00`. */
export interface QuietHours {
  readonly timeZone: string;
  readonly from: string;
  readonly to: string;
  /** Critical alerts are sent at once. */
  readonly criticalPasses: boolean;
}

export interface RuleTerms {
  readonly kinds: readonly AlertKind[];
  readonly channels: readonly string[];
  readonly severityMin: Severity;
  readonly budgetPercents: readonly number[];
  /** How many times the usual spend is unusual. */
  readonly spendFactor: number;
  /** Less in an hour is never unusual; USD as a decimal text. */
  readonly spendUsdMin: string;
  readonly errorPercent: number;
  readonly errorAttemptsMin: number;
  readonly expiryDays: readonly number[];
  readonly shutdownDays: readonly number[];
  readonly quiet?: QuietHours | undefined;
  readonly repeatMinutes?: number | undefined;
}

export interface RuleRecord {
  readonly id: string;
  readonly name: string;
  readonly terms: RuleTerms;
  readonly disabled: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
