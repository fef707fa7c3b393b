/**
 * The ledger's batch function beside a serial model: several replicas send random batches on shared budgets at once,
 * and every verdict is the one that the same batches give one after another, in the order in which they had the locks.
 */

import { expect } from 'bun:test';
import type { BudgetUnit } from '../../src/access/organization.ts';
import type { AttemptOpening, BudgetScope, UsageRow } from '../../src/ledger/ledger.ts';
import { closingTable, openingTable } from '../../src/store/attempts/attempt-table.ts';
import { batchArrays, readVerdicts, runLedgerBatch } from '../../src/store/attempts/batches/batch-query.ts';
import { scopeRows } from '../../src/store/attempts/scope-rows.ts';
import type { Driver } from '../../src/store/sql/driver.ts';
import { chargedIn, refusingScope, reservedIn } from '../harness/budget-amounts.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { anOpening, aUsageRow, checkMoney, engines, openDriver, type StorePlace } from '../harness/store-places.ts';
import { seeded } from '../harness/usage-by-hand.ts';

const { test } = needing('postgres');

const replicaCount = 3;
const batchesAtOnce = 3;
const budgetNames = ['account:a', 'key:b', 'team:c', 'token:d', 'token:e', 'user:f'] as const;
const unitsOf: Readonly<Record<string, BudgetUnit>> = { 'key:b': 'requests', 'token:d': 'tokens', 'user:f': 'tokens' };
const unitOf = (scope: string): BudgetUnit => unitsOf[scope] ?? 'usd';
const mostIn = { usd: 4_000, requests: 30, tokens: 2_000 } as const;
const windowStartMs = 86_400_000;
const timeoutMs = 60_000;

interface Closing {
  readonly attemptId: string;
  readonly costNano: bigint;
  readonly verdict: string;
  readonly tokens: number | undefined;
  readonly row: UsageRow | undefined;
}

interface Batch {
  readonly closings: readonly Closing[];
  readonly openings: readonly AttemptOpening[];
}

/** What a batch was answered: the attempts that it ended, and the scope that refused by the attempt. */
interface Verdicts {
  readonly ended: readonly string[];
  readonly refused: Readonly<Record<string, string>>;
}

/** Batches one after another, on plain numbers. */
class SerialModel {
  /** Spent and held together: all that an admission looks at. */
  readonly used: Map<string, bigint>;
  readonly open: Map<string, AttemptOpening>;

  constructor(used: ReadonlyMap<string, bigint> = new Map(), open: ReadonlyMap<string, AttemptOpening> = new Map()) {
    this.used = new Map(used);
    this.open = new Map(open);
  }

  copy = (): SerialModel => new SerialModel(this.used, this.open);

  run({ closings, openings }: Batch): Verdicts {
    const ended = closings.filter((closing) => this.#close(closing)).map(({ attemptId }) => attemptId);
    const refused: Record<string, string> = {};
    for (const opening of openings) {
      const full = refusingScope(opening, ({ scope }) => this.usedIn(scope));
      if (full !== undefined) refused[opening.attemptId] = full;
      else this.#admit(opening);
    }
    return { ended: ended.sort(), refused };
  }

  usedIn = (scope: string): bigint => this.used.get(scope) ?? 0n;

  #close(closing: Closing): boolean {
    const opening = this.open.get(closing.attemptId);
    if (opening === undefined) return false;
    this.open.delete(closing.attemptId);
    this.#move(opening, ({ unit }) => chargedIn(unit, opening, closing) - reservedIn(unit, opening));
    return true;
  }

  #admit(opening: AttemptOpening): void {
    this.open.set(opening.attemptId, opening);
    this.#move(opening, ({ unit }) => reservedIn(unit, opening));
  }

  #move({ scopes }: AttemptOpening, amountIn: (scope: BudgetScope) => bigint): void {
    for (const scope of scopes) this.used.set(scope.scope, this.usedIn(scope.scope) + amountIn(scope));
  }
}

/**
 * Numbers every write of a budget while its row is locked, beside its transaction: where two batches share a budget, all
 * numbers of the first are below all numbers of the second. Attempts tell which transaction was which batch.
 */
