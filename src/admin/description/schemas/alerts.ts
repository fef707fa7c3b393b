/** Replies about alerts, their channels and their rules. */

import { z } from 'zod';
import type { QuietHours, RuleTerms } from '../../../store/alerts/alert-records.ts';
import { alertKinds, alertStates, channelKinds, severities } from '../../../store/alerts/alert-records.ts';
import type {
  AlertDeliveryView,
  AlertView,
  ChannelTestView,
  ChannelView,
  IssuedChannelView,
  RuleView,
} from '../../contracts/alert-contract.ts';
import { fieldsOf, reply, time } from '../schema-names.ts';

export const channel = reply<ChannelView>()(
  'AlertChannel',
  z.strictObject({
    id: z.string(),
    kind: z.enum(channelKinds),
    name: z.string(),
    host: z.string().exactOptional().describe('The host of its URL; the rest is never shown.'),
    to: z.array(z.string()).exactOptional(),
    disabled: z.boolean(),
    createdAt: time,
    updatedAt: time,
    last: z
      .strictObject({ state: z.enum(['pending', 'delivered', 'failed']), at: time, error: z.string().exactOptional() })
      .exactOptional()
      .describe('What came of the newest delivery that was tried.'),
  }),
);

export const issuedChannel = reply<IssuedChannelView>()(
  'IssuedAlertChannel',
  z.strictObject({
    channel,
    secret: z.string().exactOptional().describe('Only where Weir made it, and only this once.'),
  }),
);

export const channelTest = reply<ChannelTestView>()(
  'AlertChannelTest',
  z.strictObject({
    ok: z.boolean(),
    status: z.number().exactOptional(),
    answer: z.string(),
  }),
);

const quietHours = reply<QuietHours>()(
  'QuietHours',
  z.strictObject({
    timeZone: z.string(),
    from: z.string(),
    to: z.string(),
    criticalPasses: z.boolean().describe('Critical alerts are sent at once.'),
  }),
);

const termFields = fieldsOf<RuleTerms>()(
  z.strictObject({
    kinds: z.array(z.enum(alertKinds)),
    channels: z.array(z.string()),
    severityMin: z.enum(severities),
    budgetPercents: z.array(z.number()),
    spendFactor: z.number().describe('How many times the usual spend is unusual.'),
    spendUsdMin: z.string().describe('Less in an hour is never unusual; USD as a decimal text.'),
    errorPercent: z.number(),
    errorAttemptsMin: z.number(),
    expiryDays: z.array(z.number()),
    shutdownDays: z.array(z.number()),
    quiet: quietHours.optional(),
    repeatMinutes: z.number().optional(),
  }),
);

export const rule = reply<RuleView>()(
  'AlertRule',
  z.strictObject({
    ...termFields.shape,
    id: z.string(),
    name: z.string(),
    disabled: z.boolean(),
    createdAt: time,
    updatedAt: time,
  }),
);

const alertDelivery = reply<AlertDeliveryView>()(
  'AlertDelivery',
  z.strictObject({
    channelId: z.string(),
    channelName: z.string().exactOptional().describe('Absent where the channel is gone.'),
    notice: z.enum(['raised', 'repeated', 'resolved']),
    state: z.enum(['pending', 'delivered', 'failed']),
    tries: z.number(),
    at: time.describe('When it was delivered or given up, or when it is tried next.'),
    error: z.string().exactOptional(),
  }),
);

export const alert = reply<AlertView>()(
  'Alert',
  z.strictObject({
    id: z.string(),
    kind: z.enum(alertKinds),
    severity: z.enum(severities),
    state: z.enum(alertStates),
    subject: z.string(),
    subjectName: z.string(),
    threshold: z.string(),
    title: z.string(),
    detail: z.string(),
    facts: z.record(z.string(), z.union([z.string(), z.number()])),
    raisedAt: time,
    seenAt: time,
    resolvedAt: time.exactOptional(),
    deliveries: z.array(alertDelivery),
  }),
);
