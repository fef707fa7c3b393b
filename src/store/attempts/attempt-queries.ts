/** Attempts and the money they hold: the only operations that move a budget. */

import { errorTable } from '../../conversation/error-table.ts';
import {
  asNumber,
  asText,
  type Money,
  type Operation,
  type SqlValue,
  type Step,
  statement,
  statementsBy,
  step,
} from '../sql/statement.ts';
import {
  addTellingRows,
  addUsageRows,
  attemptsAt,
  correctSweptCost,
  correctUsageCost,
  costAt,
  replaceSweptUsage,
  rewriteUsage,
  type TellingRow,
  type UsageCells,
  writeSweptUsage,
  writeUsage,
} from '../usage/usage-queries.ts';

/** A scope as it travels: its name, its limit in nano-USD, the start of its window. */
export type ScopeCells = readonly [scope: string, limitNano: Money, windowStartMs: number];

const insert = statement(
  `INSERT INTO attempt_rows (id, request_id, token_id, scopes, reserve_nano, estimate_nano, state, instance_id, provider, model, at_ms, key_id)
   VALUES ($1, $2, $3, $4, $5, $6, 'dispatched', $7, $8, $9, $10, $11)`,
);
/** Creates the window's row or adds to it, but only where the hold fits; no row comes back where it does not. */
const hold = statement(
  `INSERT INTO budgets (scope, window_start_ms, spent_nano, held_nano)
   SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), 0, CAST($3 AS BIGINT) WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
   ON CONFLICT (scope, window_start_ms) DO UPDATE SET held_nano = budgets.held_nano + excluded.held_nano
   WHERE budgets.spent_nano + budgets.held_nano + excluded.held_nano <= CAST($4 AS BIGINT)
   RETURNING held_nano`,
);
const unhold = statement('UPDATE budgets SET held_nano = held_nano - $3 WHERE scope = $1 AND window_start_ms = $2');
const settleBudget = statement(
  `UPDATE budgets SET spent_nano = spent_nano + $3, held_nano = held_nano - $4 WHERE scope = $1 AND window_start_ms = $2`,
);
const settle = statement(
  `UPDATE attempt_rows SET state = 'settled', cost_nano = $2, estimated = $3, settled_at_ms = $4, verdict = $5
   WHERE id = $1 AND state = 'dispatched' RETURNING reserve_nano, scopes`,
);
const settleLost = statement(
  `UPDATE attempt_rows SET state = 'settled', cost_nano = COALESCE(checkpoint_nano, estimate_nano), estimated = 1, settled_at_ms = $2,
     verdict = 'lost'
   WHERE id = $1 AND state = 'dispatched'
   RETURNING reserve_nano, scopes, cost_nano, request_id, token_id, provider, model, at_ms`,
);
/** What the sweeper charged stays readable as the checkpoint. The verdict changes with it, so it happens once. */
const correctLost = statement(
  `UPDATE attempt_rows SET checkpoint_nano = cost_nano, cost_nano = $2, estimated = $3, settled_at_ms = $4, verdict = $5
   WHERE id = $1 AND state = 'settled' AND verdict = 'lost' RETURNING checkpoint_nano, scopes, request_id`,
);
const checkpoint = statementsBy(
  (size: number) =>
    `UPDATE attempt_rows SET checkpoint_nano = given.column2
     FROM (VALUES ${Array.from({ length: size }, (_, i) => `(CAST($${2 * i + 1} AS TEXT), CAST($${2 * i + 2} AS BIGINT))`).join(', ')}) AS given
     WHERE attempt_rows.id = given.column1 AND attempt_rows.state = 'dispatched'`,
);
/** Attempts of tasks belong to no process, so no process's death ends them. */
const holders = statement(
  "SELECT DISTINCT instance_id FROM attempt_rows WHERE state = 'dispatched' AND instance_id <> ''",
);
const openOf = statement(
  "SELECT id FROM attempt_rows WHERE state = 'dispatched' AND instance_id = $1 AND instance_id <> '' LIMIT $2",
);
const readCharge = statement(
  "SELECT cost_nano, scopes, request_id FROM attempt_rows WHERE id = $1 AND state = 'settled'",
);
const recharge = statement('UPDATE attempt_rows SET cost_nano = $2, estimated = $3, verdict = $4 WHERE id = $1');
/** A refund never gives back more than was taken. */
const moveSpent = statement(
  `UPDATE budgets SET spent_nano = CASE WHEN spent_nano + $3 < 0 THEN 0 ELSE spent_nano + $3 END
   WHERE scope = $1 AND window_start_ms = $2`,
);
const readBudget = statement('SELECT spent_nano, held_nano FROM budgets WHERE scope = $1 AND window_start_ms = $2');

/**
 * An attempt that counts against no budget: one statement. An older Weir's journal says nothing of the key, nor of the verdict
 * in a closing.
 */