async function recordOrder(place: StorePlace): Promise<void> {
  const made = [
    'CREATE TABLE batch_order (place BIGSERIAL, transaction_id BIGINT, attempt_id TEXT)',
    `CREATE FUNCTION record_budget() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO batch_order (transaction_id) VALUES (txid_current()); RETURN NULL; END $$`,
    `CREATE FUNCTION record_attempt() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO batch_order (transaction_id, attempt_id)
       VALUES (txid_current(), CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END); RETURN NULL; END $$`,
    'CREATE TRIGGER budget_order AFTER UPDATE ON budgets FOR EACH ROW EXECUTE FUNCTION record_budget()',
    `CREATE TRIGGER attempt_order AFTER INSERT OR UPDATE OR DELETE ON attempt_rows
       FOR EACH ROW EXECUTE FUNCTION record_attempt()`,
  ];
  for (const sql of made) await place.query(sql);
}

/** The attempts of each batch that changed something, in the order of the locks. */
async function takeOrder(place: StorePlace): Promise<readonly (readonly string[])[]> {
  const rows = await place.query(
    `SELECT array_to_string(array_agg(attempt_id), ' ') FROM batch_order GROUP BY transaction_id
     HAVING count(attempt_id) > 0 ORDER BY min(place) FILTER (WHERE attempt_id IS NULL)`,
  );
  await place.query('DELETE FROM batch_order');
  return rows.map(([ids]) => String(ids).split(' '));
}

async function send(driver: Driver, { openings, closings }: Batch): Promise<Verdicts> {
  const opened = openings.map((opening) => ({ cells: openingTable.pack(opening, 'x'), scopes: scopeRows(opening) }));
  const closed = closings.map((closing) => closingTable.pack({ ...closing, estimated: false, atMs: 2_000 }, undefined));
  const { ended, refused } = readVerdicts(await driver.run(runLedgerBatch, timeoutMs, 1, batchArrays(opened, closed)));
  return {
    ended: [...ended].map((at) => closings[at]?.attemptId ?? '').sort(),
    refused: Object.fromEntries([...refused].map(([at, scope]) => [openings[at]?.attemptId ?? '', scope])),
  };
}

/** Does the row of its request record the attempt, which has no row of its own then? */
const isRecorded = ({ attemptId, verdict, row }: Closing): boolean =>
  row !== undefined && verdict === '' && attemptId.endsWith('.1');

type Below = (limit: number) => number;

/** Limits from nothing to a little more than all openings of a round want; now and then a replica has another one. */
function randomOpening(below: Below, limits: ReadonlyMap<string, bigint>): AttemptOpening {
  const first = below(budgetNames.length);
  const levels = 1 + below(3);
  const step = 1 + below(2);
  const scopes = Array.from({ length: levels }, (_, level) => {
    const scope = budgetNames[(first + level * step) % budgetNames.length] ?? '';
    const unit = unitOf(scope);
    const limit = (limits.get(scope) ?? 0n) - (below(10) === 0 ? BigInt(below(mostIn[unit] / 10)) : 0n);
    return { scope, unit, limit, windowStartMs };
  });
  const opening = anOpening({ scopes, reserveNano: BigInt(below(200)), reserveTokens: below(100) });
  return { ...opening, attemptId: `${opening.requestId}.${1 + below(2)}` };
}

function randomRound(below: Below, model: SerialModel): Batch[] {
  const limits = new Map(budgetNames.map((name) => [name, model.usedIn(name) + BigInt(below(mostIn[unitOf(name)]))]));
  const batches = Array.from({ length: replicaCount * batchesAtOnce }, () => ({
    openings: Array.from({ length: below(9) }, () => randomOpening(below, limits)),
    closings: [] as Closing[],
  }));
  let closedTwice = 0;
  for (const [attemptId, { requestId, reserveNano, reserveTokens }] of model.open) {
    if (below(3) === 0) continue;
    // Some cost more than was reserved.
    const costNano = below(4) === 0 ? 0n : BigInt(below(Number(reserveNano) + 40));
    const closing = {
      attemptId,
      costNano,
      verdict: below(3) === 0 ? 'refused' : '',
      tokens: below(3) === 0 ? undefined : below(reserveTokens + 20),
      // Many rows record the only attempt of their request, and some end another one.
      row: below(4) === 0 ? undefined : aUsageRow({ requestId, costNano, attempts: 1 }),
    };
    const at = below(batches.length);
    batches[at]?.closings.push(closing);
    // One at a time: two batches that close the same two may wait for each other, which the server ends after a second.
    if (closedTwice++ === 0) batches[(at + 1) % batches.length]?.closings.push(closing);
  }
  return batches.filter(({ openings, closings }) => openings.length + closings.length > 0);
}

interface Answered {
  readonly batch: Batch;
  readonly verdicts: Verdicts;
}

