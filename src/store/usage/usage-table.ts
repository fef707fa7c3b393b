/** The table `usage_rows`: one row for each request, and the record that the ledger makes of it. */

import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { type Cells, nullable, packed } from '../sql/packed.ts';
import { moneyCell } from '../sql/statement.ts';
import { storableName, storableText } from '../sql/storable-text.ts';
import { type Codec, integer, money, text } from '../sql/table.ts';

/** A row as it travels: its cells, in the order of the declaration. */
export type UsageCells = Cells;

const optionalText = nullable(text);
const optionalInteger = nullable(integer);
/** A text that entries of earlier journals lack. */
const laterText: Codec<string> = { type: 'TEXT', bind: (value: string | null) => value ?? '', read: text.read };

/** Longer ones are cut: ids of agents begin with what identifies the person. */
const endUserLengthMax = 64;

/** Users are many, so that they have no place among the names that are remembered. */
export const storableUser = (user: string | undefined): string =>
  user === undefined ? '' : storableText(user.slice(0, endUserLengthMax));

/** Counts and times are whole numbers in the database, whatever a provider or a clock returned. */
function whole(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Math.round(value);
}

/** A new column goes to the end: the journal keeps cells in this order (`journal/entries.ts`). */
export const usageTable = packed(
  {
    requestId: text,
    atMs: integer,
    tokenId: text,
    endpoint: text,
    model: text,
    provider: text,
    upstreamModel: text,
    stream: integer,
    attempts: integer,
    status: integer,
    code: text,
    // Counts of tokens are NULL where the provider did not report them.
    inputTotal: optionalInteger,
    inputFresh: optionalInteger,
    inputCacheRead: optionalInteger,
    inputCacheWrite: optionalInteger,
    inputAudio: optionalInteger,
    inputImage: optionalInteger,
    outputTotal: optionalInteger,
    outputText: optionalInteger,
    outputThinking: optionalInteger,
    outputAudio: optionalInteger,
    outputImage: optionalInteger,
    costNano: money,
    estimated: integer,
    priceVersion: text,
    firstEventMs: optionalInteger,
    totalMs: integer,
    bytesIn: integer,
    bytesOut: integer,
    priceName: optionalText,
    units: optionalText,
    way: optionalText,
    endUser: laterText,
    keyId: laterText,
    // NULL: the row is one request.
    requests: optionalInteger,
    // `,a,b,`: a tag is found between its commas.
    tags: laterText,
  },
  (row: UsageRow) => ({
    requestId: row.requestId,
    atMs: Math.round(row.atMs),
    tokenId: row.tokenId,
    endpoint: storableName(row.endpoint),
    model: storableName(row.model),
    provider: storableName(row.provider),
    upstreamModel: storableName(row.upstreamModel),
    stream: row.stream ? 1 : 0,
    attempts: row.attempts,
    status: row.status,
    code: storableName(row.code),
    inputTotal: whole(row.usage.input.total),
    inputFresh: whole(row.usage.input.fresh),
    inputCacheRead: whole(row.usage.input.cacheRead),
    inputCacheWrite: whole(row.usage.input.cacheWrite),
    inputAudio: whole(row.usage.input.audio),
    inputImage: whole(row.usage.input.image),
    outputTotal: whole(row.usage.output.total),
    outputText: whole(row.usage.output.text),
    outputThinking: whole(row.usage.output.thinking),
    outputAudio: whole(row.usage.output.audio),
    outputImage: whole(row.usage.output.image),
    costNano: moneyCell(row.costNano),
    estimated: row.estimated ? 1 : 0,
    priceVersion: row.priceVersion,
    firstEventMs: whole(row.firstEventMs),
    totalMs: whole(row.totalMs) ?? 0,
    bytesIn: whole(row.bytesIn) ?? 0,
    bytesOut: whole(row.bytesOut) ?? 0,
    priceName: row.priceName ?? null,
    units: writeUnits(row),
    way: row.way ?? null,
    endUser: storableUser(row.endUser),
    keyId: storableName(row.keyId ?? ''),
    requests: whole(row.requests),
    tags: row.tags === undefined ? '' : storableText(`,${row.tags.join(',')},`),
  }),
);

