/**
 * The ledger's work of many requests as one PostgreSQL function: it ends attempts, decides openings on all their budgets,
 * and writes rows, in one statement. Locks are held for that statement alone, and taken in a fixed order: attempts,
 * then budgets sorted by scope and window.
 */

import { onRowThere } from '../../usage/usage-queries.ts';
import { usageTable } from '../../usage/usage-table.ts';
import { chargedTokensSql } from '../amounts.ts';
import { openingTable } from '../attempt-table.ts';

interface Parameter {
  readonly name: string;
  readonly type: 'TEXT' | 'BIGINT';
}

const parametersOf = (
  prefix: string,
  { columns, types }: { readonly columns: readonly string[]; readonly types: readonly Parameter['type'][] },
): readonly Parameter[] => columns.map((column, at) => ({ name: `${prefix}_${column}`, type: types[at] ?? 'TEXT' }));

/** Each is an array with an element for each closing, opening, budget of an opening, or usage row. */
export const parameters = {
  closings: [
    { name: 'c_id', type: 'TEXT' },
    { name: 'c_cost', type: 'BIGINT' },
    { name: 'c_estimated', type: 'BIGINT' },
    { name: 'c_at', type: 'BIGINT' },
    { name: 'c_verdict', type: 'TEXT' },
    // 1: the request's row records the attempt too, if it counts against no budget.
    { name: 'c_sole', type: 'BIGINT' },
    // NULL where they are unknown.
    { name: 'c_tokens', type: 'BIGINT' },
  ],
  openings: [...parametersOf('o', openingTable), { name: 'o_scopes', type: 'TEXT' }],
  scopes: [
    // The number of its opening, from 1.
    { name: 's_opening', type: 'BIGINT' },
    { name: 's_scope', type: 'TEXT' },
    { name: 's_start', type: 'BIGINT' },
    // Limit and reservation are in the unit of the budget.
    { name: 's_limit', type: 'BIGINT' },
    { name: 's_reserve', type: 'BIGINT' },
    // Among the budgets of its opening: of several without room, the one with the lowest place refuses.
    { name: 's_place', type: 'BIGINT' },
  ],
  // The number of its closing, from 1.
  rows: [{ name: 'u_closing', type: 'BIGINT' }, ...parametersOf('u', usageTable)],
} as const satisfies Readonly<Record<string, readonly Parameter[]>>;

const all: readonly Parameter[] = Object.values(parameters).flat();
const namesOf = (list: readonly Parameter[]): string => list.map(({ name }) => name).join(', ');
const columnsOf = (prefix: string, columns: readonly string[]): string =>
  columns.map((column) => `${prefix}.${column}`).join(', ');

/**
 * The arrays as rows. PostgreSQL makes one plan for tables of any size, and expects one row where it does not know the
 * limit: so it finds each attempt and each budget by its key. Without the limit it reads all open attempts of the fleet
 * for each batch. Two such lists must not be joined: each row of one would be compared with all rows of the other.
 */
const rowsOf = (names: string, first: string, ordinality = ''): string =>
  `(SELECT * FROM unnest(${names})${ordinality} LIMIT cardinality(${first}))`;
/** The planner must not see that this is the condition of the index of open attempts, which has those of all replicas. */
const isOpen = "a.state || '' = 'dispatched'";

/** An amount in the unit of a written budget: rows of earlier versions, and budgets of money, name none. */
const inUnit = (requests: string, tokens: string, usd: string): string =>
  `CASE b.pair ->> 2 WHEN 'requests' THEN ${requests} WHEN 'tokens' THEN COALESCE(${tokens}, 0) ELSE ${usd} END`;

