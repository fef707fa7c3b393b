/** Builds what must work at every replica, whichever of them made it: in memory and folders where there is one process, in the database or a bucket where several share them. */

import { join } from 'node:path';
import type { Logger } from '../observe/logger.ts';
import { IdempotentReplies, replyLimits } from '../relay/idempotency/idempotency.ts';
import { ReplicaContents, type ReplicaLimits } from '../relay/memory/replica-contents.ts';
import { SealMemo, sealLimits } from '../relay/memory/seal-memo.ts';
import type { BucketConfig, Config } from '../settings/config.ts';
import { BucketResults } from '../store/results/bucket-results.ts';
import { DatabaseResults } from '../store/results/database-results.ts';
import { FolderResults } from '../store/results/folder-results.ts';
import { OwnedResults } from '../store/results/owned-results.ts';
import { ResultFiles } from '../store/results/result-files.ts';
import type { ResultKind } from '../store/results/result-rows.ts';
import type { ResultStore } from '../store/results/result-store.ts';
import type { Store } from '../store/store.ts';
import type { Secrets } from './gateway-pieces.ts';

interface ReplicaParts {
  readonly config: Config;
  readonly store: Store;
  readonly secrets: Secrets;
  readonly logger: Logger;
  /** Can others have taken this process for dead since then? */
  livedSince(atMs: number): boolean;
}

interface Replicas {
  readonly idempotency: IdempotentReplies;
  readonly sealMemo: SealMemo;
  readonly images: ResultFiles;
  readonly videos: OwnedResults;
  stop(): void;
}

/** What has expired is not given out, and is removed within this time. */
const tidyEveryMs = 60_000;
/** As long as the official service keeps what it made. */
const imageLifetimeMs = 60 * 60 * 1_000;

export function buildReplicas(parts: ReplicaParts): Replicas {
  const { config, store, secrets, livedSince } = parts;
  const replies = contentsOf(parts, 'reply', replyLimits);
  const turns = contentsOf(parts, 'seals', sealLimits);
  const images = ownedBy(parts, 'image', imagePlace(parts), imageLifetimeMs);
  const tidy = async (): Promise<void> => {
    await store.replicaContents.expire(Date.now());
    await replies?.trim();
    await turns?.trim();
    await images.expire();
    await images.trim();
  };
  warnOfLocalVideos(parts);
  const timer = setInterval(() => {
    tidy().catch((cause: unknown) => parts.logger.warn('What replicas share could not be tidied.', { cause }));
  }, tidyEveryMs);
  return {
    idempotency: new IdempotentReplies({ store: store.idempotency, wallMs: Date.now, livedSince, shared: replies }),
    sealMemo: new SealMemo({ nowMs: Date.now, shared: turns, warn: parts.logger.warn }),
    images: new ResultFiles({
      results: images,
      signing: secrets.resultAddresses,
      lifetimeMs: imageLifetimeMs,
      bytesMax: config.limits.replyBytesMax,
      wallMs: Date.now,
      onFault: (message, cause) => parts.logger.error(message, { cause }),
    }),
    videos: ownedBy(parts, 'video', videoPlace(config), config.tasks.resultLifetimeMs),
    stop: () => clearInterval(timer),
  };
}

/** Said by every replica but the first: it is seen in the log of most, and a single process has nothing to be warned of. */
function warnOfLocalVideos({ config, store, logger }: ReplicaParts): void {
  if (store.engine === 'sqlite' || config.bucket !== undefined) return;
  const warning =
    'Other replicas use this database, and there is no bucket for results: unless they share the data folder, a video is served only by the replica that made it. Set results.bucket, or share the folder.';
  store.instances.others().then(
    (others) => others.length > 0 && logger.warn(warning, { folder: config.server.dataFolder }),
    (cause: unknown) => logger.warn('Other replicas could not be looked for.', { cause }),
  );
}

/** Nothing where this is the only process: its memory serves, and no content need lie on a disk. */
function contentsOf(
  { store, secrets, logger }: ReplicaParts,
  kind: 'reply' | 'seals',
  limits: ReplicaLimits,
): ReplicaContents | undefined {
  if (store.engine === 'sqlite') return undefined;
  const { replicaContents: table } = store;
  const sealing = secrets.replicaContents;
  return new ReplicaContents({ table, sealing, kind, limits, wallMs: Date.now, warn: logger.warn });
}

function ownedBy(
  { config, store, logger }: ReplicaParts,
  kind: ResultKind,
  place: ResultStore,
  lifetimeMs: number,
): OwnedResults {
  return new OwnedResults({
    place,
    rows: store.keptResults,
    kind,
    limits: {
      tokenBytesMax: config.results[`${kind}TokenBytesMax`],
      bytesMax: config.results[`${kind}BytesMax`],
    },
    lifetimeMs,
    wallMs: Date.now,
    onFault: (message, cause) => logger.error(message, { cause }),
  });
}

/** Images are small and live an hour: where replicas share a database and no bucket, they lie there. */
function imagePlace({ config, store, secrets }: ReplicaParts): ResultStore {
  const { bucket, server } = config;
  if (bucket !== undefined) return bucketAt(bucket, `${withSlash(bucket.prefix)}images/`);
  if (store.engine === 'sqlite') return new FolderResults({ folder: join(server.dataFolder, 'results') });
  return new DatabaseResults({ parts: store.resultParts, sealing: secrets.replicaContents, wallMs: Date.now });
}

function videoPlace({ bucket, server }: Config): ResultStore {
  if (bucket !== undefined) return bucketAt(bucket, bucket.prefix);
  return new FolderResults({ folder: join(server.dataFolder, 'videos') });
}

const withSlash = (prefix: string): string => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`);

function bucketAt({ endpoint, bucket, region, accessKey, secretKey }: BucketConfig, prefix: string): BucketResults {
  return new BucketResults({
    endpoint,
    bucket,
    region,
    prefix,
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
  });
}
