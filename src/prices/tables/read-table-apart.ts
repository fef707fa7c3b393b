/**
 * Reads a price table without blocking the event loop: a large one in a worker thread, which returns it in small parts.
 */

import { threadUrl } from '../../program/places.ts';
import { TableRows } from './map-table.ts';
import { readTable } from './read-table.ts';
import type { PriceTable } from './table.ts';
import { TableError } from './table-error.ts';
import type { TableAnswer } from './table-worker.ts';

/** Smaller ones take less time than a thread does to start. */
const charactersInline = 65_536;
const timeoutMs = 60_000;

/** As `readTable` does; rejects with its errors. */
export async function readTableApart(text: string): Promise<PriceTable> {
  if (text.length <= charactersInline) return readTable(text);
  const worker = new Worker(threadUrl('prices/tables/table-worker.ts'));
  const { promise, resolve, reject } = Promise.withResolvers<PriceTable>();
  const timer = setTimeout(() => reject(new TableError([], 'It could not be read within a minute.')), timeoutMs);
  const rows = new TableRows();
  let about: Extract<TableAnswer, { kind: 'table' }>['about'] | undefined;
  worker.onmessage = ({ data }: MessageEvent<TableAnswer>) => {
    if (data.kind === 'wrong') reject(new TableError([], data.message));
    else if (data.kind === 'table') about = data.about;
    else if (data.kind === 'rows') for (const row of data.rows) rows.add(...row);
    else if (about?.source === 'genai-prices') resolve(readTable(text));
    else if (about !== undefined) resolve({ ...rows.table(about), ...about });
  };
  worker.onerror = ({ message }) => reject(new Error(`The table could not be read: ${message}`));
  worker.postMessage(text);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
