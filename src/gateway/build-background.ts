/** What runs in the background: sums and removal of stored requests, their export where the operator wants one, alerts, and memory. */

import { join } from 'node:path';
import { createScheduledExport, type ScheduledExport } from '../admin/exports/scheduled-export.ts';
import type { Alerts } from '../alerts/build-alerts.ts';
import type { Logger } from '../observe/logger.ts';
import { tidyMemory } from '../observe/tidy-memory.ts';
import type { Config } from '../settings/config.ts';
import { FolderResults } from '../store/results/folder-results.ts';
import type { ResultStore } from '../store/results/result-store.ts';
import type { Store } from '../store/store.ts';
import { bucketAt } from './build-replicas.ts';
import type { WallClock } from './clock/wall-clock.ts';
import { rollupsOf } from './gateway-pieces.ts';

interface Background {
  start(): void;
  stop(): Promise<void>;
}

export function backgroundOf(
  config: Config,
  store: Store,
  logger: Logger,
  { watch }: Pick<Alerts, 'watch'>,
  clock: Pick<WallClock, 'settledMs' | 'wallMs'>,
): Background {
  const rollups = rollupsOf(config, store, logger, clock);
  const exporting = exportOf(config, store, logger, clock.settledMs);
  let stopTidying: (() => void) | undefined;
  return {
    start() {
      rollups.start();
      exporting?.start();
      watch.start();
      stopTidying = tidyMemory();
    },
    async stop() {
      stopTidying?.();
      await watch.stop();
      await rollups.stop();
      await exporting?.stop();
    },
  };
}

function exportOf(config: Config, store: Store, logger: Logger, nowMs: () => number): ScheduledExport | undefined {
  const { to, folder, prefix, format, every, retentionDays } = config.export;
  const place = placeOf(config);
  if (place === undefined) return undefined;
  let lastFault: string | undefined;
  return createScheduledExport({
    exports: store.requestExports,
    usage: store.usage,
    tokens: store.tokens,
    errors: store.requestErrors,
    place,
    target: [to, to === 'bucket' ? prefix : (folder ?? ''), format].join(' '),
    format,
    every,
    retentionDays,
    nowMs,
    onFault(cause) {
      const fault = cause instanceof Error ? cause.message : String(cause);
      // A place that is away for a day is said once, not every minute.
      if (fault !== lastFault) logger.error('Requests could not be exported; it is tried every minute.', { cause });
      lastFault = fault;
    },
  });
}

function placeOf({ export: { to, folder, prefix }, bucket, server }: Config): ResultStore | undefined {
  if (to === 'off') return undefined;
  if (to === 'bucket') return bucket && bucketAt(bucket, prefix);
  return new FolderResults({ folder: folder ?? join(server.dataFolder, 'exports') });
}
