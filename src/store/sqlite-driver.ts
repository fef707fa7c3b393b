/** The embedded engine: one thread writes with group commit, a second one, started when first needed, does long reads. */

import { mkdirSync } from 'node:fs';
import type { Driver } from './driver.ts';
import { type Json, type OperationName, type OperationResult, operations } from './operations.ts';
import type { SqliteOptions } from './sqlite-connection.ts';
import { type SqliteLane, startSqliteLane } from './sqlite-lane.ts';

export interface SqliteDriverOptions {
  readonly folder: string;
  readonly synchronous: 'normal' | 'full';
  readonly nowMs: () => number;
}

async function openLane(options: SqliteOptions): Promise<{ lane: SqliteLane; schemaVersion: number }> {
  const lane = startSqliteLane();
  try {
    const { schemaVersion } = await lane.control({ do: 'open', options });
    return { lane, schemaVersion };
  } catch (error) {
    await lane.close();
    throw error;
  }
}

export async function openSqliteDriver(options: SqliteDriverOptions): Promise<Driver> {
  // The database holds who called what; it is nobody else's business on this machine.
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const { folder, synchronous } = options;
  const { lane: writer, schemaVersion } = await openLane({
    folder,
    synchronous,
    readOnly: false,
    nowMs: options.nowMs(),
  });
  let reader: Promise<SqliteLane> | undefined;
  let alone = false;
  /** Attempts that were opened through the command log and not closed yet: their closing may go through it too. */
  const opened = new Set<Json>();

  const longReads = (): Promise<SqliteLane> => {
    reader ??= openLane({ folder, synchronous, readOnly: true, nowMs: options.nowMs() }).then(({ lane }) => lane);
    return reader;
  };

  /** The process that serves alone knows what these calls answer, so they need only be durable, not done. */
  function logOrCall(name: OperationName, values: readonly Json[]): Promise<Json> {
    const id = values[0] ?? null;
    if (name === 'openAttempt') {
      opened.add(id);
      const logged = writer.log(name, values, null);
      logged.catch(() => opened.delete(id));
      return logged;
    }
    if (name === 'closeAttempt' && opened.delete(id)) {
      const logged = writer.log(name, values, true);
      logged.catch(() => opened.add(id));
      return logged;
    }
    return name === 'checkpointAttempts' ? writer.log(name, values, null) : writer.call(name, values);
  }

  return {
    engine: 'sqlite',
    schemaVersion,
    get alone() {
      return alone;
    },
    run(name, ...values) {
      type Result = Promise<OperationResult<typeof name>>;
      const given = values as readonly Json[];
      if (operations[name].kind === 'long-read') {
        return writer
          .call('foldLog', [])
          .then(longReads)
          .then((lane) => lane.call(name, given)) as Result;
      }
      return (alone ? logOrCall(name, given) : writer.call(name, given)) as Result;
    },
    async holdAlone() {
      await writer.control({ do: 'hold-folder' });
      alone = true;
    },
    async close() {
      await (await reader)?.close();
      await writer.close();
    },
  };
}
