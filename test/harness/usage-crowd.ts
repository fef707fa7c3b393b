/** A crowd of usage rows made inside the database, shaped like real traffic: few busy tokens, each with its own few models. */

import { usageTable } from '../../src/store/usage/usage-table.ts';
import type { StorePlace } from './store-places.ts';

export interface Crowd {
  readonly rows: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly tokens: number;
}

/** End users, whichever token their requests are made with: the most that sums by user can have to do. */
const crowdUsers = 5_000;

/** A number from 0 to `below`, different for each row and `salt`, the same in every run and engine. */
const chance = (salt: number, below: string | number): string =>
  `((((i + ${salt}) * 2654435761 + ${salt} * 40503) % 4294967291) * 69621 % 2147483647 % ${below})`;

const expressions = (crowd: Crowd): Readonly<Record<string, string>> => ({
  request_id: `'crowd_' || CAST(${chance(1, 1_000_000)} AS TEXT) || '_' || CAST(i AS TEXT)`,
  at_ms: `${crowd.fromMs} + i * ${Math.floor((crowd.toMs - crowd.fromMs) / crowd.rows)}`,
  token_id: `'token-' || CAST(t AS TEXT)`,
  endpoint: `'endpoint-' || CAST(t % 5 AS TEXT)`,
  model: `'model-' || CAST(m AS TEXT)`,
  provider: `'provider-' || CAST(CASE WHEN ${chance(2, 10)} = 0 THEN (m + 1) % 6 ELSE m % 6 END AS TEXT)`,
  upstream_model: `'upstream-' || CAST(m AS TEXT)`,
  stream: 'CASE WHEN t % 5 = 0 THEN 0 ELSE 1 END',
  attempts: '1',
  status: `CASE WHEN failed = 0 THEN 200 WHEN ${chance(3, 3)} = 0 THEN 502 ELSE 429 END`,
  code: `CASE WHEN failed = 0 THEN '' ELSE 'code_' || CAST(${chance(3, 3)} + 3 * ${chance(4, 3)} AS TEXT) END`,
  input_total: chance(5, 8_000),
  input_fresh: 'NULL',
  input_cache_read: `CASE WHEN ${chance(6, 2)} = 0 THEN NULL ELSE ${chance(6, 900)} END`,
  input_cache_write: 'NULL',
  input_audio: 'NULL',
  input_image: 'NULL',
  output_total: chance(7, 2_000),
  output_text: 'NULL',
  output_thinking: 'NULL',
  output_audio: 'NULL',
  output_image: 'NULL',
  cost_nano: `CASE WHEN failed = 0 THEN ${chance(8, 90_000_000)} + (CASE WHEN ${chance(9, 100_000)} = 0 THEN 5000000000 ELSE 0 END) ELSE 0 END`,
  estimated: `CASE WHEN ${chance(10, 50)} = 0 THEN 1 ELSE 0 END`,
  price_version: "'library'",
  first_event_ms: `CASE WHEN failed = 0 THEN 60 + m * 10 + ${chance(11, 1_000)} * ${chance(12, 1_000)} / 1000 END`,
  total_ms: `300 + m * 50 + ${chance(13, 1_000)} * ${chance(14, 1_000)} / 20 + (CASE WHEN ${chance(15, 200_000)} = 0 THEN 900000 ELSE 0 END)`,
  bytes_in: '2000',
  bytes_out: '6000',
  price_name: "'some price'",
  units: 'NULL',
  way: "'forward openai-chat openai-chat'",
  end_user: `CASE WHEN ${chance(20, 3)} = 0 THEN '' ELSE 'user-' || CAST(${chance(21, 1_000)} * ${chance(22, 1_000)} * ${crowdUsers} / 1000000 AS TEXT) END`,
  key_id: `'key-' || CAST(${chance(23, 3)} AS TEXT)`,
  tags: "''",
});

const rowsPerStatement = 100_000;
/** So many accounts own the tokens, in turn. */
export const crowdOwners = 20;
export const crowdLabels = 12;

function tokensSql({ tokens, fromMs }: Crowd): string {
  const rows = Array.from({ length: tokens }, (_, at) => {
    const id = `token-${at}`;
    const labels = `"team-${at % crowdLabels}","env-${at % 2}"`;
    const terms = `{"name":"${id}","labels":[${labels}]}`;
    return `('${id}', 'digest-${at}', '', '${id}', '${terms}', ${fromMs}, 'owner-${at % crowdOwners}')`;
  });
  return `INSERT INTO tokens (id, digest, hint, name, terms, created_at_ms, owner_id) VALUES ${rows.join(', ')}`;
}

export async function addCrowd(place: Pick<StorePlace, 'query' | 'databaseUrl'>, crowd: Crowd): Promise<void> {
  await place.query(tokensSql(crowd));
  const made = expressions(crowd);
  const columns = usageTable.columns.map((column) => made[column] ?? 'NULL').join(', ');
  for (let first = 0; first < crowd.rows; first += rowsPerStatement) {
    const last = Math.min(crowd.rows, first + rowsPerStatement) - 1;
    await place.query(
      `INSERT INTO usage_rows (${usageTable.list})
       SELECT ${columns} FROM (
         SELECT i, t, (t * 7 + ${chance(16, '(1 + t % 4)')}) % 24 AS m, CASE WHEN ${chance(17, 25)} = 0 THEN 1 ELSE 0 END AS failed
         FROM (
           SELECT i, ${chance(18, 1_000)} * ${chance(19, 1_000)} * ${crowd.tokens} / 1000000 AS t
           FROM (
             WITH RECURSIVE numbers (i) AS (
               SELECT CAST(${first} AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last}
             ) SELECT i FROM numbers
           ) AS numbered
         ) AS owned
       ) AS shaped`,
    );
  }
  if (place.databaseUrl !== undefined) {
    await place.query('VACUUM ANALYZE usage_rows');
    await place.query('VACUUM ANALYZE tokens');
  }
}