/** Runs the model through the batches in their order, and returns it as they left it. */
function replay(
  before: SerialModel,
  answered: readonly Answered[],
  order: readonly (readonly string[])[],
): SerialModel {
  const model = before.copy();
  const states = [model.copy()];
  const rest = new Set(answered);
  for (const attempts of order) {
    const next = answered.find(({ batch, verdicts }) => hasChanged(batch, verdicts, attempts[0] ?? ''));
    if (next === undefined || !rest.delete(next)) throw new Error(`no batch for ${attempts.join(' ')}`);
    expect(model.run(next.batch)).toEqual(next.verdicts);
    states.push(model.copy());
  }
  // These changed nothing, so that nothing tells when they had the locks: there was a moment at which they are right.
  for (const { batch, verdicts } of rest) {
    const right = states.some((state) => Bun.deepEquals(state.copy().run(batch), verdicts));
    if (!right) throw new Error(`at no moment of its round was this right: ${Bun.inspect({ batch, verdicts })}`);
  }
  return model;
}

function hasChanged({ openings }: Batch, { ended, refused }: Verdicts, attemptId: string): boolean {
  if (ended.includes(attemptId)) return true;
  return openings.some((opening) => opening.attemptId === attemptId) && !(attemptId in refused);
}

async function usedInDatabase(place: StorePlace): Promise<Record<string, bigint>> {
  const rows = await place.query('SELECT scope, spent_nano + held_nano FROM budgets WHERE spent_nano + held_nano > 0');
  return Object.fromEntries(rows.map(([scope, used]) => [String(scope), BigInt(String(used))]));
}

const rounds = sized(25, 250);

test(`${rounds} rounds of random batches of ${replicaCount} replicas are decided as one after another`, async () => {
  const place = await engines[1].place();
  const drivers: Driver[] = [];
  try {
    for (let at = 0; at < replicaCount; at += 1) drivers.push(await openDriver(place.databaseUrl ?? '', batchesAtOnce));
    await recordOrder(place);
    const random = seeded(20_261_116);
    const below: Below = (limit) => Math.floor(random() * limit);
    let model = new SerialModel();
    const seen = { admitted: 0, refused: 0, ended: 0, rows: 0, recorded: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const batches = randomRound(below, model);
      const sent = batches.map(async (batch, at): Promise<Answered> => {
        const driver = drivers[at % replicaCount];
        if (driver === undefined) throw new Error('there is a driver for each replica');
        return { batch, verdicts: await send(driver, batch) };
      });
      const answered = await Promise.all(sent);
      model = replay(model, answered, await takeOrder(place));
      const used = Object.fromEntries([...model.used].filter(([, amount]) => amount > 0n));
      expect(await usedInDatabase(place)).toEqual(used);
      expect(await checkMoney(place)).toEqual({ differing: [], open: model.open.size });
      for (const { batch, verdicts } of answered) {
        const refused = Object.keys(verdicts.refused).length;
        seen.refused += refused;
        seen.admitted += batch.openings.length - refused;
        seen.ended += verdicts.ended.length;
        const ended = batch.closings.filter(({ attemptId }) => verdicts.ended.includes(attemptId));
        seen.rows += ended.filter(({ row }) => row !== undefined).length;
        seen.recorded += ended.filter(isRecorded).length;
      }
    }
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(rounds);
    const written = await place.query('SELECT COUNT(*), COUNT(tells_attempt), COUNT(scopes) FROM usage_rows');
    expect(written).toEqual([[BigInt(seen.rows), BigInt(seen.recorded), BigInt(seen.recorded)]]);
    expect(await place.query('SELECT COUNT(*) FROM attempts')).toEqual([[BigInt(seen.admitted)]]);
  } finally {
    await Promise.all(drivers.map((driver) => driver.close()));
    await place.dispose();
  }
}, 300_000);

test('a budget whose row was removed by hand has one again, and admits what it did', async () => {
  const place = await engines[1].place();
  const store = await place.open();
  try {
    const scopes = [{ scope: 'token:gone', unit: 'usd', limit: 1_500n, windowStartMs }] as const;
    const opening = () => anOpening({ scopes, reserveNano: 1_000n });
    expect(await store.attempts.open(opening())).toEqual({ admitted: true });
    expect(await store.attempts.open(opening())).toEqual({ admitted: false, scope: 'token:gone' });
    await place.query("DELETE FROM budgets WHERE scope = 'token:gone'");
    expect(await store.attempts.open(opening())).toEqual({ admitted: true });
    expect(await store.attempts.open(opening())).toEqual({ admitted: false, scope: 'token:gone' });
  } finally {
    await store.close();
    await place.dispose();
  }
});
