/**
 * Builds what every replica must be able to read: in memory and folders for one process, in the database or a bucket
 * for several.
 */

import { join } from 'node:path';
import type { Logger } from '../observe/logger.ts';
import { IdempotentReplies, replyLimits } from '../relay/idempotency/idempotency.ts';
import { ItemMemo, itemLimits } from '../relay/memory/item-memo.ts';
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
import type { WallClock } from './clock/wall-clock.ts';
import type { Secrets } from './gateway-pieces.ts';

interface ReplicaParts {
  readonly config: Config;
  readonly store: Store;
  readonly secrets: Secrets;
  readonly logger: Logger;
  /** Whether other replicas may have taken this process for dead since then. */
  livedSince(atMs: number): boolean;
  readonly clock: Pick<WallClock, 'wallMs' | 'settledMs'>;
}

interface Replicas {
  readonly idempotency: IdempotentReplies;
  readonly sealMemo: SealMemo;
  readonly itemMemo: ItemMemo;
  readonly images: ResultFiles;
  readonly videos: OwnedResults;
  stop(): void;
}

/** Expired results are not served, and are removed within this time. */
const tidyEveryMs = 60_000;
/** As long as the official service keeps its results. */
const imageLifetimeMs = 60 * 60 * 1_000;

export function buildReplicas(parts: ReplicaParts): Replicas {
  const { config, store, secrets, livedSince } = parts;
  const replies = contentsOf(parts, 'reply', replyLimits);
  const turns = contentsOf(parts, 'seals', sealLimits);
  const items = contentsOf(parts, 'items', itemLimits);
  const images = ownedBy(parts, 'image', imagePlace(parts), imageLifetimeMs);
  const tidy = async (): Promise<void> => {
    await store.replicaContents.expire(parts.clock.settledMs());
    await replies?.trim();
    await turns?.trim();
    await items?.trim();
    await images.expire();
    await images.trim();
  };
  warnOfLocalVideos(parts);
  const timer = setInterval(() => {
    tidy().catch((cause: unknown) =>
      parts.logger.warn('Expired content that replicas share could not be removed.', { cause }),
    );
  }, tidyEveryMs);
  return {
    idempotency: new IdempotentReplies({
      store: store.idempotency,
      wallMs: parts.clock.wallMs,
      livedSince,
      shared: replies,
    }),
    itemMemo: new ItemMemo({
      settings: config.contentStorage,
      nowMs: parts.clock.wallMs,
      shared: items,
      warn: parts.logger.warn,
    }),
    sealMemo: new SealMemo({
      settings: config.contentStorage,
      nowMs: parts.clock.wallMs,
      shared: turns,
      warn: parts.logger.warn,
    }),
    images: new ResultFiles({
      results: images,
      signing: secrets.resultAddresses,
      lifetimeMs: imageLifetimeMs,
      bytesMax: config.limits.replyBytesMax,
      wallMs: parts.clock.wallMs,
      onFault: (message, cause) => parts.logger.error(message, { cause }),
    }),
    videos: ownedBy(parts, 'video', videoPlace(config), config.tasks.resultLifetimeMs),
    stop: () => clearInterval(timer),
  };
}

/** Logged by every replica but the first: most logs show it, and a single process needs no warning. */
function warnOfLocalVideos({ config, store, logger }: ReplicaParts): void {
  if (store.engine === 'sqlite' || config.bucket !== undefined) return;
  const warning =
    'Other replicas use this database, and there is no bucket for results: unless they share the data folder, a video is served only by the replica that made it. Set results.bucket, or share the folder.';
  store.instances.others().then(
    (others) => others.length > 0 && logger.warn(warning, { folder: config.server.dataFolder }),
    (cause: unknown) => logger.warn('The other replicas could not be listed.', { cause }),
  );
}

/** Undefined for a single process: its memory is enough, and no content has to be on a disk. */
function contentsOf(
  { store, secrets, logger, clock }: ReplicaParts,
  kind: 'reply' | 'seals' | 'items',
  limits: ReplicaLimits,
): ReplicaContents | undefined {
  if (!store.several) return undefined;
  const { replicaContents: table } = store;
  const sealing = secrets.replicaContents;
  return new ReplicaContents({ table, sealing, kind, limits, wallMs: clock.wallMs, warn: logger.warn });
}

function ownedBy(
  { config, store, logger, clock }: ReplicaParts,
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
    wallMs: clock.wallMs,
    onFault: (message, cause) => logger.error(message, { cause }),
  });
}

/** Images are small and live an hour: replicas that share a database but no bucket keep them in the database. */
function imagePlace({ config, store, secrets, clock }: ReplicaParts): ResultStore {
  const { bucket, server } = config;
  if (bucket !== undefined) return bucketAt(bucket, `${withSlash(bucket.prefix)}images/`);
  if (store.engine === 'sqlite') return new FolderResults({ folder: join(server.dataFolder, 'results') });
  return new DatabaseResults({ parts: store.resultParts, sealing: secrets.replicaContents, wallMs: clock.wallMs });
}

function videoPlace({ bucket, server }: Config): ResultStore {
  if (bucket !== undefined) return bucketAt(bucket, bucket.prefix);
  return new FolderResults({ folder: join(server.dataFolder, 'videos') });
}

const withSlash = (prefix: string): string => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`);

export function bucketAt(
  { endpoint, bucket, region, accessKey, secretKey }: BucketConfig,
  prefix: string,
): BucketResults {
  return new BucketResults({
    endpoint,
    bucket,
    region,
    prefix,
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
  });
}
