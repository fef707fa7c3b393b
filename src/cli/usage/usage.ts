/** `weir usage`: the latest requests, sums by any dimension or by day, or one request with its trail. */

import {
  dimensions,
  type UsageGrouping,
  type UsageRowView,
  type UsageSumView,
  usageGroupings,
} from '../../admin/contracts/contract.ts';
import { type UsageAdmin, type UsageFilter, usageLimitMax } from '../../admin/usage/usage.ts';
import { ArgumentError, type Arguments, type CommandWords, readArguments } from '../arguments.ts';
import { exitCodes, type Output, printJson, reportMistakes } from '../output.ts';
import { unpricedText } from '../prices/unpriced.ts';
import { alignedTable, printable } from '../table.ts';
import { costText, rowNotes, sumNotes } from './usage-cost.ts';
import { requestText } from './usage-request.ts';

interface UsageCommandDependencies extends Output {
  readonly usage: UsageAdmin;
  readonly nowMs: () => number;
}

const usage = `Usage:
  weir usage [--by DIMENSION|day] [--since ISO|30m|24h|7d|4w] [--limit N] [--json]
  weir usage --unpriced [--since ISO|24h|7d|4w] [--limit N] [--json]
  weir usage show REQUEST_ID [--json]

Without --by it lists the latest requests, with it sums (of the last 30 days unless --since says otherwise).
DIMENSION is one of ${dimensions.join(', ')}.
\`--unpriced\` lists the models that were used without a known price, and the lines of weir.yaml that set one.
\`show\` tells what one request (its x-request-id) went through: every attempt with its provider, model, key and verdict.`;

const words: CommandWords = {
  usage,
  flags: { by: 'value', since: 'value', limit: 'value', unpriced: 'switch', json: 'switch' },
};

const showWords: CommandWords = { usage, flags: { json: 'switch' }, operandsMin: 1 };

const dayMs = 24 * 60 * 60 * 1_000;
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };
const rowsDefault = 20;
const sumsDefault = 100;

export function usageCommand(dependencies: UsageCommandDependencies, argv: readonly string[]): Promise<number> {
  return reportMistakes(dependencies, async () => {
    const isShow = argv[0] === 'show';
    const given = isShow ? readArguments(showWords, argv.slice(1)) : readArguments(words, argv);
    if (given.help) {
      dependencies.out(`${usage}\n`);
      return exitCodes.done;
    }
    if (isShow) return printRequest(dependencies, given.operands[0] ?? '', given.has('json'));
    const grouping = groupingFrom(given);
    if (given.has('unpriced')) await printUnpriced(dependencies, given, grouping);
    else if (grouping === undefined) await printRows(dependencies, given);
    else await printSums(dependencies, given, grouping);
    return exitCodes.done;
  });
}

async function printRows(dependencies: UsageCommandDependencies, given: Arguments): Promise<void> {
  const rows = await dependencies.usage.list(filterFrom(given, dependencies.nowMs()), limitFrom(given, rowsDefault));
  if (given.has('json')) return printJson(dependencies, rows);
  if (rows.length === 0) return sayNothing(dependencies, given);
  dependencies.out(rowTable(rows) + rowNotes(rows));
}

async function printRequest(dependencies: UsageCommandDependencies, id: string, asJson: boolean): Promise<number> {
  const view = await dependencies.usage.show(id);
  if (view === undefined) {
    dependencies.err(`No request ${printable(id)} is known. Its id is the reply's x-request-id.\n`);
    return exitCodes.failed;
  }
  if (asJson) printJson(dependencies, view);
  else dependencies.out(requestText(view));
  return exitCodes.done;
}

async function printSums(
  dependencies: UsageCommandDependencies,
  given: Arguments,
  grouping: UsageGrouping,
): Promise<void> {
  const filter = filterFrom(given, dependencies.nowMs(), 30 * dayMs);
  const sums = await dependencies.usage.sum(grouping, filter, limitFrom(given, sumsDefault));
  if (given.has('json')) return printJson(dependencies, sums);
  if (sums.length === 0) return sayNothing(dependencies, given);
  dependencies.out(sumTable(grouping, sums) + sumNotes(sums));
}

