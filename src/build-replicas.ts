/** Builds what must work at every replica, whichever of them made it: in memory alone where there is one process, in the database where several share it. */

import type { Config } from './config/config.ts';
import type { Secrets } from './gateway-pieces.ts';
import type { Logger } from './observe/logger.ts';
import { IdempotentReplies, replyLimits } from './relay/idempotency.ts';
import { ReplicaContents } from './relay/replica-contents.ts';
import type { Store } from './store/store.ts';

export interface ReplicaParts {
  readonly config: Config;
  readonly store: Store;
  readonly secrets: Secrets;
  readonly logger: Logger;
  /** Can others have taken this process for dead since then? */
  livedSince(atMs: number): boolean;
}

export interface Replicas {
  readonly idempotency: IdempotentReplies;
  stop(): void;
}

/** What has expired is not given out, and is removed within this time. */
const tidyEveryMs = 60_000;

export function buildReplicas(parts: ReplicaParts): Replicas {
  const { store, livedSince } = parts;
  const replies = sharedOf(parts, 'reply', replyLimits);
  const tidy = async (): Promise<void> => {
    await store.replicaContents.expire(Date.now());
    await replies?.trim();
  };
  const timer = setInterval(() => {
    tidy().catch((cause: unknown) => parts.logger.warn('What replicas share could not be tidied.', { cause }));
  }, tidyEveryMs);
  return {
    idempotency: new IdempotentReplies({ store: store.idempotency, wallMs: Date.now, livedSince, shared: replies }),
    stop: () => clearInterval(timer),
  };
}

/** Nothing where this is the only process: its memory serves, and no content need lie on a disk. */
function sharedOf(
  { store, secrets, logger }: ReplicaParts,
  kind: 'reply' | 'seals',
  limits: typeof replyLimits,
): ReplicaContents | undefined {
  if (store.engine === 'sqlite') return undefined;
  const { replicaContents: table } = store;
  return new ReplicaContents({
    table,
    sealing: secrets.replicaContents,
    kind,
    limits,
    wallMs: Date.now,
    warn: logger.warn,
  });
}
