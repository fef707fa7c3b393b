/** Sums as a file, for invoices: by a day or a month, and by any dimensions together. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type {
  AnalyticsFilter,
  AnalyticsStore,
  GroupColumn,
  Range,
  UsageFigures,
} from '../../store/analytics/analytics-store.ts';
import type { TokenFacts, TokenStore } from '../../store/tokens/token-store.ts';
import { analyticsBounds, type Dimension, type ExportForm, type SumColumn } from '../contracts/analytics-contract.ts';
import { dayMs, weekMs } from './buckets.ts';
import { sumCost } from './cost-views.ts';
import { columnOf, dimensionSources, factsOf, valuesOf } from './dimensions.ts';
import { csvTable, type ExportRecord, jsonText } from './export-text.ts';
import { minus, noFigures, plus } from './figure-views.ts';

interface SumExportParts {
  readonly analytics: Pick<AnalyticsStore, 'jointGroups' | 'series' | 'total'>;
  readonly tokens: Pick<TokenStore, 'facts'>;
}

export interface SumExportQuestion {
  readonly by: readonly SumColumn[];
  readonly range: Range;
  readonly filter: AnalyticsFilter;
  readonly form: ExportForm;
}

/** What is beyond the rows of one period. */
const othersKey = '(others)';
/** Of tokens, that an export remembers. */
const factsMax = 10_000;

/** Columns whose values are ids, with the name that people know them by. */
const nameColumns: Partial<Readonly<Record<SumColumn, string>>> = {
  token: 'token_name',
  owner: 'owner_name',
  team: 'team_name',
  project: 'project_name',
};

const figureColumns = [
  ...['requests', 'failures', 'input_tokens', 'cache_read_tokens', 'output_tokens'],
  ...['cost_usd', 'unpriced'],
] as const;

export function sumExport(parts: SumExportParts, question: SumExportQuestion): AsyncIterable<string> {
  check(question.by);
  const columns = question.by.flatMap((column) => {
    const name = nameColumns[column];
    return name === undefined ? [column] : [column, name];
  });
  const rows = records(parts, question);
  return question.form === 'csv' ? csvTable([...columns, ...figureColumns], rows) : jsonText(rows);
}

function check(by: readonly SumColumn[]): void {
  const invalid = (rule: string): GatewayError => new GatewayError('field_invalid', `by: ${rule}`, { param: 'by' });
  if (by.length === 0) throw invalid('must name at least one column');
  if (new Set(by).size < by.length) throw invalid('must name each column once');
  if (by.includes('day') && by.includes('month')) throw invalid('must name day or month, not both');
}

/** One batch a period: what is in memory at once does not depend on how long the range is. */
async function* records(
  { analytics, tokens }: SumExportParts,
  { by, range, filter }: SumExportQuestion,
): AsyncGenerator<readonly ExportRecord[]> {
  const dimensions = by.filter((column): column is Dimension => column !== 'day' && column !== 'month');
  const columns = [...new Set(dimensions.map(columnOf))];
  const known = new Map<string, TokenFacts>();
  const weeks = (await analytics.series(range, 'week', filter)).map(({ startMs }) => startMs);
  for (const { name, ...period } of periodsOf(range, by)) {
    // Most of a long range may be from before the first request.
    if (!weeks.some((startMs) => startMs < period.toMs && startMs + weekMs > period.fromMs)) continue;
    const found = await analytics.jointGroups(columns, period, filter, analyticsBounds.sumRowsMax);
    if (found.length === 0) continue;
    const tokenAt = columns.indexOf('token_id');
    if (tokenAt !== -1)
      await learn(
        tokens,
        known,
        found.map(({ keys }) => keys[tokenAt] ?? ''),
      );
    const folded = fold(found, { dimensions, columns, known });
    if (found.length === analyticsBounds.sumRowsMax) {
      const covered = found.reduce<UsageFigures>(plus, noFigures);
      const sum = minus(await analytics.total(period, filter), covered);
      const unnamed = dimensions.map(() => othersKey);
      if (sum.requests > 0) folded.push({ values: unnamed, names: unnamed, sum });
    }
    yield folded.map(({ values, names, sum }) => recordOf({ by, dimensions, period: name }, values, names, sum));
  }
}

