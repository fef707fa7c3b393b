/**
 * One open connection to the database of each running Weir: opening it and reading its schema for every question costs
 * more than the question.
 */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { RunningWeir } from './weir.ts';

type SqlitePlace = Pick<RunningWeir, 'dataFolder' | 'beforeEnd'>;
/** Where a Weir keeps its data, running or not. */
export type Place = SqlitePlace & Pick<RunningWeir, 'databaseUrl'>;

export type TextRow = Readonly<Record<string, string | null>>;

/** By folder. */
const opened = new Map<string, Database>();
/** By URL. */
const connected = new Map<string, Bun.SQL>();

/** The SQLite database. Read-only, and closed before the process ends or the folder is removed; the next question opens another. */
export function keptDatabase(weir: SqlitePlace): Database {
  const known = opened.get(weir.dataFolder);
  if (known !== undefined) return known;
  const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
  database.run('PRAGMA busy_timeout = 60000');
  opened.set(weir.dataFolder, database);
  weir.beforeEnd(async () => {
    opened.delete(weir.dataFolder);
    database.close();
  });
  return database;
}

/** Asks the database of this Weir, whichever it is. */
export async function askDatabase(weir: Place, sql: string): Promise<TextRow[]> {
  if (weir.databaseUrl === undefined) return keptDatabase(weir).query<TextRow, []>(sql).all();
  return (await keptConnection(weir, weir.databaseUrl).unsafe(sql)) as TextRow[];
}

function keptConnection(weir: Place, url: string): Bun.SQL {
  const known = connected.get(url);
  if (known !== undefined) return known;
  const connection = new Bun.SQL(url, { max: 1 });
  connected.set(url, connection);
  weir.beforeEnd(async () => {
    connected.delete(url);
    await connection.close();
  });
  return connection;
}
