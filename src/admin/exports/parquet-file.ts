/**
 * Apache Parquet files of exported requests: plain encoding, one page for each column and row group, compressed with zstd.
 * https://github.com/apache/parquet-format (read 2026-11-17). Why it is written here: docs/decisions/0018-request-export.md.
 */

import type { ExportRowView } from '../contracts/analytics-contract.ts';
import { listText } from '../usage/export-text.ts';
import { exportColumns } from '../usage/request-export.ts';
import { type ThriftStruct, type ThriftValue, thriftBytes } from './thrift-writer.ts';

type ColumnName = (typeof exportColumns)[number];
type ColumnKind = 'text' | 'integer' | 'flag' | 'time';

/** Every column may lack a value. */
const kinds: Readonly<Partial<Record<ColumnName, ColumnKind>>> = {
  at: 'time',
  stream: 'flag',
  attempts: 'integer',
  status: 'integer',
  inputTokens: 'integer',
  outputTokens: 'integer',
  costNano: 'integer',
  estimated: 'flag',
  firstEventMs: 'integer',
  totalMs: 'integer',
  cacheReadTokens: 'integer',
  requests: 'integer',
};
const kindOf = (column: ColumnName): ColumnKind => kinds[column] ?? 'text';

/** Parquet's numbers of physical types, converted types, encodings and codecs. */
const physicalTypes: Readonly<Record<ColumnKind, number>> = { flag: 0, integer: 2, time: 2, text: 6 };
const convertedTypes: Readonly<Partial<Record<ColumnKind, number>>> = { text: 0, time: 9 };
const plain = 0;
const rle = 3;
const zstd = 6;
const optional = 1;
const magic = new TextEncoder().encode('PAR1');

/** So many are in memory at a time, and encoded without a pause. */
const rowsPerGroup = 2_000;

const short = (value: number): ThriftValue => ({ short: value });
const integer = (value: number): ThriftValue => ({ integer: value });

interface WrittenGroup {
  readonly rows: number;
  readonly columns: readonly {
    readonly offset: number;
    readonly bytes: number;
    readonly rawBytes: number;
  }[];
}

export async function* parquetFile(pages: AsyncIterable<readonly ExportRowView[]>): AsyncGenerator<Uint8Array> {
  const groups: WrittenGroup[] = [];
  let offset = magic.length;
  let waiting: ExportRowView[] = [];
  yield magic;
  async function* writeGroup(): AsyncGenerator<Uint8Array> {
    const columns: WrittenGroup['columns'][number][] = [];
    for (const column of exportColumns) {
      const { bytes, rawBytes } = await pageOf(column, waiting);
      columns.push({ offset, bytes: bytes.length, rawBytes });
      offset += bytes.length;
      yield bytes;
    }
    groups.push({ rows: waiting.length, columns });
    waiting = [];
  }
  for await (const rows of pages) {
    waiting.push(...rows);
    if (waiting.length >= rowsPerGroup) yield* writeGroup();
  }
  if (waiting.length > 0) yield* writeGroup();
  const footer = thriftBytes(metadataOf(groups));
  const end = new Uint8Array(8);
  new DataView(end.buffer).setUint32(0, footer.length, true);
  end.set(magic, 4);
  yield footer;
  yield end;
}

/** The page of one column with its header. */
async function pageOf(
  column: ColumnName,
  rows: readonly ExportRowView[],
): Promise<{ readonly bytes: Uint8Array; readonly rawBytes: number }> {
  const values = rows.map((row) => {
    const value = row[column] ?? undefined;
    return Array.isArray(value) ? listText(column, value) : value;
  });
  const raw = Buffer.concat([
    presence(values),
    valuesOf(
      kindOf(column),
      values.filter((value) => value !== undefined),
    ),
  ]);
  const packed = await Bun.zstdCompress(raw);
  const header = thriftBytes([
    [1, short(0)],
    [2, short(raw.length)],
    [3, short(packed.length)],
    [
      5,
      {
        struct: [
          [1, short(values.length)],
          [2, short(plain)],
          [3, short(rle)],
          [4, short(rle)],
        ],
      },
    ],
  ]);
  return { bytes: Buffer.concat([header, packed]), rawBytes: header.length + raw.length };
}

/** Definition levels: one bit for each row, in one run of packed bits. */
function presence(values: readonly unknown[]): Uint8Array {
  const groups = Math.ceil(values.length / 8);
  const run: number[] = [];
  let rest = (groups << 1) | 1;
  for (; rest > 0x7f; rest >>= 7) run.push((rest & 0x7f) | 0x80);
  run.push(rest);
  const bits = packedBits(values.map((value) => value !== undefined));
  const out = Buffer.alloc(4 + run.length + bits.length);
  out.writeUInt32LE(run.length + bits.length);
  out.set(run, 4);
  out.set(bits, 4 + run.length);
  return out;
}

function packedBits(flags: readonly boolean[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [index, flag] of flags.entries())
    if (flag) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits;
}

function valuesOf(kind: ColumnKind, values: readonly unknown[]): Uint8Array {
  if (kind === 'flag') return packedBits(values.map((value) => value === true));
  if (kind === 'text') return Buffer.concat(values.flatMap(textOf));
  const out = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) out.writeBigInt64LE(wholeOf(kind, value), index * 8);
  return out;
}

function textOf(value: unknown): readonly Uint8Array[] {
  const bytes = Buffer.from(String(value));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}

function wholeOf(kind: 'integer' | 'time', value: unknown): bigint {
  if (kind === 'time') return BigInt(Date.parse(String(value)));
  return typeof value === 'string' ? BigInt(value) : BigInt(Math.round(Number(value)));
}

function metadataOf(groups: readonly WrittenGroup[]): ThriftStruct {
  const schema: ThriftValue[] = [
    {
      struct: [
        [4, { text: 'requests' }],
        [5, short(exportColumns.length)],
      ],
    },
  ];
  for (const column of exportColumns) {
    const kind = kindOf(column);
    const converted = convertedTypes[kind];
    const fields: ThriftStruct = [
      [1, short(physicalTypes[kind])],
      [3, short(optional)],
      [4, { text: column }],
      ...(converted === undefined ? [] : [[6, short(converted)] as const]),
    ];
    schema.push({ struct: fields });
  }
  return [
    [1, short(1)],
    [2, { list: schema }],
    [3, integer(groups.reduce((sum, { rows }) => sum + rows, 0))],
    [4, { list: groups.map((group) => ({ struct: groupOf(group) })) }],
    [6, { text: 'weir' }],
  ];
}

function groupOf({ rows, columns }: WrittenGroup): ThriftStruct {
  const chunks = columns.map(({ offset, bytes, rawBytes }, index): ThriftValue => {
    const column = exportColumns[index] ?? 'requestId';
    const facts: ThriftStruct = [
      [1, short(physicalTypes[kindOf(column)])],
      [2, { list: [short(plain), short(rle)] }],
      [3, { list: [{ text: column }] }],
      [4, short(zstd)],
      [5, integer(rows)],
      [6, integer(rawBytes)],
      [7, integer(bytes)],
      [9, integer(offset)],
    ];
    return {
      struct: [
        [2, integer(offset)],
        [3, { struct: facts }],
      ],
    };
  });
  const total = columns.reduce((sum, { rawBytes }) => sum + rawBytes, 0);
  return [
    [1, { list: chunks }],
    [2, integer(total)],
    [3, integer(rows)],
  ];
}
