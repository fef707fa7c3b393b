/** The routes of alerts, their channels and their rules, for the description. */

import { alertKinds, alertStates } from '../../../store/alerts/alert-records.ts';
import {
  channelChangesSchema,
  newChannelSchema,
  newRuleSchema,
  ruleChangesSchema,
} from '../../contracts/alert-contract.ts';
import {
  choice,
  json,
  type KeyRouteName,
  limit,
  pageQuery,
  paging,
  type RouteDescription,
} from '../route-description.ts';
import { body, emptyBody, listOf, pageOf } from '../schema-names.ts';
import { alert, channel, channelTest, issuedChannel, rule } from '../schemas/alerts.ts';

const channelMeanings = {
  url: 'Of every kind but mail; only its host is shown again.',
  to: 'Mail addresses; of mail only.',
} as const;
const newChannel = body('NewAlertChannel', newChannelSchema, {
  ...channelMeanings,
  secret: 'Signs what is sent; of webhook and feishu. A webhook without one gets one, which is returned once.',
});
const channelChanges = body('AlertChannelChanges', channelChangesSchema, {
  ...channelMeanings,
  newSecret: 'A webhook gets another secret, which is returned once.',
});
const ruleMeanings = {
  channels: 'IDs of channels.',
  severityMin: 'Less severe alerts are not sent.',
  budgetPercents: 'At which parts of a budget to alert.',
  spendFactor: 'How many times the usual spend of an hour is unusual.',
  spendUsdMin: 'Less in an hour is never unusual.',
  errorAttemptsMin: 'With fewer attempts there is no error rate.',
  expiryDays: 'How many days before a token expires.',
  shutdownDays: 'How many days before a model is shut down.',
  quiet: 'Local hours without messages; null for none.',
  repeatMinutes: 'How often an open alert is sent again; null for never.',
} as const;
const newRule = body('NewAlertRule', newRuleSchema, ruleMeanings);
const ruleChanges = body('AlertRuleChanges', ruleChangesSchema, ruleMeanings);

const hook = {
  id: 'ch_3e7r1t5y',
  kind: 'webhook',
  name: 'On-call',
  host: 'hooks.example.com',
  disabled: false,
  createdAt: '2026-11-17T10:00:00.000Z',
  updatedAt: '2026-11-17T10:00:00.000Z',
  last: { state: 'delivered', at: '2026-11-17T10:30:00.000Z' },
} as const;

const budgets = {
  id: 'rule_8u2i6o4p',
  name: 'Budgets',
  kinds: ['budget'],
  channels: ['ch_3e7r1t5y'],
  severityMin: 'info',
  budgetPercents: [80, 100],
  spendFactor: 3,
  spendUsdMin: '5',
  errorPercent: 20,
  errorAttemptsMin: 20,
  expiryDays: [7, 1],
  shutdownDays: [30, 7, 1],
  disabled: false,
  createdAt: '2026-11-17T10:00:00.000Z',
  updatedAt: '2026-11-17T10:00:00.000Z',
} satisfies (typeof rule)['_input'];

export const alertRoutes = {
  'GET /console/api/alerts': {
    call: 'alerts.list',
    summary: 'List the alerts, newest first, with their deliveries.',
    query: {
      kind: choice(alertKinds, 'What they are about.'),
      state: choice(alertStates, 'The state of the alerts.'),
      ...pageQuery,
      limit: limit(200),
    },
    reply: json(pageOf('Alert', alert), {
      items: [
        {
          id: 'alert_9a5s7d3f',
          kind: 'budget',
          severity: 'warning',
          state: 'open',
          subject: 'team:team_9c2v5b7n#b1',
          subjectName: 'Research',
          threshold: '80',
          title: 'Research has spent 80 % of its budget',
          detail: '400 of 500 USD of this month are spent.',
          facts: { limit: '500', spent: '400' },
          raisedAt: '2026-11-17T10:30:00.000Z',
          seenAt: '2026-11-17T10:35:00.000Z',
          deliveries: [
            {
              channelId: 'ch_3e7r1t5y',
              channelName: 'On-call',
              notice: 'raised',
              state: 'delivered',
              tries: 1,
              at: '2026-11-17T10:30:01.000Z',
            },
          ],
        },
      ],
      next: '1795257000000.alert_9a5s7d3f',
    }),
    paging,
  },
  'GET /console/api/alert-channels': {
    call: 'alertChannels.list',
    summary: 'List the channels that alerts are sent to.',
    reply: json(listOf('AlertChannel', channel), { items: [hook] }),
  },
  'POST /console/api/alert-channels': {
    call: 'alertChannels.create',
    summary: 'Create a channel: a webhook, a chat or mail.',
    body: json(newChannel, { kind: 'webhook', name: 'On-call', url: 'https://hooks.example.com/weir' }),
    reply: json(issuedChannel, { channel: hook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
  },
  'PATCH /console/api/alert-channels/{id}': {
    call: 'alertChannels.change',
    summary: 'Change a channel. What is absent stays as it is.',
    body: json(channelChanges, { disabled: true }),
    reply: json(issuedChannel, { channel: { ...hook, disabled: true } }),
  },
  'DELETE /console/api/alert-channels/{id}': {
    call: 'alertChannels.remove',
    summary: 'Delete a channel.',
  },
  'POST /console/api/alert-channels/{id}/test': {
    call: 'alertChannels.test',
    summary: 'Send a test message to a channel.',
    body: json(emptyBody, {}),
    reply: json(channelTest, { ok: true, status: 200, answer: 'ok' }),
  },
  'GET /console/api/alert-rules': {
    call: 'alertRules.list',
    summary: 'List the rules that choose what is sent where.',
    reply: json(listOf('AlertRule', rule), { items: [budgets] }),
  },
  'POST /console/api/alert-rules': {
    call: 'alertRules.create',
    summary: 'Create a rule.',
    body: json(newRule, {
      name: 'Budgets',
      kinds: ['budget'],
      channels: ['ch_3e7r1t5y'],
      budgetPercents: [80, 100],
    }),
    reply: json(rule, budgets),
  },
  'PATCH /console/api/alert-rules/{id}': {
    call: 'alertRules.change',
    summary: 'Change a rule. What is absent stays as it is; null removes.',
    body: json(ruleChanges, {
      quiet: { timeZone: 'Europe/Berlin', from: '22:00', to: '07:00', criticalPasses: true },
    }),
    reply: json(rule, {
      ...budgets,
      quiet: { timeZone: 'Europe/Berlin', from: '22:00', to: '07:00', criticalPasses: true },
    }),
  },
  'DELETE /console/api/alert-rules/{id}': {
    call: 'alertRules.remove',
    summary: 'Delete a rule.',
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
