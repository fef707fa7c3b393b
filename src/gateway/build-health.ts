/** Health of providers: counts attempts as they end, keeps the sums, and reports one state for the console and the metrics. */

import { createHealthReader, type HealthReader } from '../admin/health/health-reader.ts';
import type { LiveConfiguration } from '../configuration/live-configuration.ts';
import type { LedgerFigures } from '../ledger/closings/ledger-counts.ts';
import { AttemptSums } from '../observe/attempt-sums.ts';
import type { Conditions } from '../observe/conditions.ts';
import type { Logger } from '../observe/logger.ts';
import type { Gauges, Metrics } from '../observe/metrics.ts';
import type { EndedAttempt } from '../relay/attempts/ended-attempt.ts';
import type { Catalogue } from '../routing/catalogue.ts';
import type { KeyRing } from '../routing/keys.ts';
import type { Store } from '../store/store.ts';
import { storeFault } from './gateway-pieces.ts';

/** More than is shown, because the clocks of replicas differ. */
const minutesLifetimeMs = 2 * 3_600_000;
/** How long a provider that is not called keeps its last error. */
const endsLifetimeMs = 30 * 24 * 3_600_000;

interface HealthParts {
  readonly store: Pick<Store, 'attemptHealth' | 'ping'>;
  readonly live: Pick<LiveConfiguration, 'merged'>;
  readonly catalogue: Catalogue;
  readonly keys: KeyRing;
  readonly metrics: Metrics;
  readonly warn: Logger['warn'];
  readonly conditions: Pick<Conditions, 'all'>;
  nowMs(): number;
  wallMs(): number;
}

interface GaugeParts {
  readonly listener: { readonly inFlight: number };
  readonly running: { readonly size: number };
  readonly retries: { readonly denied: number };
  /** `redisUp` where Redis is configured: whether it decides. */
  readonly limiter: { readonly redisUp?: boolean };
  readonly ledger: { readonly figures: LedgerFigures };
  readonly reload: { readonly fault: string | undefined };
}

interface Health {
  readonly reader: HealthReader;
  /** Of all providers that are configured, disabled ones included. */
  providerNames(): readonly string[];
  attempted(ended: EndedAttempt): void;
  gauges(parts: GaugeParts): () => Promise<Gauges>;
  /** Removes what is too old to be shown. */
  expire(): Promise<void>;
  stop(): Promise<void>;
}

export function buildHealth({
  store,
  live,
  catalogue,
  keys,
  metrics,
  conditions,
  warn,
  nowMs,
  wallMs,
}: HealthParts): Health {
  const sums = new AttemptSums({
    store: store.attemptHealth,
    onFault: (cause) => warn('Sums of attempts could not be written; the next round tries again.', { cause }),
  });
  const providerNames = (): readonly string[] => [...new Set(live.merged.providers.map(({ name }) => name))];
  const reader = createHealthReader({
    store: store.attemptHealth,
    flush: () => sums.flush(),
    catalogue,
    keys,
    providerNames,
    nowMs,
    wallMs,
  });
  keys.onForget = (provider, keyId) => sums.forgetKey(provider, keyId);
  sums.start();
  return {
    reader,
    providerNames,
    attempted(ended) {
      metrics.attempted(ended);
      sums.add(ended);
    },
    gauges: ({ listener, running, retries, limiter, ledger, reload }) => {
      return async () => {
        const [report, fault] = await Promise.all([
          // Metrics are needed most while the database is unavailable.
          reader.read().catch(() => reader.known()),
          storeFault(store),
        ]);
        return {
          requestsInFlight: listener.inFlight,
          attemptsRunning: running.size,
          configurationRejected: reload.fault !== undefined,
          dependencies: { databaseUp: fault === undefined, redisUp: limiter.redisUp },
          conditions: conditions.all,
          ledger: ledger.figures,
          routing: { ...report.view(), retriesDenied: retries.denied },
        };
      };
    },
    expire: () => store.attemptHealth.expire(wallMs() - minutesLifetimeMs, wallMs() - endsLifetimeMs),
    stop: () => sums.stop(),
  };
}
