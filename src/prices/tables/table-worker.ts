/** The worker thread that reads large price tables: a second of work on the event loop would delay every stream. */

import { readTable } from './read-table.ts';
import type { PriceTable, TableEntry } from './table.ts';
import { TableError } from './table-error.ts';

declare const self: Worker;

export type TableRow = readonly [host: string, model: string, entry: TableEntry];

/** What the thread answers, in this order; an error ends it. */
export type TableAnswer =
  | { readonly kind: 'table'; readonly about: Pick<PriceTable, 'source' | 'version' | 'asOf' | 'unread' | 'leftOut'> }
  | { readonly kind: 'rows'; readonly rows: readonly TableRow[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'wrong'; readonly message: string };

/** So few that taking them over takes a millisecond. */
const rowsPerMessage = 100;

self.onmessage = ({ data: text }: MessageEvent<string>): void => {
  const answer = (message: TableAnswer): void => self.postMessage(message);
  try {
    const { source, version, asOf, unread, leftOut, ...table } = readTable(text);
    answer({ kind: 'table', about: { source, version, unread, leftOut, ...(asOf !== undefined && { asOf }) } });
    // The names in that format are rules, which cannot be sent to another thread; it is small, and was checked here.
    if (source !== 'genai-prices') {
      let rows: TableRow[] = [];
      for (const row of table.entries(0)) {
        rows.push(row);
        if (rows.length < rowsPerMessage) continue;
        answer({ kind: 'rows', rows });
        rows = [];
      }
      answer({ kind: 'rows', rows });
    }
    answer({ kind: 'end' });
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    answer({ kind: 'wrong', message: error.message });
  }
};
