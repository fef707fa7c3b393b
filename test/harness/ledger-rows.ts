/** Reads the ledger's rows from the database itself, so that money is checked against what was written and not against a reply. */

import { existsSync } from 'node:fs';
import { recoverJournal } from '../../src/store/journal/journal-recovery.ts';
import { journalPath, journalsIn } from '../../src/store/journal/open-journal.ts';
import { firstRecords } from './first-records.ts';
import { askDatabase, keptDatabase, type Place, type TextRow } from './kept-database.ts';
import { until } from './until.ts';

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

export interface LedgerRows {
  readonly attempts: readonly AttemptRow[];
  readonly entries: readonly { readonly attemptId: string; readonly kind: string; readonly amountNano: bigint }[];
  readonly budgets: readonly { readonly scope: string; readonly spentNano: bigint; readonly heldNano: bigint }[];
  readonly usage: readonly UsageRow[];
}

type Query = (sql: string) => Promise<TextRow[]>;

/** Every number is read as text: neither driver may round an amount. */
const queries = {
  /** Counts alone: a growing table is not read whole each time. */
  progress: `SELECT (SELECT CAST(COUNT(*) AS TEXT) FROM attempts WHERE cost_nano IS NULL) AS open_attempts,
    (SELECT CAST(COUNT(*) AS TEXT) FROM usage_rows) AS usage_rows`,
  attempts: (of: string) => `SELECT id, request_id, token_id, model, state, CAST(cost_nano AS TEXT) AS cost,
    CAST(estimated AS TEXT) AS estimated FROM attempts ${of}`,
  entries: (of: string) => `SELECT attempt_id, kind, CAST(amount_nano AS TEXT) AS amount FROM ledger_entries
    ${of && `WHERE attempt_id IN (SELECT id FROM attempts ${of})`}`,
  budgets: 'SELECT scope, CAST(spent_nano AS TEXT) AS spent, CAST(held_nano AS TEXT) AS held FROM budgets',
  usage: (
    of: string,
  ) => `SELECT request_id, token_id, CAST(status AS TEXT) AS status, code, CAST(cost_nano AS TEXT) AS cost,
    CAST(estimated AS TEXT) AS estimated, CAST(input_total AS TEXT) AS input_total, CAST(output_total AS TEXT) AS output_total,
    price_version FROM usage_rows ${of === '' ? 'WHERE' : `${of} AND`} endpoint <> 'models'`,
};

/** All rows, or those of one token. */
export async function readLedger(weir: Place, tokenId?: string): Promise<LedgerRows> {
  await untilFolded(weir);
  return read((sql) => askDatabase(weir, sql), tokenId);
}

/** The row of one request on SQLite, once it is written. */
export async function usageRowOf(weir: Place, requestId: string | null): Promise<UsageRow> {
  let row: TextRow | null = null;
  const isWritten = () => {
    row = keptDatabase(weir)
      .query<TextRow, [string]>(`${queries.usage('')} AND request_id = ?`)
      .get(requestId ?? '');
    return row !== null;
  };
  await until(isWritten, 60_000, `the usage row of ${requestId}`);
  return usageOf(row ?? {});
}

/** A process on SQLite records first, and its tables follow: waits until they have what it has recorded so far. */
async function untilFolded(weir: Place): Promise<void> {
  // Nothing follows in the tables of a process that has ended.
  const isServing = () => 'pid' in weir && existsSync(`/proc/${String(weir.pid)}`);
  if (weir.databaseUrl !== undefined || !isServing()) return;
  const folded = (journal: number): number => {
    const sql = 'SELECT generation FROM journal WHERE id = ?';
    return keptDatabase(weir).query<{ generation: number }, [number]>(sql).get(journal)?.generation ?? 0;
  };
  for (const journal of journalsIn(weir.dataFolder)) {
    const bytes = firstRecords(journalPath(weir.dataFolder, journal));
    const { generations } = recoverJournal(bytes, folded(journal), 'in use');
    const newest = Math.max(
      0,
      ...generations.filter(({ texts }) => texts.length > 0).map(({ generation }) => generation),
    );
    await until(() => folded(journal) >= newest || !isServing(), 60_000, 'the tables to have what the journal has');
  }
}

/** The rows once every attempt is closed; they are written in groups, so the last may come a moment after its reply. */
export async function settledLedger(weir: Place, tokenId?: string): Promise<LedgerRows> {
  let rowsBefore: string | undefined;
  const isSettled = async () => {
    await untilFolded(weir);
    const [row] = await askDatabase(weir, queries.progress);
    const isStable = row?.['usage_rows'] === rowsBefore;
    rowsBefore = row?.['usage_rows'] ?? undefined;
    return isStable && row?.['open_attempts'] === '0';
  };
  await until(isSettled, 60_000, 'the end of every attempt');
  return readLedger(weir, tokenId);
}

/**
 * B2 for a ledger without open attempts: each budget's spending is the sum of its entries and nothing is
 * held. Throws what is wrong.
 */
export function expectBalanced(ledger: LedgerRows): void {
  const amountOf = new Map<string, bigint>();
  for (const { attemptId, amountNano } of ledger.entries) add(amountOf, attemptId, amountNano);
  const spentIn = new Map<string, bigint>();
  for (const { id, tokenId, costNano } of ledger.attempts) {
    const amount = amountOf.get(id) ?? 0n;
    if (amount !== (costNano ?? 0n)) throw new Error(`attempt ${id} cost ${costNano}, its entries say ${amount}`);
    add(spentIn, `token:${tokenId}`, amount);
  }
  for (const { scope, spentNano, heldNano } of ledger.budgets) {
    const entries = spentIn.get(scope) ?? 0n;
    if (heldNano !== 0n) throw new Error(`${scope} still holds ${heldNano}`);
    if (spentNano !== entries) throw new Error(`${scope} spent ${spentNano}, its entries say ${entries}`);
  }
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

export function totalCostNano(rows: readonly { readonly costNano: bigint | undefined }[]): bigint {
  return rows.reduce((sum, row) => sum + (row.costNano ?? 0n), 0n);
}

async function read(query: Query, tokenId: string | undefined): Promise<LedgerRows> {
  const of = tokenId === undefined ? '' : `WHERE token_id = '${tokenId}'`;
  const attempts = await query(queries.attempts(of));
  const entries = await query(queries.entries(of));
  const budgets = (await query(queries.budgets)).filter(({ scope }) => !tokenId || scope === `token:${tokenId}`);
  const usage = await query(queries.usage(of));
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
    usage: usage.map(usageOf),
  };
}

function usageOf(row: TextRow): UsageRow {
  return {
    requestId: row['request_id'] ?? '',
    tokenId: row['token_id'] ?? '',
    status: Number(row['status']),
    code: row['code'] ?? '',
    costNano: BigInt(row['cost'] ?? 0),
    estimated: row['estimated'] === '1',
    inputTotal: typeof row['input_total'] === 'string' ? Number(row['input_total']) : undefined,
    outputTotal: typeof row['output_total'] === 'string' ? Number(row['output_total']) : undefined,
    priceVersion: row['price_version'] ?? '',
  };
}
