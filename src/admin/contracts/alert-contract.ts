/** What the console's pages and the admin interface exchange about alerts, the channels they go to, and the rules that choose. */

import { z } from 'zod';
import {
  type AlertFacts,
  type AlertKind,
  type AlertState,
  alertKinds,
  type ChannelKind,
  channelKinds,
  type DeliveryState,
  type Notice,
  type RuleTerms,
  type Severity,
  severities,
} from '../../store/alerts/alert-records.ts';

export type { AlertKind, AlertState, ChannelKind, Severity } from '../../store/alerts/alert-records.ts';

const nameLengthMax = 100;
const recipientsMax = 20;
const listMax = 10;

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);
const name = z
  .string('must be text')
  .trim()
  .min(1, 'must not be empty')
  .max(nameLengthMax, `must have at most ${nameLengthMax} characters`)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), { error: 'must not contain control characters' });
const flag = z.boolean('must be true or false');
const url = z.string('must be a URL').max(2_000, 'must have at most 2000 characters');
const webhookSecretRule = 'must be whsec_ and 24 to 64 bytes in base64';
/** What signs: Weir's own form for webhooks, and what the bot shows for Feishu. */
const secret = z
  .string('must be text')
  .min(8, 'must have at least 8 characters')
  .max(200, 'must have at most 200 characters');
const mailbox = z
  .string('must be a mail address')
  .max(254, 'must be a mail address')
  .regex(/^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/, 'must be a mail address');
const to = z
  .array(mailbox, 'must be a list of mail addresses')
  .min(1, 'must not be empty')
  .max(recipientsMax, 'is too long');

export function isWebhookSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  const size = match === null ? 0 : Buffer.from(match[1] ?? '', 'base64').length;
  return size >= 24 && size <= 64;
}

/** A webhook without a secret gets one, which is shown once. */
export const newChannelSchema = z
  .strictObject({
    kind: oneOf(channelKinds),
    name,
    url: url.optional(),
    secret: secret.optional(),
    to: to.optional(),
  })
  .superRefine(({ kind, url: given, secret: key, to: recipients }, context) => {
    const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'mail' && recipients === undefined) fault('to', 'is required');
    if (kind === 'mail' && given !== undefined) fault('url', 'does not apply to mail');
    if (kind !== 'mail' && given === undefined) fault('url', 'is required');
    if (kind !== 'mail' && recipients !== undefined) fault('to', 'applies to mail only');
    if (key !== undefined && kind !== 'webhook' && kind !== 'feishu')
      fault('secret', 'applies to webhook and feishu only');
    if (key !== undefined && kind === 'webhook' && !isWebhookSecret(key)) fault('secret', webhookSecretRule);
  });

/** What is absent stays as it is. `newSecret`: a webhook gets another one, which is shown once. */
export const channelChangesSchema = z.strictObject({
  name: name.optional(),
  url: url.optional(),
  secret: secret.nullable().optional(),
  newSecret: z.literal(true, 'must be true').optional(),
  to: to.optional(),
  disabled: flag.optional(),
});

const wholeNumber = (least: number, most: number) =>
  z
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be a whole number from ${least} to ${most}`)
    .max(most, `must be a whole number from ${least} to ${most}`);
const numbers = (least: number, most: number) =>
  z
    .array(wholeNumber(least, most), 'must be a list of numbers')
    .min(1, 'must not be empty')
    .max(listMax, 'is too long');
const timeOfDay = z
  .string('must be a time such as 22:00')
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');
const quiet = z.strictObject({
  timeZone: z.string('must be the name of a time zone').max(100, 'must be the name of a time zone'),
  from: timeOfDay,
  to: timeOfDay,
  criticalPasses: flag.default(true),
});

const ruleFields = {
  name,
  kinds: z
    .array(oneOf(alertKinds), 'must be a list of kinds')
    .min(1, 'must not be empty')
    .max(alertKinds.length, 'is too long'),
  channels: z.array(z.string('must be the id of a channel'), 'must be a list of channels').max(20, 'is too long'),
  severityMin: oneOf(severities),
  budgetPercents: numbers(1, 1_000),
  spendFactor: z
    .number('must be a number from 1 to 1000')
    .min(1, 'must be a number from 1 to 1000')
    .max(1_000, 'must be a number from 1 to 1000'),
  spendUsdMin: z
    .string('must be an amount such as 5 or 0.50')
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be an amount such as 5 or 0.50'),
  errorPercent: wholeNumber(1, 100),
  errorAttemptsMin: wholeNumber(1, 1_000_000),
  expiryDays: numbers(1, 365),
  shutdownDays: numbers(1, 365),
  quiet: quiet.nullable(),
  repeatMinutes: wholeNumber(5, 43_200).nullable(),
  disabled: flag,
};
export const newRuleSchema = z
  .strictObject({ ...ruleFields })
  .partial()
  .required({ name: true, kinds: true, channels: true });
export const ruleChangesSchema = z.strictObject({ ...ruleFields }).partial();

export type NewChannel = z.input<typeof newChannelSchema>;
export type ChannelChanges = z.input<typeof channelChangesSchema>;
export type NewRule = z.input<typeof newRuleSchema>;

export interface ChannelView {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  /** The host of its URL; the rest is never shown. */
  readonly host?: string;
  readonly to?: readonly string[];
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What came of the newest delivery that was tried. */
  readonly last?: { readonly state: DeliveryState; readonly at: string; readonly error?: string };
}

/** `secret` is here only where Weir made it, and only this once. */
export interface IssuedChannelView {
  readonly channel: ChannelView;
  readonly secret?: string;
}

/** What the receiver of a test answered. */
export interface ChannelTestView {
  readonly ok: boolean;
  readonly status?: number;
  readonly answer: string;
}

export interface RuleView extends RuleTerms {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AlertDeliveryView {
  readonly channelId: string;
  /** Absent where the channel is gone. */
  readonly channelName?: string;
  readonly notice: Notice;
  readonly state: DeliveryState;
  readonly tries: number;
  /** When it was delivered or given up, or when it is tried next. */
  readonly at: string;
  readonly error?: string;
}

export interface AlertView {
  readonly id: string;
  readonly kind: AlertKind;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly subject: string;
  readonly subjectName: string;
  readonly threshold: string;
  readonly title: string;
  readonly detail: string;
  readonly facts: AlertFacts;
  readonly raisedAt: string;
  readonly seenAt: string;
  readonly resolvedAt?: string;
  readonly deliveries: readonly AlertDeliveryView[];
}
