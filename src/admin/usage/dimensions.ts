/** What usage can be grouped by, and sums by it. */

import type {
  AnalyticsFilter,
  AnalyticsStore,
  GroupColumn,
  GroupLines,
  Range,
  UsageFigures,
} from '../../store/analytics/analytics-store.ts';
import { tagsIn } from '../../store/analytics/tag-sets.ts';
import type { TokenFacts, TokenStore } from '../../store/tokens/token-store.ts';
import type { BreakdownOrder, Dimension } from '../contracts/analytics-contract.ts';
import { noFigures, plus } from './figure-views.ts';

/** Values are in a column of rows and sums; `nameOf` finds what people call one by the facts of the token with that id. */
interface ColumnSource {
  readonly column: GroupColumn;
  readonly nameOf?: (token: TokenFacts) => string;
}

/** Values are properties of the token, folded from the sums by token. One that has several counts in each of them. */
interface TokenSource {
  readonly ofToken: (token: TokenFacts) => readonly string[];
  readonly nameOf?: (token: TokenFacts) => string | null;
  readonly overlapping: boolean;
}

/** A column holds several values at once, and what it sums counts in each of them. */
interface SetSource {
  readonly set: GroupColumn;
  readonly valuesIn: (key: string) => readonly string[];
  readonly nameOf?: undefined;
}

/** The one place that a further dimension is declared, beside its name in the contract. */
export const dimensionSources: Readonly<Record<Dimension, ColumnSource | TokenSource | SetSource>> = {
  model: { column: 'model' },
  provider: { column: 'provider' },
  token: { column: 'token_id', nameOf: ({ name }) => name },
  label: { ofToken: ({ labels }) => labels, overlapping: true },
  owner: {
    ofToken: ({ ownerId }) => (ownerId === null ? [] : [ownerId]),
    nameOf: ({ ownerName }) => ownerName,
    overlapping: false,
  },
  team: {
    ofToken: ({ teamId }) => (teamId === null ? [] : [teamId]),
    nameOf: ({ teamName }) => teamName,
    overlapping: false,
  },
  project: {
    ofToken: ({ projectId }) => (projectId === null ? [] : [projectId]),
    nameOf: ({ projectName }) => projectName,
    overlapping: false,
  },
  user: { column: 'end_user' },
  tag: { set: 'tags', valuesIn: tagsIn },
  endpoint: { column: 'endpoint' },
  key: { column: 'key' },
  code: { column: 'code' },
};

/** The column that is read for a dimension. */
export const columnOf = (by: Dimension): GroupColumn => {
  const source = dimensionSources[by];
  return 'column' in source ? source.column : 'set' in source ? source.set : 'token_id';
};

/** The values that a key of the column has in the dimension: what has none is in a group without a name. */
export function valuesOf(by: Dimension, key: string, token: TokenFacts | undefined): readonly string[] {
  const source = dimensionSources[by];
  if ('column' in source) return [key];
  const values = 'set' in source ? source.valuesIn(key) : token === undefined ? [] : source.ofToken(token);
  return values.length === 0 ? [''] : values;
}

/** A group of a dimension. */
interface DimensionGroup {
  readonly key: string;
  /** What people call it. */
  readonly label: string;
  readonly figures: UsageFigures;
}

interface DimensionSums {
  readonly column: GroupColumn;
  readonly overlapping: boolean;
  /** The largest first. */
  readonly groups: readonly DimensionGroup[];
  /** All groups together, each request once. */
  readonly covered: UsageFigures;
  /** Which values of the column count in which groups; in the line after the last group every value that counts in any. */
  readonly lines: readonly GroupLines[];
}

export interface DimensionParts {
  readonly analytics: Pick<AnalyticsStore, 'groups'>;
  readonly tokens: Pick<TokenStore, 'facts'>;
}

/** Of tokens or sets that are folded; the smallest ones beyond these count as the rest. */
const foldedMax = 20_000;

export interface DimensionQuestion {
  readonly by: Dimension;
  readonly range: Range;
  readonly filter: AnalyticsFilter;
  readonly order: BreakdownOrder;
  readonly limit: number;
}

export function sumsBy(parts: DimensionParts, question: DimensionQuestion): Promise<DimensionSums> {
  const source = dimensionSources[question.by];
  return 'column' in source ? sumsOfColumn(parts, source, question) : sumsFolded(parts, source, question);
}

const noFacts: ReadonlyMap<string, TokenFacts> = new Map();

async function sumsOfColumn(
  { analytics, tokens }: DimensionParts,
  { column, nameOf }: ColumnSource,
  { range, filter, order, limit }: DimensionQuestion,
): Promise<DimensionSums> {
  const [found = []] = await analytics.groups([{ by: column, order }], range, filter, limit);
  const facts =
    nameOf === undefined
      ? noFacts
      : await factsOf(
          tokens,
          found.map(({ key }) => key),
        );
  const groups = found.map(({ key, ...figures }) => {
    const token = facts.get(key);
    return { key, label: token === undefined ? key : (nameOf?.(token) ?? key), figures };
  });
  return {
    column,
    overlapping: false,
    groups,
    covered: groups.reduce((sum, { figures }) => plus(sum, figures), noFigures),
    lines: groups.map(({ key }, at) => [key, [at, groups.length]]),
  };
}

async function sumsFolded(
  { analytics, tokens }: DimensionParts,
  source: TokenSource | SetSource,
  { by, range, filter, order, limit }: DimensionQuestion,
): Promise<DimensionSums> {
  const column = columnOf(by);
  const [found = []] = await analytics.groups([{ by: column }], range, filter, foldedMax);
  const facts =
    'set' in source
      ? noFacts
      : await factsOf(
          tokens,
          found.map(({ key }) => key),
        );
  const folded = new Map<string, DimensionGroup>();
  for (const { key: whole, ...figures } of found) {
    const token = facts.get(whole);
    for (const key of valuesOf(by, whole, token)) {
      const label = key === '' || token === undefined ? key : (source.nameOf?.(token) ?? key);
      folded.set(key, { key, label, figures: plus(folded.get(key)?.figures ?? noFigures, figures) });
    }
  }
  const groups = [...folded.values()].sort(bySize(order)).slice(0, limit);
  const places = new Map(groups.map(({ key }, at) => [key, at]));
  let covered = noFigures;
  const lines: GroupLines[] = [];
  for (const { key: whole, ...figures } of found) {
    const own = valuesOf(by, whole, facts.get(whole)).flatMap((key) => places.get(key) ?? []);
    if (own.length === 0) continue;
    covered = plus(covered, figures);
    lines.push([whole, [...own, groups.length]]);
  }
  return { column, overlapping: 'set' in source || source.overlapping, groups, covered, lines };
}

const sizes: Readonly<Record<BreakdownOrder, (figures: UsageFigures) => bigint | number>> = {
  cost: ({ costNano }) => costNano,
  requests: ({ requests }) => requests,
  tokens: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
};

/** The largest first; among equals the one with more requests. */
const bySize = (order: BreakdownOrder) => (one: DimensionGroup, other: DimensionGroup) => {
  const [a, b] = [sizes[order](one.figures), sizes[order](other.figures)];
  return (
    (a === b ? 0 : a < b ? 1 : -1) || other.figures.requests - one.figures.requests || (one.key < other.key ? -1 : 1)
  );
};

export async function factsOf(
  tokens: Pick<TokenStore, 'facts'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TokenFacts>> {
  return new Map((await tokens.facts(ids)).map((facts) => [facts.id, facts]));
}