async function printUnpriced(
  dependencies: UsageCommandDependencies,
  given: Arguments,
  grouping: UsageGrouping | undefined,
): Promise<void> {
  if (grouping !== undefined) throw new ArgumentError('--unpriced and --by do not go together.', usage);
  const nowMs = dependencies.nowMs();
  const { fromMs = 0 } = filterFrom(given, nowMs, 30 * dayMs);
  const models = await dependencies.usage.unpriced(fromMs, nowMs, limitFrom(given, sumsDefault));
  if (given.has('json')) return printJson(dependencies, models);
  if (models.length === 0) return dependencies.err('Everything that was used in that time has a price.\n');
  dependencies.out(unpricedText(models));
}

function sayNothing({ err }: Output, given: Arguments): void {
  if (given.has('since')) err('Nothing was used in that time.\n');
  else err('Nothing was used yet. The first request shows up here as soon as it has ended.\n');
}

function groupingFrom(given: Arguments): UsageGrouping | undefined {
  const text = given.valueOf('by');
  const grouping = usageGroupings.find((known) => known === text);
  if (text !== undefined && grouping === undefined) {
    throw new ArgumentError(`--by must be one of ${usageGroupings.join(', ')}.`, usage);
  }
  return grouping;
}

function filterFrom(given: Arguments, nowMs: number, fallbackMs?: number): UsageFilter {
  const text = given.valueOf('since');
  if (text === undefined) return fallbackMs === undefined ? {} : { fromMs: nowMs - fallbackMs };
  const span = /^([0-9]{1,6})([mhdw])$/.exec(text);
  const spanMs = span === null ? undefined : Number(span[1]) * (unitMs[span[2] ?? ''] ?? Number.NaN);
  const fromMs = spanMs === undefined ? isoMs(text) : nowMs - spanMs;
  if (Number.isNaN(fromMs)) {
    throw new ArgumentError('--since must be a span such as 24h or 7d, or a date such as 2030-01-31.', usage);
  }
  return { fromMs };
}

/** A bare number is a year to the date parser; here it is a span without its unit. */
function isoMs(text: string): number {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
}

function limitFrom(given: Arguments, fallback: number): number {
  const text = given.valueOf('limit');
  if (text === undefined) return fallback;
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > usageLimitMax) {
    throw new ArgumentError(`--limit must be a whole number from 1 to ${usageLimitMax}.`, usage);
  }
  return limit;
}

const countText = (count: number | undefined): string => (count === undefined ? '?' : String(count));

function rowTable(rows: readonly UsageRowView[]): string {
  return alignedTable(
    [
      { title: 'TIME (UTC)' },
      { title: 'MODEL' },
      { title: 'PROVIDER' },
      { title: 'STATUS' },
      { title: 'INPUT', align: 'right' },
      { title: 'OUTPUT', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'MS', align: 'right' },
      { title: 'REQUEST' },
    ],
    rows.map((row) => [
      row.at.slice(0, 19).replace('T', ' '),
      row.model,
      row.provider || '-',
      row.code === '' ? String(row.status) : `${row.status} ${row.code}`,
      countText(row.inputTokens),
      countText(row.outputTokens),
      costText(row),
      String(Math.round(row.totalMs)),
      row.requestId,
    ]),
  );
}

function sumTable(grouping: UsageGrouping, sums: readonly UsageSumView[]): string {
  // Costs leave something out.
  const isShort = sums.some(({ unpriced }) => unpriced > 0);
  return alignedTable(
    [
      { title: grouping.toUpperCase() },
      { title: 'REQUESTS', align: 'right' },
      { title: 'FAILED', align: 'right' },
      { title: 'INPUT', align: 'right' },
      { title: 'OUTPUT', align: 'right' },
      { title: 'COST', align: 'right' },
      ...(isShort ? [{ title: 'UNPRICED', align: 'right' } as const] : []),
    ],
    sums.map((sum) => [
      sum.label || '-',
      String(sum.requests),
      String(sum.failures),
      String(sum.inputTokens),
      String(sum.outputTokens),
      costText(sum),
      ...(isShort ? [String(sum.unpriced)] : []),
    ]),
  );
}
