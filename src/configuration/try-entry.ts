/** Tries a provider as it is or would be configured, with each of its keys, and stores nothing. */

import { passwordsIn } from '../config/readers/read-egress.ts';
import { type Trial, type TrialFault, tryProvider } from '../providers/probe/try-provider.ts';
import type { Authorizer } from '../providers/sign/authorize.ts';
import { buildProvider } from '../routing/build.ts';
import type { ProviderConfig } from '../settings/config.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { secretsOf } from './entry-secrets.ts';

export type { Trial, TrialFault };

export interface TrialOptions {
  readonly egressRoutes: Pick<EgressRoutes, 'of'>;
  readonly authorizer: Authorizer;
  /** Monotonic. */
  nowMs(): number;
}

export type TryEntry = (config: ProviderConfig) => Promise<Trial>;

const noKey = { id: '', value: '' };

/** Where a key is refused, that is the result, with the key's id: the others may be good. */
export function createTrials({ egressRoutes, authorizer, nowMs }: TrialOptions): TryEntry {
  return async (config) => {
    const { headers, proxy, keys } = config;
    const provider = buildProvider(config, egressRoutes);
    const secrets = [...secretsOf({ headers, proxy }), ...(proxy === undefined ? [] : passwordsIn(proxy))];
    const asked = keys.length === 0 ? [noKey] : keys;
    const trials = await Promise.all(
      asked.map(async (key) => ({ key, trial: await tryProvider(provider, key, { authorizer, nowMs, secrets }) })),
    );
    const failed = trials.find(({ trial }) => trial.fault !== undefined);
    const [first] = trials;
    if (first === undefined || failed?.trial.fault === undefined) return first?.trial ?? { latencyMs: 0, models: [] };
    const { trial, key } = failed;
    const { fault } = failed.trial;
    return asked.length < 2 ? trial : { ...trial, fault: { ...fault, message: `${key.id}: ${fault.message}` } };
  };
}
