/** Attempts and what they hold of budgets: the only queries that move a budget. Its columns count in the unit of its scope. */

import { errorTable } from '../../conversation/error-table.ts';
import { read, single, transaction } from '../sql/query.ts';
import {
  asNumber,
  asText,
  type Money,
  type Row,
  type SqlValue,
  type Step,
  type Steps,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import { integer, money, optional, placesFrom, table, text } from '../sql/table.ts';
import {
  correctSweptCost,
  correctUsageCost,
  replaceSweptUsage,
  rewriteUsage,
  writeSweptUsage,
  writeUsage,
} from '../usage/usage-queries.ts';
import { nothingReported, usageTable } from '../usage/usage-table.ts';
import {
  type Amounts,
  chargedAmounts,
  chargedTokensSql,
  chargeOf,
  differenceOf,
  lostAmounts,
  reservedAmounts,
  reserveOf,
} from './amounts.ts';
import { type ClosingCells, closingTable, type OpeningCells, openingTable } from './attempt-table.ts';
import { type ScopeRow, scopesOf, scopesText } from './scope-rows.ts';

const openingWidth = openingTable.columns.length;
const insert = statement(
  `INSERT INTO attempt_rows (${openingTable.list}, scopes, state)
   VALUES (${placesFrom(1, openingWidth)}, $${openingWidth + 1}, 'dispatched')`,
);

function insertStep(opening: OpeningCells, scopes: string): Step {
  const values: SqlValue[] = [];
  openingTable.bind(values, opening);
  values.push(scopes);
  return { statement: insert, values };
}

/** An attempt that counts against no budget: one statement. */
export const openAttempt = single(function* (opening: OpeningCells): Steps<null> {
  yield insertStep(opening, '');
  return null;
});

/** Creates the window's row or adds to it, but only where the hold fits; no row comes back where it does not. */
const hold = statement(
  `INSERT INTO budgets (scope, window_start_ms, spent_nano, held_nano)
   SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), 0, CAST($3 AS BIGINT) WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
   ON CONFLICT (scope, window_start_ms) DO UPDATE SET held_nano = budgets.held_nano + excluded.held_nano
   WHERE budgets.spent_nano + budgets.held_nano + excluded.held_nano <= CAST($4 AS BIGINT)
   RETURNING held_nano`,
);
const unhold = statement('UPDATE budgets SET held_nano = held_nano - $3 WHERE scope = $1 AND window_start_ms = $2');

/**
 * All scopes or none. Returns the scope that refused, or null: of several without room, the first in the caller's order. They
 * are held in another order, sorted, so that two holders cannot deadlock.
 */
export const openAttemptWithin = transaction(function* (
  scopes: readonly ScopeRow[],
  opening: OpeningCells,
): Steps<string | null> {
  const reserved = reservedAmounts(reserveOf(opening));
  const taken: ScopeRow[] = [];
  let refusing: ScopeRow | undefined;
  for (const row of scopes) {
    if (refusing !== undefined && row.place > refusing.place) continue;
    const rows = yield step(hold, row.scope, row.windowStartMs, reserved[row.unit], BigInt(row.limit));
    if (rows.length > 0) taken.push(row);
    else refusing = row;
  }
  if (refusing === undefined) {
    yield insertStep(opening, scopesText(scopes));
    return null;
  }
  for (const { scope, windowStartMs, unit } of taken) yield step(unhold, scope, windowStartMs, reserved[unit]);
  return refusing.scope;
});

/** Adds to a window's row, or creates it; what it adds was decided already. */
export const moveBudget = statement(
  `INSERT INTO budgets (scope, window_start_ms, spent_nano, held_nano) VALUES ($1, $2, $3, $4)
   ON CONFLICT (scope, window_start_ms) DO UPDATE
   SET spent_nano = budgets.spent_nano + excluded.spent_nano, held_nano = budgets.held_nano + excluded.held_nano`,
);

/** An opening that was admitted by what the process knows of its budgets. */
export function* openAdmittedAttempt(opening: OpeningCells, scopes: string): Steps<null> {
  const reserved = reservedAmounts(reserveOf(opening));
  for (const [scope, windowStartMs, unit = 'usd'] of scopesOf(scopes))
    yield step(moveBudget, scope, windowStartMs, 0n, reserved[unit]);
  yield insertStep(opening, scopes);
  return null;
}

const settleBudget = statement(
  `UPDATE budgets SET spent_nano = spent_nano + $3, held_nano = held_nano - $4 WHERE scope = $1 AND window_start_ms = $2`,
);
/** A refund never gives back more than was taken. */
const moveSpent = statement(
  `UPDATE budgets SET spent_nano = CASE WHEN spent_nano + $3 < 0 THEN 0 ELSE spent_nano + $3 END
   WHERE scope = $1 AND window_start_ms = $2`,
);

/** Releases what a settled attempt held in each budget and charges it, in the order in which it was held. */
function* charge(scopes: string, charged: Amounts, held: Amounts): Steps<void> {
  for (const [scope, windowStartMs, unit = 'usd'] of scopesOf(scopes))
    yield step(settleBudget, scope, windowStartMs, charged[unit], held[unit]);
}

function* moveSpentOf(scopes: string, difference: Amounts): Steps<void> {
  for (const [scope, windowStartMs, unit = 'usd'] of scopesOf(scopes))
    yield step(moveSpent, scope, windowStartMs, difference[unit]);
}

const tokensOfClosing = chargedTokensSql('CAST($6 AS BIGINT)', 'CAST($2 AS BIGINT)', 'CAST($5 AS TEXT)');
const held = table('attempt_rows', { reserveNano: money, reserveTokens: optional(integer), scopes: text });
const settle = statement(
  `UPDATE attempt_rows SET state = 'settled', cost_nano = $2, estimated = $3, settled_at_ms = $4, verdict = $5,
     tokens = ${tokensOfClosing}
   WHERE id = $1 AND state = 'dispatched' RETURNING ${held.list}`,
);
/** What the sweeper charged stays readable as the checkpoint. The verdict changes with it, so it happens once. */
const swept = table('attempt_rows', {
  checkpointNano: money,
  reserveTokens: optional(integer),
  scopes: text,
  requestId: text,
});
const correctLost = statement(
  `UPDATE attempt_rows SET checkpoint_nano = cost_nano, cost_nano = $2, estimated = $3, settled_at_ms = $4, verdict = $5,
     tokens = ${tokensOfClosing}
   WHERE id = $1 AND state = 'settled' AND verdict = 'lost' RETURNING ${swept.list}`,
);

function closingStep(statement: typeof settle, closing: ClosingCells): Step {
  const { id, costNano, estimated, atMs, verdict, tokens = null } = closingTable.named(closing);
  return step(statement, id, BigInt(costNano), estimated ? 1 : 0, atMs, verdict, tokens);
}

/**
 * True where this call ended the attempt, or corrected what a sweeper charged for it; false where it was ended before or never
 * existed, and then nothing is written.
 */
export const closeAttempt = transaction(function* (closing: ClosingCells): Steps<boolean> {
  const settled = (yield closingStep(settle, closing))[0];
  if (settled === undefined) return yield* correctSwept(closing);
  const { reserveNano, reserveTokens = null, scopes } = held.read(settled);
  const reserved = reservedAmounts({ reserveNano, reserveTokens });
  yield* charge(scopes, chargedAmounts(chargeOf(closing), reserved.tokens), reserved);
  const row = closingTable.get(closing, 'row');
  if (row !== null) yield* writeUsage(row);
  return true;
}, 'after-journal');

/**
 * The process was not dead, only silent: it made the call, so even its estimate knows more than the sweeper did. Attempt, budgets
 * and usage row move by the difference. The reservation was released by the sweep, so a budget may end above its limit here.
 */
function* correctSwept(closing: ClosingCells): Steps<boolean> {
  const found = (yield closingStep(correctLost, closing))[0];
  if (found === undefined) return false;
  const { checkpointNano, reserveTokens = null, scopes, requestId } = swept.read(found);
  const before = lostAmounts(checkpointNano, reserveTokens);
  const difference = differenceOf(chargedAmounts(chargeOf(closing), before.tokens), before);
  yield* moveSpentOf(scopes, difference);
  const row = closingTable.get(closing, 'row');
  if (row === null) yield* correctSweptCost(requestId, difference.usd);
  else yield* replaceSweptUsage(row);
  return true;
}

const lost = table('attempt_rows', {
  reserveNano: money,
  reserveTokens: optional(integer),
  scopes: text,
  costNano: money,
  requestId: text,
  tokenId: text,
  provider: text,
  model: text,
  atMs: integer,
  keyId: text,
});
const settleLost = statement(
  `UPDATE attempt_rows SET state = 'settled', cost_nano = COALESCE(checkpoint_nano, estimate_nano), estimated = 1, settled_at_ms = $2,
     verdict = 'lost', tokens = reserve_tokens
   WHERE id = $1 AND state = 'dispatched' RETURNING ${lost.list}`,
);

/** Ends an attempt whose process died: at its last checkpoint, else at its estimate, never at zero unseen. */
export const closeLostAttempt = transaction(function* (id: string, atMs: number): Steps<boolean> {
  const settled = (yield step(settleLost, id, atMs))[0];
  if (settled === undefined) return false;
  const { reserveNano, reserveTokens = null, scopes, costNano, ...attempt } = lost.read(settled);
  yield* charge(scopes, lostAmounts(costNano, reserveTokens), reservedAmounts({ reserveNano, reserveTokens }));
  yield* writeSweptUsage(
    usageTable.cells({
      ...nothingReported,
      ...attempt,
      ...{ upstreamModel: attempt.model, endpoint: '', stream: 0, attempts: 1 },
      ...{ status: errorTable.swept.status, code: 'swept', costNano, estimated: 1, priceVersion: '' },
      ...{ totalMs: Math.max(0, atMs - attempt.atMs), bytesIn: 0, bytesOut: 0 },
    }),
  );
  return true;
}, 'after-journal');

const charged = table('attempt_rows', {
  costNano: money,
  scopes: text,
  requestId: text,
  verdict: text,
  reserveTokens: optional(integer),
  tokens: optional(integer),
});
const readCharge = statement(`SELECT ${charged.list} FROM attempt_rows WHERE id = $1 AND state = 'settled'`);
const recharge = statement(
  'UPDATE attempt_rows SET cost_nano = $2, estimated = $3, verdict = $4, tokens = $5 WHERE id = $1',
);

/**
 * Replaces an estimated cost: every budget, the attempt and its request's usage row move by the difference. An attempt that is still
 * open is closed instead. The caller makes sure that it happens once.
 */
export function* rechargeAttempt(closing: ClosingCells): Steps<null> {
  if (yield* closeAttempt.steps(closing)) return null;
  const { id, costNano, estimated, row, verdict } = closingTable.named(closing);
  const found = (yield step(readCharge, id))[0];
  if (found === undefined) return null;
  const { scopes, requestId, reserveTokens = 0, tokens = 0, ...before } = charged.read(found);
  const after = chargedAmounts(chargeOf(closing), BigInt(reserveTokens));
  const difference = differenceOf(after, chargedAmounts({ ...before, tokens }, 0n));
  yield step(recharge, id, BigInt(costNano), estimated ? 1 : 0, verdict, after.tokens);
  yield* moveSpentOf(scopes, difference);
  if (row === null) yield* correctUsageCost(requestId, difference.usd, estimated);
  else yield* rewriteUsage(row);
  return null;
}

const checkpoint = statementsBy(
  (size: number) =>
    `UPDATE attempt_rows SET checkpoint_nano = given.column2
     FROM (VALUES ${Array.from({ length: size }, (_, i) => `(CAST($${2 * i + 1} AS TEXT), CAST($${2 * i + 2} AS BIGINT))`).join(', ')}) AS given
     WHERE attempt_rows.id = given.column1 AND attempt_rows.state = 'dispatched'`,
);
const checkpointsPerStatement = 64;

export const checkpointAttempts = transaction(function* (
  pairs: readonly (readonly [id: string, costNano: Money])[],
): Steps<null> {
  for (let from = 0; from < pairs.length; from += checkpointsPerStatement) {
    const chunk = pairs.slice(from, from + checkpointsPerStatement);
    yield step(checkpoint(chunk.length), ...chunk.flatMap(([id, costNano]): SqlValue[] => [id, BigInt(costNano)]));
  }
  return null;
}, 'after-journal');

const openOf = statement(
  `SELECT id FROM attempt_rows WHERE state = 'dispatched' AND instance_id = $1 AND instance_id <> '' AND id > $2
   ORDER BY id LIMIT $3`,
);
const firstTexts = (rows: readonly Row[]): readonly string[] => rows.map((row) => asText(row[0]));

export const openAttemptsOf = read(function* (
  instanceId: string,
  afterId: string,
  limit: number,
): Steps<readonly string[]> {
  return firstTexts(yield step(openOf, instanceId, afterId, limit));
}, 'after-journal');

const window = table('budgets', { spentNano: money, heldNano: money });
const readBudget = statement(`SELECT ${window.list} FROM budgets WHERE scope = $1 AND window_start_ms = $2`);
const readGenerations = statement('SELECT id, generation FROM journal');
const untouched = { spentNano: 0, heldNano: 0 } as const;

interface BudgetWindow {
  readonly spentNano: Money;
  readonly heldNano: Money;
}

/** A window that nothing touched yet has neither. */
export const readBudgetWindow = read(function* (scope: string, windowStartMs: number): Steps<BudgetWindow> {
  const row = (yield step(readBudget, scope, windowStartMs))[0];
  return row === undefined ? untouched : window.read(row);
}, 'after-journal');

/** The same as the tables have it now, with the generation of each journal that they include. */
export const readFoldedBudget = transaction(function* (
  scope: string,
  windowStartMs: number,
): Steps<BudgetWindow & { readonly generations: readonly (readonly [journal: number, generation: number])[] }> {
  const row = (yield step(readBudget, scope, windowStartMs))[0];
  const generations = (yield step(readGenerations)).map(
    ([id, generation]) => [asNumber(id), asNumber(generation)] as const,
  );
  return { ...(row === undefined ? untouched : window.read(row)), generations };
});