export function usageRecord(cells: UsageCells): UsageRow {
  const row = usageTable.named(cells);
  const { more, ...units } = readUnits(row.units);
  return {
    requestId: row.requestId,
    atMs: row.atMs,
    tokenId: row.tokenId,
    endpoint: row.endpoint,
    model: row.model,
    provider: row.provider,
    upstreamModel: row.upstreamModel,
    stream: row.stream === 1,
    attempts: row.attempts,
    status: row.status,
    code: row.code,
    usage: readUsage(row, more),
    costNano: BigInt(row.costNano),
    estimated: row.estimated === 1,
    priceVersion: row.priceVersion,
    totalMs: row.totalMs,
    bytesIn: row.bytesIn,
    bytesOut: row.bytesOut,
    ...(row.firstEventMs !== null && { firstEventMs: row.firstEventMs }),
    ...(row.priceName !== null && { priceName: row.priceName }),
    ...(Object.keys(units).length > 0 && { units }),
    ...(row.way !== null && { way: row.way }),
    ...(row.endUser !== '' && { endUser: row.endUser }),
    ...(row.keyId !== '' && { keyId: row.keyId }),
    ...(row.requests !== null && { requests: row.requests }),
    ...(row.tags !== '' && { tags: row.tags.slice(1, -1).split(',') }),
  };
}

type NamedUsage = ReturnType<typeof usageTable.named>;

function readUsage(row: NamedUsage, more: MoreUsage | undefined): Usage {
  const input = reported({
    total: row.inputTotal,
    fresh: row.inputFresh,
    cacheRead: row.inputCacheRead,
    cacheWrite: row.inputCacheWrite,
    audio: row.inputAudio,
    image: row.inputImage,
  });
  const output = reported({
    total: row.outputTotal,
    text: row.outputText,
    thinking: row.outputThinking,
    audio: row.outputAudio,
    image: row.outputImage,
  });
  if (more === undefined) return { input, output };
  return {
    input: { ...input, ...more.input },
    output: { ...output, ...more.output },
    ...(more.serviceTier !== undefined && { serviceTier: more.serviceTier }),
  };
}

/** Only the classes that the provider reported: absent never means zero. */
function reported<Name extends string>(counts: Readonly<Record<Name, number | null>>): Partial<Record<Name, number>> {
  const known = Object.entries(counts).filter((entry) => entry[1] !== null);
  return Object.fromEntries(known) as Partial<Record<Name, number>>;
}

/** Classes of tokens without a column of their own, which few requests use. */
interface MoreUsage {
  readonly input?: Partial<Usage['input']>;
  readonly output?: Partial<Usage['output']>;
  readonly serviceTier?: Usage['serviceTier'];
}

/** Null where there are none: most requests use tokens of the usual classes only. */
function writeUnits({ units, usage }: UsageRow): string | null {
  const more = moreOf(usage);
  if (units === undefined && more === undefined) return null;
  const written = JSON.stringify({ ...units, tokens: undefined, more });
  return written === '{}' ? null : written;
}

function moreOf({ input, output, serviceTier }: Usage): MoreUsage | undefined {
  const { cacheWrite1h, video, cachedAudio, cachedImage, cachedVideo } = input;
  const read = cacheWrite1h ?? video ?? cachedAudio ?? cachedImage ?? cachedVideo;
  if (read === undefined && output.video === undefined && serviceTier === undefined) return undefined;
  return {
    ...(read !== undefined && { input: { cacheWrite1h, video, cachedAudio, cachedImage, cachedVideo } }),
    ...(output.video !== undefined && { output: { video: output.video } }),
    ...(serviceTier !== undefined && { serviceTier }),
  };
}

/** What was used beside tokens, as the column `units` has it. */
export function readUnits(cell: string | null): Consumption & { readonly more?: MoreUsage } {
  return cell === null ? {} : (JSON.parse(cell) as Consumption);
}

/** The usage of a row whose request reported none. */
export const nothingReported = {
  ...{ inputTotal: null, inputFresh: null, inputCacheRead: null, inputCacheWrite: null },
  ...{ inputAudio: null, inputImage: null },
  ...{ outputTotal: null, outputText: null, outputThinking: null, outputAudio: null, outputImage: null },
  ...{ firstEventMs: null, priceName: null, units: null, way: null, endUser: '', requests: null, tags: '' },
} as const;
