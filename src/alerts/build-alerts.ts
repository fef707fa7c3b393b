/** Assembles alerts: what is watched, where it is delivered, and what the admin interface calls. */

import { randomUUID } from 'node:crypto';
import type { Audit } from '../admin/accounts/audit.ts';
import type { EndingModels } from '../admin/usage/ending-models.ts';
import type { LearningLogger } from '../observe/logger.ts';
import type { PurposeKeys } from '../secrets/key-ring.ts';
import { type Purpose, purposes } from '../secrets/purposes.ts';
import { createSealing } from '../secrets/sealing.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import type { Egress } from '../upstream/egress/fetch-from-caller.ts';
import { type ChannelAdmin, createChannelAdmin } from './channel-admin.ts';
import { createSend } from './channels/send.ts';
import { createMailer } from './channels/send-mail.ts';
import { createFactReader } from './collect-facts.ts';
import { createDeliver } from './deliver.ts';
import { createRuleAdmin, type RuleAdmin } from './rule-admin.ts';
import { type AlertWatch, createAlertWatch } from './watch.ts';

interface AlertParts {
  readonly config: Config;
  readonly store: Store;
  readonly keysFor: (purpose: Purpose) => PurposeKeys;
  readonly egress: Pick<Egress, 'open'>;
  readonly audit: Audit;
  readonly endings: EndingModels;
  readonly logger: LearningLogger;
  providerNames(): readonly string[];
  /** Alerts are evaluated by the time of day, and removed by the one that is plausible. */
  readonly clock: { wallMs(): number; settledMs(): number };
}

export interface Alerts {
  readonly channels: ChannelAdmin;
  readonly rules: RuleAdmin;
  readonly watch: AlertWatch;
}

export function buildAlerts({ config, store, keysFor, egress, audit, logger, clock, ...facts }: AlertParts): Alerts {
  const nowMs = clock.wallMs;
  const newId = (prefix: string): string => prefix + randomUUID().replaceAll('-', '');
  const sealing = createSealing(keysFor(purposes.alertChannels));
  const { publicUrl } = config.server;
  const pageUrl = publicUrl === undefined ? undefined : `${publicUrl}/console/alerts`;
  const mail = createMailer(() => ({ ...config.mail, ca: config.egress.ca }));
  const send = createSend({ egress, sealing, mail, nowMs });
  const admin = { store: store.alerts, audit, nowMs, newId };
  let lastFault = '';
  return {
    channels: createChannelAdmin({ ...admin, sealing, send, pageUrl, hide: (secrets) => logger.hide(secrets) }),
    rules: createRuleAdmin(admin),
    watch: createAlertWatch({
      store: store.alerts,
      readFacts: createFactReader({ ...facts, store, nowMs }),
      deliver: createDeliver({
        ...{ store: store.alerts, send, pageUrl, retryMs: config.alerts.retryMs },
        ...{ nowMs, random: Math.random, warn: logger.warn },
      }),
      settledMs: clock.settledMs,
      periodMs: config.alerts.pollMs,
      retentionDays: config.alerts.retentionDays,
      nowMs,
      newId: () => newId('alert_'),
      onFault(what, cause) {
        const fault = `${what} ${cause instanceof Error ? cause.message : String(cause)}`;
        // A database that is away for a day is said once, not every half minute.
        if (fault !== lastFault) logger.warn(what, { cause });
        lastFault = fault;
      },
    }),
  };
}
