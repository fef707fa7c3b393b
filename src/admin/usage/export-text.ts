/** Requests as the text of a file: CSV for tables, JSON for programs. */

import type { AnalyzedRowView } from '../contracts/analytics-contract.ts';

const columns = [
  'requestId',
  'at',
  'tokenId',
  'tokenName',
  'endpoint',
  'model',
  'provider',
  'upstreamModel',
  'stream',
  'attempts',
  'status',
  'code',
  'inputTokens',
  'outputTokens',
  'costUsd',
  'costNano',
  'estimated',
  'firstEventMs',
  'totalMs',
  'priceVersion',
  'requests',
] as const satisfies readonly (keyof AnalyzedRowView)[];

export async function* csvText(pages: AsyncIterable<readonly AnalyzedRowView[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const rows of pages) {
    yield rows.map((row) => `${csvLine(row)}\r\n`).join('');
  }
}

const csvLine = (view: AnalyzedRowView): string => columns.map((column) => csvCell(view[column])).join(',');

/** A name that a caller made up must not become a formula in a spreadsheet. */
function csvCell(value: string | number | boolean | null | undefined): string {
  const text = String(value ?? '');
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One array, a row on each line. */
export async function* jsonText(pages: AsyncIterable<readonly AnalyzedRowView[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of pages) {
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