const endAttempts = `
  WITH given(id, cost, estimated, at, verdict, sole, given_tokens, place) AS MATERIALIZED
    ${rowsOf(namesOf(parameters.closings), 'c_id', ' WITH ORDINALITY')},
  gone AS (
    DELETE FROM attempt_rows a USING given g
    WHERE a.id = g.id AND ${isOpen} AND g.sole = 1 AND a.scopes = '' RETURNING g.place
  ), ended AS (
    UPDATE attempt_rows a
    SET state = 'settled', cost_nano = g.cost, estimated = g.estimated, settled_at_ms = g.at, verdict = g.verdict,
      tokens = ${chargedTokensSql('g.given_tokens', 'g.cost', 'g.verdict')}
    FROM given g
    WHERE a.id = g.id AND ${isOpen} AND NOT (g.sole = 1 AND a.scopes = '')
    RETURNING g.place, g.cost, g.verdict, a.tokens, a.reserve_nano, a.reserve_tokens, a.scopes
  ), charged AS (
    SELECT b.pair ->> 0 AS scope, CAST(b.pair ->> 1 AS BIGINT) AS start,
      SUM(${inUnit("CASE WHEN e.verdict = '' OR e.cost > 0 OR e.tokens > 0 THEN 1 ELSE 0 END", 'e.tokens', 'e.cost')}) AS spent,
      SUM(${inUnit('1', 'e.reserve_tokens', 'e.reserve_nano')}) AS released
    FROM ended e CROSS JOIN LATERAL json_array_elements(CAST(CASE e.scopes WHEN '' THEN '[]' ELSE e.scopes END AS JSON)) AS b(pair)
    GROUP BY 1, 2
  )
  SELECT (SELECT COALESCE(array_agg(place), '{}') FROM gone), (SELECT COALESCE(array_agg(place), '{}') FROM ended),
    COALESCE(array_agg(scope), '{}'), COALESCE(array_agg(start), '{}'),
    COALESCE(array_agg(spent), '{}'), COALESCE(array_agg(released), '{}')
  INTO recorded, ended, d_scope, d_start, d_spent, d_released FROM charged;`;

const createWindows = `
  INSERT INTO budgets (scope, window_start_ms, spent_nano, held_nano)
  SELECT DISTINCT n.scope, n.start, 0, 0 FROM ${rowsOf('s_scope, s_start', 's_scope')} AS n(scope, start)
  WHERE NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = n.scope AND b.window_start_ms = n.start)
  ORDER BY 1, 2 ON CONFLICT DO NOTHING;`;

const lockBudgets = `
  PERFORM 1 FROM budgets b
  WHERE (b.scope, b.window_start_ms) IN (${rowsOf('s_scope || d_scope, s_start || d_start', 's_scope || d_scope')})
  ORDER BY b.scope, b.window_start_ms FOR UPDATE;`;

/** What closings charge and release and what openings want, by budget: `least` is NULL where nothing is opened. */
const changes = (withOpenings: boolean): string => `(
    SELECT n.scope, n.start, SUM(n.spent) AS spent, SUM(n.held) AS held, MIN(n.most) AS least FROM (
      SELECT scope, start, spent, -released, NULL
      FROM ${rowsOf('d_scope, d_start, d_spent, d_released', 'd_scope')} AS d(scope, start, spent, released)
      ${withOpenings ? `UNION ALL SELECT scope, start, 0, reserve, most FROM ${rowsOf('s_scope, s_start, s_reserve, s_limit', 's_scope')} AS s(scope, start, reserve, most)` : ''}
    ) AS n(scope, start, spent, held, most) GROUP BY 1, 2
  )`;

/** Where all of them fit together, they are admitted together: their order makes no difference. */
const checkTogether = `
  SELECT bool_and(COALESCE(b.spent_nano + b.held_nano + w.spent + w.held <= w.least, FALSE)) INTO together
  FROM ${changes(true)} w LEFT JOIN budgets b ON b.scope = w.scope AND b.window_start_ms = w.start
  WHERE w.least IS NOT NULL;`;

const moveBudgets = (withOpenings: boolean): string => `
  UPDATE budgets b SET spent_nano = b.spent_nano + m.spent, held_nano = b.held_nano + m.held
  FROM ${changes(withOpenings)} m
  WHERE b.scope = m.scope AND b.window_start_ms = m.start;`;

/**
 * In the order in which they came, each on all its budgets or on none. The budgets of an opening follow each other; where one has
 * no room, what the opening holds is released, and then the first without room in the caller's order is found.
 */
