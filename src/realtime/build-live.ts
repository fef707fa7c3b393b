/** Composes live conversations. */

import type { Authenticator } from '../access/authenticate.ts';
import type { PurposeKeys } from '../secrets/key-ring.ts';
import { type Purpose, purposes } from '../secrets/purposes.ts';
import type { Config } from '../settings/config.ts';
import { ClientSecrets, type ClientSecretTable } from './client-secrets.ts';
import { createLive, type Live } from './live.ts';
import type { LiveParts } from './live-parts.ts';

interface LiveGiven {
  readonly parts: Omit<LiveParts, 'sessionIdleMs' | 'sessionTotalMs'>;
  readonly config: Config['realtime'];
  readonly table: ClientSecretTable;
  readonly authenticator: Authenticator;
  /** Keys for one purpose alone. */
  keysFor(purpose: Purpose): PurposeKeys;
}

interface BuiltLive {
  readonly live: Live;
  /** Forgets credentials that have long expired. */
  tidy(): Promise<void>;
}

export function buildLive({ parts, config, table, authenticator, keysFor }: LiveGiven): BuiltLive {
  const secrets = new ClientSecrets({
    table,
    digestKeys: keysFor(purposes.clientSecretDigests),
    contentKeys: keysFor(purposes.clientSecretContents),
    // Read each time, like the timeouts below: settings may change while Weir runs.
    get perTokenMax() {
      return config.clientSecretsPerTokenMax;
    },
    get max() {
      return config.clientSecretsMax;
    },
    wallMs: parts.wallMs,
  });
  const live = createLive({
    ...parts,
    // Read each time: both may change while Weir runs.
    get sessionIdleMs() {
      return config.idleMs;
    },
    get sessionTotalMs() {
      return config.totalMs;
    },
    secrets,
    callerById: (tokenId, address) => authenticator.authenticateId(tokenId, address),
  });
  return { live, tidy: () => secrets.expire() };
}
