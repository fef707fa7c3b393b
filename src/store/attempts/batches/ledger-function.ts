/**
 * The ledger's work of many requests as one PostgreSQL function: it ends attempts, decides openings on all their budgets,
 * and writes rows, in one statement. Locks are held for that statement alone, and taken in a fixed order: attempts,
 * then budgets sorted by scope and window.
 */

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
    // 1: the request's row records the attempt too, which is removed.
    { name: 'c_sole', type: 'BIGINT' },
    // NULL where they are unknown.
    { name: 'c_tokens', type: 'BIGINT' },
    // Its number, from 1.
    { name: 'c_place', type: 'BIGINT' },
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
const namesOf = (list: readonly Parameter[]): readonly string[] => list.map(({ name }) => name);
const columnsOf = (prefix: string, columns: readonly string[]): string =>
  columns.map((column) => `${prefix}.${column}`).join(', ');

/**
 * Arrays as rows. In the list of a SELECT, PostgreSQL reads all of them side by side; in FROM it would first write each to a
 * table of its own.
 */
const rowsOf = (arrays: readonly string[], columns: readonly string[]): string =>
  `SELECT ${arrays.map((array, at) => `unnest(${array}) AS ${columns[at]}`).join(', ')}`;
/**
 * The same where rows are found by them. PostgreSQL makes one plan for tables of any size, and expects one row where it
 * does not know the limit: so it finds each attempt and each budget by its key. Without the limit it reads all open
 * attempts of the fleet for each batch. Two such lists must not be joined: each row of one would be compared with all
 * rows of the other.
 */
const keysOf = (arrays: readonly string[], columns: readonly string[]): string =>
  `(${rowsOf(arrays, columns)} LIMIT cardinality(${arrays[0]}))`;
/** The planner must not see that this is the condition of the index of open attempts, which has those of all replicas. */
const isOpen = "a.state || '' = 'dispatched'";

/** An amount in the unit of a written budget: rows of earlier versions, and budgets of money, name none. */
const inUnit = (requests: string, tokens: string, usd: string): string =>
  `CASE b.pair ->> 2 WHEN 'requests' THEN ${requests} WHEN 'tokens' THEN ${tokens} ELSE ${usd} END`;

const chargedTokens = chargedTokensSql('g.given_tokens', 'g.cost', 'g.verdict');
const given = keysOf(namesOf(parameters.closings), [
  'id',
  'cost',
  'estimated',
  'at',
  'verdict',
  'sole',
  'given_tokens',
  'place',
]);
/** What ended attempts charge and release: a list of each, in one order. Attempts without budgets have no scopes. */
const endedNames = ['scopes', 'tokens', 'cost', 'requests', 'reserve_nano', 'reserve_tokens'] as const;
const endedArrays = endedNames.map((name) => `e_${name}`);
const endedColumns = (tokens: string): string =>
  `g.place, NULLIF(a.scopes, '') AS scopes, ${tokens} AS tokens, g.cost,
    CASE WHEN g.verdict = '' OR g.cost > 0 OR ${tokens} > 0 THEN 1 ELSE 0 END AS requests,
    a.reserve_nano, a.reserve_tokens`;
const endedCells = endedNames.map((name) =>
  name === 'tokens' ? 'CASE WHEN scopes IS NOT NULL THEN tokens END' : name,
);

/** Those whose request's row records them. */
const removeAttempts = `
  WITH gone AS (
    DELETE FROM attempt_rows a USING ${given} AS g WHERE a.id = g.id AND ${isOpen} AND g.sole = 1
    RETURNING ${endedColumns(chargedTokens)}
  )
  SELECT COALESCE(array_agg(place), '{}'), COALESCE(bool_or(scopes IS NOT NULL), FALSE),
    ${endedCells.map((cell) => `array_agg(${cell})`).join(', ')}
  INTO recorded, charges, ${endedArrays.join(', ')} FROM (SELECT place, ${endedNames.join(', ')} FROM gone ORDER BY place) AS ended;`;