interface Folded {
  readonly values: readonly string[];
  readonly names: readonly string[];
  readonly sum: UsageFigures;
}

interface Folding {
  readonly dimensions: readonly Dimension[];
  readonly columns: readonly GroupColumn[];
  readonly known: ReadonlyMap<string, TokenFacts>;
}

/** Properties of tokens take the place of the tokens; a request counts once for each of several labels or tags. */
function fold(
  found: readonly (UsageFigures & { readonly keys: readonly string[] })[],
  { dimensions, columns, known }: Folding,
): Folded[] {
  const folded = new Map<string, Folded>();
  for (const { keys, ...figures } of found) {
    const token = known.get(keys[columns.indexOf('token_id')] ?? '');
    let combinations: readonly (readonly string[])[] = [[]];
    for (const dimension of dimensions) {
      const values = valuesOf(dimension, keys[columns.indexOf(columnOf(dimension))] ?? '', token);
      combinations = combinations.flatMap((before) => values.map((value) => [...before, value]));
    }
    for (const values of combinations) {
      const name = values.join('\0');
      const names = dimensions.map((dimension, at) => nameOf(dimension, values[at] ?? '', token));
      const sum = plus(folded.get(name)?.sum ?? noFigures, figures);
      folded.set(name, { values, names, sum });
    }
  }
  return [...folded].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function nameOf(dimension: Dimension, value: string, token: TokenFacts | undefined): string {
  if (value === '' || token === undefined) return value;
  return dimensionSources[dimension].nameOf?.(token) ?? value;
}

async function learn(
  tokens: Pick<TokenStore, 'facts'>,
  known: Map<string, TokenFacts>,
  ids: readonly string[],
): Promise<void> {
  if (known.size > factsMax) known.clear();
  const unknown = [...new Set(ids)].filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  for (const [id, facts] of await factsOf(tokens, unknown)) known.set(id, facts);
}

interface RecordShape {
  readonly by: readonly SumColumn[];
  readonly dimensions: readonly Dimension[];
  readonly period: string;
}

function recordOf(
  { by, dimensions, period }: RecordShape,
  values: readonly string[],
  names: readonly string[],
  sum: UsageFigures,
): ExportRecord {
  const record: Record<string, string | number | null> = {};
  for (const column of by) {
    const at = (dimensions as readonly SumColumn[]).indexOf(column);
    record[column] = at === -1 ? period : (values[at] ?? '');
    const nameColumn = nameColumns[column];
    if (nameColumn !== undefined) record[nameColumn] = names[at] ?? '';
  }
  return {
    ...record,
    requests: sum.requests,
    failures: sum.failures,
    input_tokens: sum.inputTokens,
    cache_read_tokens: sum.cacheReadTokens,
    output_tokens: sum.outputTokens,
    cost_usd: sumCost(sum).costUsd,
    unpriced: sum.unpriced,
  };
}

interface Period extends Range {
  /** `2030-01-31` or `2030-01`; empty where the range is one. */
  readonly name: string;
}

/** Days or months of the range, in UTC; its ends cut the first and the last. */
function* periodsOf(range: Range, by: readonly SumColumn[]): Generator<Period> {
  if (!by.includes('day') && !by.includes('month')) {
    yield { ...range, name: '' };
    return;
  }
  const isDay = by.includes('day');
  for (let from = range.fromMs; from < range.toMs; ) {
    const date = new Date(from);
    const next = isDay
      ? Math.floor(from / dayMs) * dayMs + dayMs
      : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    yield { fromMs: from, toMs: Math.min(next, range.toMs), name: date.toISOString().slice(0, isDay ? 10 : 7) };
    from = next;
  }
}