const decideOneByOne = `
  FOR at IN 1 .. cardinality(s_opening) LOOP
    CONTINUE WHEN s_opening[at] = ANY (refused);
    IF at = 1 OR s_opening[at - 1] <> s_opening[at] THEN first_at := at; END IF;
    UPDATE budgets SET held_nano = held_nano + s_reserve[at]
    WHERE scope = s_scope[at] AND window_start_ms = s_start[at]
      AND spent_nano + held_nano + s_reserve[at] <= s_limit[at];
    CONTINUE WHEN FOUND;
    UPDATE budgets b SET held_nano = b.held_nano - s.reserve
    FROM unnest(s_scope[first_at:at - 1], s_start[first_at:at - 1], s_reserve[first_at:at - 1]) AS s(scope, start, reserve)
    WHERE b.scope = s.scope AND b.window_start_ms = s.start;
    last_at := at;
    WHILE s_opening[last_at + 1] = s_opening[at] LOOP last_at := last_at + 1; END LOOP;
    refused := refused || s_opening[at];
    refusing := refusing || (
      SELECT s.scope FROM unnest(s_scope[first_at:last_at], s_start[first_at:last_at], s_limit[first_at:last_at],
        s_reserve[first_at:last_at], s_place[first_at:last_at]) AS s(scope, start, most, reserve, place)
      JOIN budgets b ON b.scope = s.scope AND b.window_start_ms = s.start
      WHERE b.spent_nano + b.held_nano + s.reserve > s.most ORDER BY s.place LIMIT 1);
  END LOOP;`;

const insertAttempts = `
  INSERT INTO attempt_rows (${openingTable.list}, scopes, state)
  SELECT ${columnsOf('g', openingTable.columns)}, g.scopes, 'dispatched'
  FROM unnest(${namesOf(parameters.openings)}) WITH ORDINALITY AS g(${openingTable.list}, scopes, place)
  WHERE g.place <> ALL (refused);`;

const insertRows = `
  INSERT INTO usage_rows (${usageTable.list}, tells_attempt)
  SELECT ${columnsOf('g', usageTable.columns)}, CASE WHEN g.closing = ANY (recorded) THEN 1 END
  FROM unnest(${namesOf(parameters.rows)}) AS g(closing, ${usageTable.list})
  WHERE cardinality(over) = cardinality(c_id) OR g.closing = ANY (over)
  ${onRowThere};`;

/** The caller gave up long ago: what it cannot know must not be committed. A server that stood still ends here too. */
const checkAge = `
  IF clock_timestamp() - statement_timestamp() > make_interval(secs => most_ms / 1000.0) THEN
    RAISE EXCEPTION 'the batch took longer than % ms', most_ms USING ERRCODE = 'query_canceled';
  END IF;`;

const body = `(most_ms BIGINT, ${all.map(({ name, type }) => `${name} ${type}[]`).join(', ')}) RETURNS TEXT LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $function$
#variable_conflict use_column
DECLARE
  -- Closings: those whose request's row records the attempt, the others that ended one, and both.
  recorded BIGINT[] := '{}';
  ended BIGINT[] := '{}';
  over BIGINT[] := '{}';
  refused BIGINT[] := '{}';
  refusing TEXT[] := '{}';
  d_scope TEXT[] := '{}';
  d_start BIGINT[] := '{}';
  d_spent NUMERIC[] := '{}';
  d_released NUMERIC[] := '{}';
  together BOOLEAN := TRUE;
  first_at INTEGER := 1;
  last_at INTEGER;
BEGIN
  IF cardinality(c_id) > 0 THEN ${endAttempts}
    over := recorded || ended;
  END IF;
  IF cardinality(s_scope) > 0 THEN ${createWindows}
  END IF;
  IF cardinality(s_scope) + cardinality(d_scope) > 0 THEN ${lockBudgets}
    IF cardinality(s_scope) > 0 THEN ${checkTogether}
    END IF;
    IF together THEN ${moveBudgets(true)}
    ELSE ${moveBudgets(false)} ${decideOneByOne}
    END IF;
  END IF;
  IF cardinality(o_id) > 0 THEN ${insertAttempts}
  END IF;
  IF cardinality(u_closing) > 0 THEN ${insertRows}
  END IF; ${checkAge}
  RETURN CAST(json_build_array(over, refused, refusing) AS TEXT);
END $function$`;

/** Named by its text, so that replicas of different versions each call their own. */
const ledgerFunction = `weir_ledger_${new Bun.CryptoHasher('sha1').update(body).digest('hex').slice(0, 12)}`;

export const createLedgerFunction = `CREATE OR REPLACE FUNCTION ${ledgerFunction}${body}`;

/** With the revisions of tokens, configuration and prices: a busy replica learns of a change with its next batch. */
export const callLedgerFunction = `SELECT ${ledgerFunction}(CAST($1 AS BIGINT), ${all
  .map(({ type }, at) => `CAST($${at + 2} AS ${type}[])`)
  .join(', ')}), (SELECT string_agg(CAST(value AS TEXT), ' ' ORDER BY id) FROM revisions)`;
