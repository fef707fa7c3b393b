/**
 * Several Weir processes on one PostgreSQL database (and one Redis, where asked), each with its own data folder, as
 * behind a load balancer.
 */

import { randomBytes } from 'node:crypto';
import type { Place } from './kept-database.ts';
import { postgresUrl } from './postgres.ts';
import { redisUrl } from './redis.ts';
import { type RunningWeir, startWeir } from './weir.ts';

export interface ReplicaOptions {
  readonly yaml: object;
  readonly redis?: boolean;
  /** A new one unless given. `DATABASE_URL` in `env` is another way to the same. */
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As `startWeir` has it. */
  readonly unchecked?: string;
}

export interface Replicas {
  readonly all: readonly RunningWeir[];
  /** Counted from 0. */
  at(index: number): RunningWeir;
  /** Where `ledger-rows.ts` reads their ledger. */
  readonly place: Place;
  /** Runs one statement on the database that they share. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  remove(): Promise<void>;
}

export async function startReplicas(count: number, options: ReplicaOptions): Promise<Replicas> {
  const databaseUrl = options.databaseUrl ?? (await postgresUrl());
  const token = `test-token-${crypto.randomUUID()}`;
  const env = {
    DATABASE_URL: databaseUrl,
    WEIR_SECRET_KEY: randomBytes(32).toString('base64'),
    ...(options.redis === true ? { REDIS_URL: await redisUrl() } : {}),
    ...options.env,
  };
  const { yaml, unchecked } = options;
  const start = (): Promise<RunningWeir> =>
    startWeir({ yaml, token, env, ...(unchecked !== undefined && { unchecked }) });
  // The first one makes the tables and the token; the others find them.
  const first = await start();
  const all = [first];
  all.push(...(await Promise.all(Array.from({ length: count - 1 }, start))));
  return {
    all,
    place: { databaseUrl, dataFolder: first.dataFolder, beforeEnd: first.beforeEnd },
    at(index) {
      const found = all[index];
      if (found === undefined) throw new Error(`there is no replica ${index}`);
      return found;
    },
    async query(sql) {
      const database = new Bun.SQL(databaseUrl, { max: 1 });
      try {
        return [...((await database.unsafe(sql)) as Record<string, unknown>[])];
      } finally {
        await database.close();
      }
    },
    async remove() {
      await Promise.all(all.map((weir) => weir.remove()));
    },
  };
}
