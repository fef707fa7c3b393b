/**
 * A Weir of the time before organizations, with a million requests in its tables, is replaced by this one: how long the
 * steps of the schema take, and that no row, no cent and no token is lost.
 */

import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { needing } from '../harness/needs.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { sized } from '../harness/size.ts';
import { engines } from '../harness/store-places.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { send } from './crowd.ts';
import { olderRelease } from './older-release.ts';
import { chat, costNano, type PricedProvider, startPricedProvider } from './priced-provider.ts';

setDefaultTimeout(20 * 60_000);

/** The step that brought teams, projects and people. */
const organizationStep = 25;
const rowsMin = sized(20_000, 1_000_000);
const requestCount = 20;
const newest = migrations.at(-1)?.version ?? 0;

type Cells = Readonly<Record<string, string | null>>;
type Ask = (sql: string) => Promise<readonly Cells[]>;

const older = olderRelease(organizationStep);
if (typeof older === 'string') console.log(`skipped: ${older}`);

for (const { name: engine } of engines) {
  const { afterAll, beforeAll, describe, test } = needing(engine);
  describe.skipIf(typeof older === 'string')(`an upgrade from schema ${organizationStep - 1} on ${engine}`, () => {
    const old = typeof older === 'string' ? undefined : older;
    const token = `test-token-${crypto.randomUUID()}`;
    let provider: PricedProvider;
    let dataFolder: string;
    let env: Record<string, string>;
    let weir: RunningWeir | undefined;

    beforeAll(async () => {
      provider = startPricedProvider();
      dataFolder = mkdtempSync(join(tmpdir(), 'weir-upgrade-'));
      env = engine === 'postgres' ? { DATABASE_URL: await postgresUrl() } : {};
    });
    afterAll(async () => {
      await weir?.remove();
      await provider.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    });

    /** Opens the database for a moment, while no Weir runs on it. */
    async function withDatabase<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
      const url = env['DATABASE_URL'];
      if (url === undefined) {
        const database = new Database(join(dataFolder, 'weir.db'));
        try {
          return await work(async (sql) => database.query<Cells, []>(sql).all());
        } finally {
          database.close();
        }
      }
      const connection = new Bun.SQL(url, { max: 1 });
      try {
        return await work(async (sql) => [...((await connection.unsafe(sql)) as Cells[])]);
      } finally {
        await connection.close();
      }
    }

    async function columnsOf(ask: Ask, table: string): Promise<readonly string[]> {
      const sql =
        engine === 'postgres'
          ? `SELECT column_name AS name FROM information_schema.columns
              WHERE table_schema = current_schema() AND table_name = '${table}' AND is_generated = 'NEVER'`
          : `SELECT name FROM pragma_table_info('${table}')`;
      return (await ask(sql)).map(({ name }) => name ?? '');
    }

    /** Doubles a table, each row with a new id, until it has enough rows. */
    async function multiply(ask: Ask, table: string, id: string): Promise<void> {
      const columns = await columnsOf(ask, table);
      expect([table, await countOf(ask, table)]).toEqual([table, requestCount]);
      for (let round = 0; (await countOf(ask, table)) < rowsMin; round++) {
        const values = columns.map((name) => (name === id ? `${name} || '_${round}'` : name));
        await ask(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table}`);
      }
    }

    const countOf = async (ask: Ask, table: string): Promise<number> =>
      Number((await ask(`SELECT CAST(COUNT(*) AS TEXT) AS rows FROM ${table}`))[0]?.['rows']);

    /** What may not change. A request with one attempt is one row, of which the view of attempts shows a part. */
    const sumsOf = (ask: Ask): Promise<readonly (readonly Cells[])[]> =>
      Promise.all([
        ask(`SELECT CAST(COUNT(*) AS TEXT) AS rows, CAST(SUM(cost_nano) AS TEXT) AS cost FROM usage_rows`),
        ask(`SELECT CAST(COUNT(*) AS TEXT) AS rows, CAST(SUM(cost_nano) AS TEXT) AS cost FROM attempts`),
        ask('SELECT id, digest, terms FROM tokens ORDER BY id'),
        ask(`SELECT scope, CAST(window_start_ms AS TEXT) AS start, CAST(spent_nano AS TEXT) AS spent,
          CAST(held_nano AS TEXT) AS held FROM budgets ORDER BY scope, window_start_ms`),
      ]);

    test(`${rowsMin} requests: nothing is lost, and the old token works`, async () => {
      const { yaml } = provider;
      const given = { yaml: { providers: yaml.providers, prices: { talk: (yaml.prices as { talk: object }).talk } } };
      const before = await startWeir({
        ...{ ...given, token, env, dataFolder },
        ...{ program: old?.program ?? [], unchecked: 'an older release' },
      });
      const target = { base: before.base, token };
      for (let index = 0; index < requestCount; index++)
        expect((await send(target, chat, `old-${index}`)).outcome).toBe('served');
      expect(await before.stop()).toBe(0);

      const kept = await withDatabase(async (ask) => {
        await multiply(ask, 'usage_rows', 'request_id');
        const versions = await ask('SELECT CAST(MAX(version) AS TEXT) AS version FROM schema_versions');
        expect(versions).toEqual([{ version: String(organizationStep - 1) }]);
        return sumsOf(ask);
      });

      const beganMs = performance.now();
      weir = await startWeir({ ...given, token, env, dataFolder });
      const readyS = ((performance.now() - beganMs) / 1_000).toFixed(1);
      expect(await weir.stop()).toBe(0);
      const rows = await withDatabase(async (ask) => {
        const versions = await ask('SELECT CAST(MAX(version) AS TEXT) AS version FROM schema_versions');
        expect(versions).toEqual([{ version: String(newest) }]);
        expect(await sumsOf(ask)).toEqual([...kept]);
        return countOf(ask, 'usage_rows');
      });
      console.log(
        `${engine}: ${rows} requests, schema ${organizationStep - 1} to ${newest}, serving after ${readyS} s`,
      );

      await weir.restart();
      const now = { base: weir.base, token };
      for (let index = 0; index < requestCount; index++)
        expect((await send(now, chat, `new-${index}`)).outcome).toBe('served');
      const authorization = `Bearer ${token}`;
      const own = (await (await fetch(`${weir.base}/token`, { headers: { authorization } })).json()) as object;
      expect(own).toMatchObject({ object: 'token' });
      // The last use of the old token is counted beside all that it had.
      await weir.stop();
      await until(async () => {
        const [usage] = await withDatabase(sumsOf);
        return (
          BigInt(usage?.[0]?.['cost'] ?? 0) === BigInt(kept[0]?.[0]?.['cost'] ?? 0) + costNano * BigInt(requestCount)
        );
      });
    });
  });
}