/** The others, behind those in each list. */
const settleAttempts = `
  WITH settled AS (
    UPDATE attempt_rows a
    SET state = 'settled', cost_nano = g.cost, estimated = g.estimated, settled_at_ms = g.at, verdict = g.verdict,
      tokens = ${chargedTokens}
    FROM ${given} AS g WHERE a.id = g.id AND ${isOpen} AND g.sole = 0
    RETURNING ${endedColumns('a.tokens')}
  )
  SELECT COALESCE(array_agg(place), '{}'), charges OR COALESCE(bool_or(scopes IS NOT NULL), FALSE),
    ${endedCells.map((cell, at) => `${endedArrays[at]} || array_agg(${cell})`).join(', ')}
  INTO kept, charges, ${endedArrays.join(', ')} FROM settled;`;

/** Most attempts of a batch count against the same budgets: they are summed before their budgets are read. */
const charged = `
  SELECT b.pair ->> 0 AS scope, CAST(b.pair ->> 1 AS BIGINT) AS start,
    ${inUnit('e.requests', 'e.tokens', 'e.cost')} AS spent,
    -${inUnit('e.count', 'e.reserve_tokens', 'e.reserve_nano')} AS held
  FROM (
    SELECT scopes, SUM(requests) AS requests, COALESCE(SUM(tokens), 0) AS tokens, SUM(cost) AS cost, COUNT(*) AS count,
      COALESCE(SUM(reserve_tokens), 0) AS reserve_tokens, SUM(reserve_nano) AS reserve_nano
    FROM ${keysOf(endedArrays, endedNames)} AS ended
    WHERE scopes IS NOT NULL GROUP BY scopes
  ) AS e CROSS JOIN LATERAL json_array_elements(CAST(e.scopes AS JSON)) AS b(pair)`;

const createWindows = `
  INSERT INTO budgets (scope, window_start_ms, spent_nano, held_nano)
  SELECT n.scope, n.start, 0, 0
  FROM (SELECT DISTINCT scope, start FROM ${keysOf(['s_scope', 's_start'], ['scope', 'start'])} AS s) AS n
  WHERE NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = n.scope AND b.window_start_ms = n.start)
  ORDER BY 1, 2 ON CONFLICT DO NOTHING;`;

/**
 * What closings charge and release and what openings want, by budget: `least` is NULL where nothing is opened. The budgets
 * are locked in their order, and read as they are then. Where all openings fit together, they are admitted together: their
 * order makes no difference.
 */
const lockBudgets = `
  SELECT COALESCE(bool_and(spent_nano + held_nano + spent + held <= least), TRUE), COALESCE(SUM(opened), 0),
    array_agg(scope), array_agg(start), array_agg(spent), array_agg(held)
  INTO together, with_row, m_scope, m_start, m_spent, m_held FROM (
    SELECT b.spent_nano, b.held_nano, m.scope, m.start, m.spent, m.held, m.least, m.opened FROM (
      SELECT n.scope, n.start, SUM(n.spent) AS spent, SUM(n.held) AS held, MIN(n.most) AS least, SUM(n.opened) AS opened
      FROM (
        SELECT scope, start, spent, held, NULL, 0 FROM (${charged}) AS c
        UNION ALL SELECT scope, start, 0, reserve, most, 1
        FROM ${keysOf(['s_scope', 's_start', 's_reserve', 's_limit'], ['scope', 'start', 'reserve', 'most'])} AS s
      ) AS n(scope, start, spent, held, most, opened) GROUP BY 1, 2 LIMIT all_rows
    ) AS m JOIN budgets b ON b.scope = m.scope AND b.window_start_ms = m.start
    ORDER BY b.scope, b.window_start_ms FOR UPDATE OF b
  ) AS locked;
  IF with_row <> cardinality(s_scope) THEN RAISE EXCEPTION 'a budget has no row'; END IF;`;

/** By closings and openings together. */
const moveBudgets = `
  UPDATE budgets b SET spent_nano = b.spent_nano + c.spent, held_nano = b.held_nano + c.held
  FROM ${keysOf(['m_scope', 'm_start', 'm_spent', 'm_held'], ['scope', 'start', 'spent', 'held'])} AS c
  WHERE b.scope = c.scope AND b.window_start_ms = c.start;`;
