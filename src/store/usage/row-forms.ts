/** How tokens and usage rows look between their typed form and the cells that travel to the database. */

import type { BudgetPeriod, TokenRecord, TokenTerms } from '../../access/caller.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { UsageRow } from '../../ledger/ledger.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { moneyCell } from '../sql/statement.ts';
import type { TokenCells } from '../tokens/token-queries.ts';
import type { UsageCells } from './usage-queries.ts';

/** Names come from callers: a row stays small, and PostgreSQL takes no NUL. */
const nameLengthMax = 256;

/** Names that were looked at before and need no change: the same few come with every request. */
const plainNames = new Set<string>();
const plainNamesMax = 1_000;

export function storableName(text: string): string {
  if (plainNames.has(text)) return text;
  const storable = madeStorable(text);
  if (storable === text && plainNames.size < plainNamesMax) plainNames.add(text);
  return storable;
}

function madeStorable(text: string): string {
  const short = text.length > nameLengthMax ? text.slice(0, nameLengthMax) : text;
  return short.includes('\0') ? short.replaceAll('\0', '\u{fffd}').toWellFormed() : short.toWellFormed();
}

/** Counts and times are whole numbers in the database, whatever a provider or a clock said. */
function whole(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Math.round(value);
}

export function usageCells(row: UsageRow): UsageCells {
  const { input, output } = row.usage;
  return [
    row.requestId,
    Math.round(row.atMs),
    row.tokenId,
    storableName(row.endpoint),
    storableName(row.model),
    storableName(row.provider),
    storableName(row.upstreamModel),
    row.stream ? 1 : 0,
    row.attempts,
    row.status,
    storableName(row.code),
    whole(input.total),
    whole(input.fresh),
    whole(input.cacheRead),
    whole(input.cacheWrite),
    whole(input.audio),
    whole(input.image),
    whole(output.total),
    whole(output.text),
    whole(output.thinking),
    whole(output.audio),
    whole(output.image),
    moneyCell(row.costNano),
    row.estimated ? 1 : 0,
    row.priceVersion,
    whole(row.firstEventMs),
    whole(row.totalMs) ?? 0,
    whole(row.bytesIn) ?? 0,
    whole(row.bytesOut) ?? 0,
    row.priceName ?? null,
    writeUnits(row),
    row.way ?? null,
  ];
}

export function usageRow(cells: UsageCells): UsageRow {
  const text = (at: number): string => String(cells[at] ?? '');
  const number = (at: number): number => Number(cells[at] ?? 0);
  const firstEvent = cells[25];
  const [priceName, units, way] = [cells[29], cells[30], cells[31]];
  const { more, ...used } = readUnits(units);
  return {
    requestId: text(0),
    atMs: number(1),
    tokenId: text(2),
    endpoint: text(3),
    model: text(4),
    provider: text(5),
    upstreamModel: text(6),
    stream: number(7) === 1,
    attempts: number(8),
    status: number(9),
    code: text(10),
    usage: readUsage(cells, more),
    costNano: BigInt(cells[22] ?? 0),
    estimated: number(23) === 1,
    priceVersion: text(24),
    ...(firstEvent === null || firstEvent === undefined ? {} : { firstEventMs: Number(firstEvent) }),
    totalMs: number(26),
    bytesIn: number(27),
    bytesOut: number(28),
    ...(priceName === null || priceName === undefined ? {} : { priceName: String(priceName) }),
    ...(Object.keys(used).length > 0 && { units: used }),
    ...(way === null || way === undefined ? {} : { way: String(way) }),
  };
}

/** Classes of tokens without a column of their own, which few requests use. */
interface MoreUsage {
  readonly input?: Partial<Usage['input']>;
  readonly output?: Partial<Usage['output']>;
  readonly serviceTier?: Usage['serviceTier'];
}

/** Nothing where there are none: most requests use tokens of the usual classes only. */
function writeUnits({ units, usage }: UsageRow): string | null {
  const more = moreOf(usage);
  if (units === undefined && more === undefined) return null;
  const text = JSON.stringify({ ...units, tokens: undefined, more });
  return text === '{}' ? null : text;
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

/** What was used beside tokens, as it lies in the database. */
export function readUnits(cell: UsageCells[number] | undefined): Consumption & { readonly more?: MoreUsage } {
  return cell === null || cell === undefined ? {} : (JSON.parse(String(cell)) as Consumption);
}

function readUsage(cells: UsageCells, more: MoreUsage | undefined): Usage {
  const input = known(cells, 11, ['total', 'fresh', 'cacheRead', 'cacheWrite', 'audio', 'image']);
  const output = known(cells, 17, ['total', 'text', 'thinking', 'audio', 'image']);
  if (more === undefined) return { input, output };
  return {
    input: { ...input, ...more.input },
    output: { ...output, ...more.output },
    ...(more.serviceTier !== undefined && { serviceTier: more.serviceTier }),
  };
}

/** Only the classes that the provider reported: absent never means zero. */
function known(cells: UsageCells, from: number, names: readonly string[]): Usage['input'] & Usage['output'] {
  const counts: Record<string, number> = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[from + index];
    if (cell !== null && cell !== undefined) counts[name] = Number(cell);
  }
  return counts;
}

/** JSON has no big integers, so the budget's limit is written as digits. */
export function termsJson(terms: TokenTerms): string {
  const { budget, ...rest } = terms;
  return JSON.stringify(
    budget === undefined
      ? rest
      : { ...rest, budget: { limitNano: budget.limitNano.toString(), period: budget.period } },
  );
}

function readTerms(json: string): TokenTerms {
  const { budget, ...rest } = JSON.parse(json) as Omit<TokenTerms, 'budget'> & {
    budget?: { limitNano: string; period: BudgetPeriod };
  };
  if (budget === undefined) return rest;
  return { ...rest, budget: { limitNano: BigInt(budget.limitNano), period: budget.period } };
}

export function tokenRecord(cells: TokenCells): TokenRecord & { readonly secretValidUntilMs?: number } {
  const [id, hint, terms, createdAtMs, revokedAtMs, secretValidUntilMs, ownerId] = cells;
  return {
    id,
    hint,
    createdAtMs,
    ...(revokedAtMs === null ? {} : { revokedAtMs }),
    terms: readTerms(terms),
    ...(secretValidUntilMs === null ? {} : { secretValidUntilMs }),
    ...(ownerId === null ? {} : { ownerId }),
  };
}
