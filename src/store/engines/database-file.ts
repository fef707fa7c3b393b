/** Looks into a SQLite file that no Weir serves from: a backup that was just made, or one that is about to be restored. */

import { Database } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** A failure of a backup or of a restore that an operator can fix. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Row counts of the tables that operators know by name. */
export type RowCounts = readonly (readonly [name: string, count: number])[];

const counted = [
  ['tokens', 'tokens'],
  ['people', 'accounts'],
  ['requests', 'usage_rows'],
  ['attempts', 'attempts'],
  ['videos ordered', 'tasks'],
] as const;

export const countsIn = (file: string): RowCounts => counted.map(([name, table]) => [name, countRows(file, table)]);

export const schemaVersionIn = (file: string): number =>
  readNumber(file, 'SELECT COALESCE(MAX(version), 0) FROM schema_versions');

export function readNumber(file: string, sql: string): number {
  return Number(readRows(file, sql)[0]?.[0] ?? 0);
}

export function readRows(file: string, sql: string): readonly (readonly unknown[])[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.query(sql).values();
  } finally {
    database.close();
  }
}

export function hasTable(file: string, table: string): boolean {
  return readNumber(file, `SELECT COUNT(*) FROM sqlite_master WHERE name = '${table}'`) === 1;
}

/** A table of a later version is not there in an earlier one. */
function countRows(file: string, table: string): number {
  return hasTable(file, table) ? readNumber(file, `SELECT COUNT(*) FROM ${table}`) : 0;
}

export function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
