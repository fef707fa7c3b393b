/** Files of our own writer, read by a reader of others. */

import { expect, test } from 'bun:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { ExportRowView } from '../contracts/analytics-contract.ts';
import { exportColumns } from '../usage/request-export.ts';
import { parquetFile } from './parquet-file.ts';

const rowOf = (index: number): ExportRowView => ({
  requestId: `req_${index}`,
  at: new Date(Date.UTC(2026, 10, 17, 10, 0, 0, index)).toISOString(),
  tokenId: 'tok',
  endpoint: 'chat',
  model: index % 3 === 0 ? 'modèle, "中文"' : 'm',
  provider: '',
  upstreamModel: 'm',
  stream: index % 2 === 0,
  attempts: 1,
  status: 200,
  code: '',
  ...(index % 5 !== 0 && { inputTokens: index, outputTokens: 2_147_483_648 + index }),
  costUsd: index % 4 === 0 ? null : '0.000000001',
  costNano: index % 4 === 0 ? null : `${9_007_199_254_740_993n + BigInt(index)}`,
  estimated: false,
  totalMs: 7,
  ...(index % 7 === 0 && { labels: ['a', 'b'] }),
});

async function fileOf(...pages: readonly (readonly ExportRowView[])[]): Promise<ArrayBuffer> {
  async function* given() {
    yield* pages;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of parquetFile(given())) pieces.push(piece);
  return Uint8Array.from(Buffer.concat(pieces)).buffer;
}

const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(Bun.zstdDecompressSync(input)) };

/** What the columns hold of a row. */
function expected(row: ExportRowView): Record<string, unknown> {
  const whole = (value: unknown): bigint | undefined => (value === undefined ? undefined : BigInt(value as number));
  const values: Record<string, unknown> = {
    ...row,
    at: new Date(row.at),
    labels: row.labels?.join(' '),
    costNano: row.costNano === null ? undefined : BigInt(row.costNano),
    costUsd: row.costUsd ?? undefined,
  };
  for (const name of ['attempts', 'status', 'inputTokens', 'outputTokens', 'totalMs'])
    values[name] = whole(values[name]);
  return Object.fromEntries(exportColumns.map((column) => [column, values[column] ?? null]));
}

test('every value of every row comes back, over several row groups', async () => {
  const rows = Array.from({ length: 4_503 }, (_, index) => rowOf(index));
  const pages = Array.from({ length: 10 }, (_, page) => rows.slice(page * 500, page * 500 + 500));
  const file = await fileOf(...pages);
  const metadata = parquetMetadata(file);
  expect([metadata.num_rows, metadata.row_groups.length]).toEqual([4_503n, 3]);
  const read = await parquetReadObjects({ file, compressors });
  const shown = read.map((row) => Object.fromEntries(exportColumns.map((column) => [column, row[column] ?? null])));
  expect(shown).toEqual(rows.map(expected));
});

test('a file without rows is a file', async () => {
  const file = await fileOf();
  expect(parquetMetadata(file).num_rows).toBe(0n);
  expect(await parquetReadObjects({ file, compressors })).toEqual([]);
});
