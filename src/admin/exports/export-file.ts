/** One period of requests as the bytes of a file, in the format that was asked for, page by page. */

import type { UsageRow } from '../../ledger/ledger.ts';
import type { ExportRowView } from '../contracts/analytics-contract.ts';
import { csvTable } from '../usage/export-text.ts';
import { exportColumns, exportRows, type RequestExportParts } from '../usage/request-export.ts';
import { parquetFile } from './parquet-file.ts';

export type FileFormat = 'jsonl' | 'csv' | 'parquet';

export const mediaTypes: Readonly<Record<FileFormat, string>> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
};

interface ExportFile {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** When all pieces were read. */
  rowCount(): number;
}

export function exportFile(
  parts: RequestExportParts,
  pages: AsyncIterable<readonly UsageRow[]>,
  format: FileFormat,
): ExportFile {
  let rowCount = 0;
  async function* counted(): AsyncGenerator<readonly ExportRowView[]> {
    for await (const rows of exportRows(parts, pages)) {
      rowCount += rows.length;
      yield rows;
    }
  }
  return { pieces: piecesOf(counted(), format), rowCount: () => rowCount };
}

function piecesOf(pages: AsyncIterable<readonly ExportRowView[]>, format: FileFormat): AsyncIterable<Uint8Array> {
  if (format === 'parquet') return parquetFile(pages);
  return encoded(format === 'csv' ? csvTable(exportColumns, pages) : jsonLines(pages));
}

async function* jsonLines(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