export function* openAttempt(
  id: string,
  requestId: string,
  tokenId: string,
  reserveNano: Money,
  estimateNano: Money,
  instanceId: string,
  provider: string,
  model: string,
  atMs: number,
  keyId = '',
): Operation<null> {
  const reserve = BigInt(reserveNano);
  const estimate = BigInt(estimateNano);
  yield step(insert, id, requestId, tokenId, '', reserve, estimate, instanceId, provider, model, atMs, keyId);
  return null;
}

/** An attempt's opening and closing as they travelled, for the two at once. */
export type WholeAttempt = readonly [opening: Parameters<typeof openAttempt>, closing: Parameters<typeof closeAttempt>];

const settledWidth = 15;
const insertSettled = statementsBy(
  (size: number) =>
    `INSERT INTO attempt_rows (id, request_id, token_id, scopes, reserve_nano, estimate_nano, instance_id, provider, model, at_ms,
       cost_nano, estimated, settled_at_ms, key_id, verdict, state) VALUES ${tuples(size, settledWidth, "'settled'")}`,
);
/** `($1, $2, …, tail)` so many times. */
function tuples(size: number, width: number, tail: string): string {
  const row = (from: number): string =>
    `(${Array.from({ length: width }, (_, column) => `$${from + column + 1}`).join(', ')}, ${tail})`;
  return Array.from({ length: size }, (_, index) => row(index * width)).join(', ');
}

const wholePerStatement = 16;

/**
 * Attempts that counted against no budget and have ended already: they never need to be seen open, and one that was its
 * request's only attempt needs no row beside the request's.
 */
export function* addSettledAttempts(attempts: readonly WholeAttempt[]): Operation<null> {
  const told: TellingRow[] = [];
  const others: WholeAttempt[] = [];
  for (const attempt of attempts) {
    const row = attempt[1][4];
    if (row !== null && isSole(attempt, row)) told.push([row, attempt[0][9] ?? '']);
    else others.push(attempt);
  }
  yield* addTellingRows(told);
  for (let from = 0; from < others.length; ) {
    const size = others.length - from >= wholePerStatement ? wholePerStatement : 1;
    const chunk = others.slice(from, from + size);
    yield { statement: insertSettled(size), values: chunk.flatMap(settledCells) };
    from += size;
  }
  return yield* addUsageRows(others.flatMap(([, closing]) => (closing[4] === null ? [] : [closing[4]])));
}

function isSole([[id, requestId], [, cost, , , , verdict = '']]: WholeAttempt, row: UsageCells): boolean {
  return verdict === '' && row[attemptsAt] === 1 && row[costAt] === cost && id === `${requestId}.1`;
}

function settledCells([opening, closing]: WholeAttempt): SqlValue[] {
  const [id, requestId, tokenId, reserve, estimate, instanceId, provider, model, atMs, keyId = ''] = opening;
  const [, cost, estimated, settledAtMs, , verdict = ''] = closing;
  const money = [BigInt(reserve), BigInt(estimate)];
  const end = [BigInt(cost), estimated ? 1 : 0, settledAtMs, keyId, verdict];
  return [id, requestId, tokenId, '', ...money, instanceId, provider, model, atMs, ...end];
}

/** All scopes or none. Returns the scope that refused, or null. Scopes come sorted, so that no two holders wait in a ring. */
export function* openAttemptWithin(
  scopes: readonly ScopeCells[],
  ...attempt: Parameters<typeof openAttempt>
): Operation<string | null> {
  const [id, requestId, tokenId, reserveNano, estimateNano, instanceId, provider, model, atMs, keyId = ''] = attempt;
  const reserve = BigInt(reserveNano);
  for (const [index, [scope, limitNano, windowStartMs]] of scopes.entries()) {
    const rows = yield step(hold, scope, windowStartMs, reserve, BigInt(limitNano));
    if (rows.length > 0) continue;
    for (const [taken, , start] of scopes.slice(0, index)) yield step(unhold, taken, start, reserve);
    return scope;
  }
  const kept = JSON.stringify(scopes.map(([scope, , windowStartMs]) => [scope, windowStartMs]));
  const estimate = BigInt(estimateNano);
  yield step(insert, id, requestId, tokenId, kept, reserve, estimate, instanceId, provider, model, atMs, keyId);
  return null;
}

/** Moves a settled attempt's money in each budget, in the order in which it was held. */
function chargeSteps(costNano: bigint, reserve: SqlValue, scopes: string): Step[] {
  const held = BigInt(reserve ?? 0);
  return scopesOf(scopes).map(([scope, windowStartMs]) => step(settleBudget, scope, windowStartMs, costNano, held));
}

/** As they were written when the attempt was opened. */
const scopesOf = (scopes: string): [scope: string, windowStartMs: number][] =>
  scopes === '' ? [] : (JSON.parse(scopes) as [string, number][]);

