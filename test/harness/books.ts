/** Reads Weir's books straight from its database, so that money is checked against what was written and not against what Weir says. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { until } from './until.ts';
import type { RunningWeir } from './weir.ts';

export interface AttemptRow {
  readonly id: string;
  readonly requestId: string;
  readonly tokenId: string;
  readonly model: string;
  readonly state: string;
  /** Absent while the attempt is open. */
  readonly costNano: bigint | undefined;
  readonly estimated: boolean;
}

export interface UsageRow {
  readonly requestId: string;
  readonly tokenId: string;
  readonly status: number;
  readonly code: string;
  readonly costNano: bigint;
  readonly estimated: boolean;
  readonly inputTotal: number | undefined;
  readonly outputTotal: number | undefined;
  readonly priceVersion: string;
}

export interface Books {
  readonly attempts: readonly AttemptRow[];
  readonly entries: readonly { readonly attemptId: string; readonly kind: string; readonly amountNano: bigint }[];
  readonly budgets: readonly { readonly scope: string; readonly spentNano: bigint; readonly heldNano: bigint }[];
  readonly usage: readonly UsageRow[];
}

type Row = Readonly<Record<string, string | null>>;
type Query = (sql: string) => Promise<Row[]>;

/** Every number is read as text: neither driver may round an amount. */
const queries = {
  attempts: `SELECT id, request_id, token_id, model, state, CAST(cost_nano AS TEXT) AS cost, CAST(estimated AS TEXT) AS estimated
    FROM attempts`,
  entries: 'SELECT attempt_id, kind, CAST(amount_nano AS TEXT) AS amount FROM ledger_entries',
  budgets: 'SELECT scope, CAST(spent_nano AS TEXT) AS spent, CAST(held_nano AS TEXT) AS held FROM budgets',
  usage: `SELECT request_id, token_id, CAST(status AS TEXT) AS status, code, CAST(cost_nano AS TEXT) AS cost,
    CAST(estimated AS TEXT) AS estimated, CAST(input_total AS TEXT) AS input_total, CAST(output_total AS TEXT) AS output_total,
    price_version FROM usage_rows WHERE endpoint <> 'models'`,
};

export async function readBooks(weir: RunningWeir): Promise<Books> {
  return weir.databaseUrl === undefined ? readSqlite(weir.dataFolder) : readPostgres(weir.databaseUrl);
}

/** The books once every attempt is closed; rows are written in groups, so the last may come a moment after its reply. */
export async function settledBooks(weir: RunningWeir, boundMs = 60_000): Promise<Books> {
  let books = await readBooks(weir);
  const settled = async () => {
    const before = books.usage.length;
    books = await readBooks(weir);
    return books.usage.length === before && books.attempts.every((attempt) => attempt.costNano !== undefined);
  };
  await until(settled, boundMs, 'the end of every attempt');
  return books;
}

/** B2 for books at rest: each budget's spending is the sum of its entries and nothing is held. Throws what is wrong. */
export function expectBalanced(books: Books): void {
  const amountOf = new Map<string, bigint>();
  for (const entry of books.entries)
    amountOf.set(entry.attemptId, (amountOf.get(entry.attemptId) ?? 0n) + entry.amountNano);
  for (const attempt of books.attempts)
    if ((amountOf.get(attempt.id) ?? 0n) !== (attempt.costNano ?? 0n))
      throw new Error(`attempt ${attempt.id} cost ${attempt.costNano}, its entries say ${amountOf.get(attempt.id)}`);
  for (const budget of books.budgets) {
    const owned = books.attempts.filter((attempt) => `token:${attempt.tokenId}` === budget.scope);
    const entries = owned.reduce((sum, attempt) => sum + (amountOf.get(attempt.id) ?? 0n), 0n);
    if (budget.heldNano !== 0n) throw new Error(`${budget.scope} still holds ${budget.heldNano}`);
    if (budget.spentNano !== entries)
      throw new Error(`${budget.scope} spent ${budget.spentNano}, its entries say ${entries}`);
  }
}

export function totalCostNano(rows: readonly { readonly costNano: bigint | undefined }[]): bigint {
  return rows.reduce((sum, row) => sum + (row.costNano ?? 0n), 0n);
}

async function readSqlite(dataFolder: string): Promise<Books> {
  const database = new Database(join(dataFolder, 'weir.db'), { readonly: true });
  try {
    return await read(async (sql) => database.query<Row, []>(sql).all());
  } finally {
    database.close();
  }
}

async function readPostgres(url: string): Promise<Books> {
  const database = new Bun.SQL(url, { max: 1 });
  try {
    return await read(async (sql) => (await database.unsafe(sql)) as Row[]);
  } finally {
    await database.close();
  }
}

async function read(query: Query): Promise<Books> {
  const attempts = await query(queries.attempts);
  const entries = await query(queries.entries);
  const budgets = await query(queries.budgets);
  const usage = await query(queries.usage);
  return {
    attempts: attempts.map((row) => ({
      id: row['id'] ?? '',
      requestId: row['request_id'] ?? '',
      tokenId: row['token_id'] ?? '',
      model: row['model'] ?? '',
      state: row['state'] ?? '',
      costNano: typeof row['cost'] === 'string' ? BigInt(row['cost']) : undefined,
      estimated: row['estimated'] === '1',
    })),
    entries: entries.map((row) => ({
      attemptId: row['attempt_id'] ?? '',
      kind: row['kind'] ?? '',
      amountNano: BigInt(row['amount'] ?? 0),
    })),
    budgets: budgets.map((row) => ({
      scope: row['scope'] ?? '',
      spentNano: BigInt(row['spent'] ?? 0),
      heldNano: BigInt(row['held'] ?? 0),
    })),
    usage: usage.map((row) => ({
      requestId: row['request_id'] ?? '',
      tokenId: row['token_id'] ?? '',
      status: Number(row['status']),
      code: row['code'] ?? '',
      costNano: BigInt(row['cost'] ?? 0),
      estimated: row['estimated'] === '1',
      inputTotal: typeof row['input_total'] === 'string' ? Number(row['input_total']) : undefined,
      outputTotal: typeof row['output_total'] === 'string' ? Number(row['output_total']) : undefined,
      priceVersion: row['price_version'] ?? '',
    })),
  };
}