/** By closings alone. */
const chargeBudgets = `
  UPDATE budgets b SET spent_nano = b.spent_nano + c.spent, held_nano = b.held_nano + c.held
  FROM (SELECT scope, start, SUM(spent) AS spent, SUM(held) AS held FROM (${charged}) AS d GROUP BY 1, 2 LIMIT all_rows) AS c
  WHERE b.scope = c.scope AND b.window_start_ms = c.start;`;

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
  FROM (${rowsOf(namesOf(parameters.openings), [...openingTable.columns, 'scopes'])}, generate_subscripts(o_id, 1) AS place) AS g
  WHERE g.place <> ALL (refused);`;

/** Nearly always each closing is recorded; otherwise a search in the list costs little beside the row. */
const recordedAt = 'CASE WHEN all_recorded THEN g.closing ELSE array_position(recorded, g.closing) END';
/**
 * No row of the request is there, except where another attempt of it was swept: then the batch fails, and each of its
 * writes is done alone.
 */
const insertRows = `
  INSERT INTO usage_rows (${usageTable.list}, tells_attempt, scopes, charged_tokens)
  SELECT ${columnsOf('g', usageTable.columns)}, CASE WHEN ${recordedAt} IS NOT NULL THEN 1 END,
    e_scopes[${recordedAt}], e_tokens[${recordedAt}]
  FROM (${rowsOf(namesOf(parameters.rows), ['closing', ...usageTable.columns])}) AS g
  WHERE all_recorded OR g.closing = ANY (recorded) OR g.closing = ANY (kept);`;

/** The caller gave up long ago: what it cannot know must not be committed. A server that stood still ends here too. */
const checkAge = `
  IF clock_timestamp() - statement_timestamp() > make_interval(secs => most_ms / 1000.0) THEN
    RAISE EXCEPTION 'the batch took longer than % ms', most_ms USING ERRCODE = 'query_canceled';
  END IF;`;

const body = `(most_ms BIGINT, new_windows BIGINT, ${all.map(({ name, type }) => `${name} ${type}[]`).join(', ')}) RETURNS TEXT LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $function$
#variable_conflict use_column
DECLARE
  -- Closings that ended an attempt: those whose request's row records it, and the others. Of the attempts in this order:
  -- their budgets, and what they charge and release there; and whether any has budgets.
  recorded BIGINT[] := '{}';
  kept BIGINT[] := '{}';
  all_recorded BOOLEAN;
  charges BOOLEAN := FALSE;
  e_scopes TEXT[];
  e_tokens BIGINT[];
  e_cost BIGINT[];
  e_requests BIGINT[];
  e_reserve_nano BIGINT[];
  e_reserve_tokens BIGINT[];
  refused BIGINT[] := '{}';
  refusing TEXT[] := '{}';
  -- What openings and closings change together, by budget.
  m_scope TEXT[];
  m_start BIGINT[];
  m_spent NUMERIC[];
  m_held NUMERIC[];
  -- No limit, which the planner does not know.
  all_rows BIGINT := 1000000000;
  together BOOLEAN;
  -- Of the budgets of openings, how many have a row.
  with_row BIGINT;
  first_at INTEGER := 1;
  last_at INTEGER;
BEGIN
  IF cardinality(c_id) > 0 THEN ${removeAttempts}
    IF 0 = ANY (c_sole) THEN ${settleAttempts}
    END IF;
  END IF;
  IF new_windows > 0 THEN ${createWindows}
  END IF;
  IF charges OR cardinality(s_scope) > 0 THEN ${lockBudgets}
    IF together THEN ${moveBudgets}
    ELSE ${chargeBudgets} ${decideOneByOne}
    END IF;
  END IF;
  IF cardinality(o_id) > 0 THEN ${insertAttempts}
  END IF;
  IF cardinality(u_closing) > 0 THEN
    all_recorded := cardinality(recorded) = cardinality(c_id); ${insertRows}
  END IF; ${checkAge}
  RETURN CAST(json_build_array(recorded || kept, refused, refusing) AS TEXT);
END $function$`;

/** Named by its text, so that replicas of different versions each call their own. */
const ledgerFunction = `weir_ledger_${new Bun.CryptoHasher('sha1').update(body).digest('hex').slice(0, 12)}`;

export const createLedgerFunction = `CREATE OR REPLACE FUNCTION ${ledgerFunction}${body}`;

/** With the revisions of tokens, configuration and prices: a busy replica learns of a change with its next batch. */
export const callLedgerFunction = `SELECT ${ledgerFunction}(CAST($1 AS BIGINT), CAST($2 AS BIGINT), ${all
  .map(({ type }, at) => `CAST($${at + 3} AS ${type}[])`)
  .join(', ')}), (SELECT string_agg(CAST(value AS TEXT), ' ' ORDER BY id) FROM revisions)`;