/**
 * True where this call ended the attempt, or corrected what a sweeper charged for it; false where it was ended before or never
 * existed, and then nothing is written.
 */
export function* closeAttempt(
  id: string,
  costNano: Money,
  estimated: boolean,
  atMs: number,
  row: UsageCells | null,
  verdict = '',
): Operation<boolean> {
  const cost = BigInt(costNano);
  const settled = (yield step(settle, id, cost, estimated ? 1 : 0, atMs, verdict))[0];
  if (settled === undefined) return yield* correctSwept(id, cost, estimated, atMs, row, verdict);
  for (const each of chargeSteps(cost, settled[0] ?? 0, asText(settled[1]))) yield each;
  if (row !== null) yield* writeUsage(row);
  return true;
}

/**
 * The process was not dead, only silent: it made the call, so even its estimate knows more than the sweeper did. Attempt, budgets
 * and usage row move by the difference. The reservation was released by the sweep, so a budget may end above its limit here.
 */
function* correctSwept(
  id: string,
  cost: bigint,
  estimated: boolean,
  atMs: number,
  row: UsageCells | null,
  verdict: string,
): Operation<boolean> {
  const swept = (yield step(correctLost, id, cost, estimated ? 1 : 0, atMs, verdict))[0];
  if (swept === undefined) return false;
  const [before, scopes, requestId] = swept;
  const difference = cost - BigInt(before ?? 0);
  yield* moveSpentOf(asText(scopes), difference);
  if (row === null) yield* correctSweptCost(asText(requestId), difference);
  else yield* replaceSweptUsage(row);
  return true;
}

function* moveSpentOf(scopes: string, difference: bigint): Operation<void> {
  for (const [scope, windowStartMs] of scopesOf(scopes)) yield step(moveSpent, scope, windowStartMs, difference);
}

/** Ends an attempt whose process died: at its last checkpoint, else at its estimate, never for nothing unseen. */
export function* closeLostAttempt(id: string, atMs: number): Operation<boolean> {
  const settled = (yield step(settleLost, id, atMs))[0];
  if (settled === undefined) return false;
  const [reserve, scopes, cost, requestId, tokenId, provider, model, startedAtMs] = settled;
  for (const each of chargeSteps(BigInt(cost ?? 0), reserve ?? 0, asText(scopes))) yield each;
  const name = asText(model);
  yield* writeSweptUsage([
    ...[asText(requestId), asNumber(startedAtMs), asText(tokenId), '', name, asText(provider), name],
    ...[0, 1, errorTable.swept.status, 'swept', null, null, null, null, null, null, null, null, null, null, null],
    ...[asText(cost), 1, '', null, Math.max(0, atMs - asNumber(startedAtMs)), 0, 0],
  ]);
  return true;
}

/**
 * Puts another cost in the place of an estimated one: every budget, the attempt and its request's usage row move by the
 * difference. An attempt that is still open is closed instead. Whoever calls it makes sure that it happens once.
 */
export function* rechargeAttempt(...closing: Parameters<typeof closeAttempt>): Operation<null> {
  if (yield* closeAttempt(...closing)) return null;
  const [id, costNano, estimated, , row, verdict = ''] = closing;
  const charged = (yield step(readCharge, id))[0];
  if (charged === undefined) return null;
  const [before, scopes, requestId] = charged;
  const difference = BigInt(costNano) - BigInt(before ?? 0);
  yield step(recharge, id, BigInt(costNano), estimated ? 1 : 0, verdict);
  yield* moveSpentOf(asText(scopes), difference);
  if (row === null) yield* correctUsageCost(asText(requestId), difference, estimated);
  else yield* rewriteUsage(row);
  return null;
}

const checkpointsPerStatement = 64;

export function* checkpointAttempts(pairs: readonly (readonly [id: string, costNano: Money])[]): Operation<null> {
  for (let from = 0; from < pairs.length; from += checkpointsPerStatement) {
    const chunk = pairs.slice(from, from + checkpointsPerStatement);
    yield step(checkpoint(chunk.length), ...chunk.flatMap(([id, costNano]): SqlValue[] => [id, BigInt(costNano)]));
  }
  return null;
}

/** The instances that have attempts open. */
export function* attemptHolders(): Operation<readonly string[]> {
  return (yield step(holders)).map((row) => asText(row[0]));
}

export function* openAttemptsOf(instanceId: string, limit: number): Operation<readonly string[]> {
  return (yield step(openOf, instanceId, limit)).map((row) => asText(row[0]));
}

/** Spent and held, as digits. A window that nothing touched yet has neither. */
export function* readBudgetWindow(scope: string, windowStartMs: number): Operation<readonly [string, string]> {
  const row = (yield step(readBudget, scope, windowStartMs))[0];
  return [asText(row?.[0] ?? 0n), asText(row?.[1] ?? 0n)];
}
