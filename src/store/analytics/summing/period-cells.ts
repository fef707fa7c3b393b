/** The cells of one period, put together from its slices: each row counts once in every view. */

import { type Cells, packed } from '../../sql/packed.ts';
import { moneyCell } from '../../sql/statement.ts';
import { integer, money, text, textOf } from '../../sql/table.ts';
import { FigureSum } from '../../usage/usage-sums.ts';
import { type CellView, cellColumns, combinationsPerPeriodMax, distinguishes, otherUsers } from '../cell-views.ts';
import { otherTags, tagPattern } from '../tag-sets.ts';
import { keys, type Summed, type SummedSlice } from './period-slices.ts';
import { WrittenBins } from './written-bins.ts';

const keyNames = [...Object.keys(keys), 'endUser', 'tags'] as readonly (keyof CellKey)[];
type CellKey = { readonly [Name in keyof typeof keys | 'endUser' | 'tags']: Summed[Name] };

/** A cell as it travels between threads: there may be many of a period. */
export const cellTable = packed(
  {
    view: textOf<CellView>(),
    tokenId: text,
    model: text,
    provider: text,
    endpoint: text,
    code: text,
    statusClass: integer,
    stream: integer,
    estimated: integer,
    requests: integer,
    failures: integer,
    inputTokens: integer,
    cacheReadTokens: integer,
    outputTokens: integer,
    costNano: money,
    costNanoMax: money,
    totalMsMax: integer,
    firstEvents: text,
    totals: text,
    unpriced: integer,
    keyId: text,
    endUser: text,
    tags: text,
  },
  ({ view, key, sum }: { readonly view: CellView; readonly key: CellKey; readonly sum: CellSum }) => ({
    view,
    tokenId: key.tokenId,
    model: key.model,
    provider: key.provider,
    endpoint: key.endpoint,
    code: key.code,
    statusClass: key.statusClass,
    stream: key.stream,
    estimated: key.estimated,
    requests: sum.requests,
    failures: sum.failures,
    inputTokens: sum.inputTokens,
    cacheReadTokens: sum.cacheReadTokens,
    outputTokens: sum.outputTokens,
    costNano: moneyCell(sum.costNano),
    costNanoMax: moneyCell(sum.costNanoMax ?? 0n),
    totalMsMax: sum.totalMsMax,
    firstEvents: sum.firstEvents.text(),
    totals: sum.totals.text(),
    unpriced: sum.unpriced,
    keyId: key.keyId,
    endUser: key.endUser,
    tags: key.tags,
  }),
);

class CellSum extends FigureSum {
  costNanoMax: bigint | undefined;
  totalMsMax = 0;
  readonly firstEvents = new WrittenBins();
  readonly totals = new WrittenBins();

  addSummed(row: Summed): void {
    this.add(row);
    const costNanoMax = BigInt(row.costNanoMax);
    if (this.costNanoMax === undefined || costNanoMax > this.costNanoMax) this.costNanoMax = costNanoMax;
    this.totalMsMax = Math.max(this.totalMsMax, row.totalMsMax);
    this.firstEvents.add(row.firstEvents);
    this.totals.add(row.totals);
  }

  /** What this sum has beyond others; the greatest cost and duration stay as upper bounds. */
  without(others: Iterable<CellSum>): CellSum {
    const rest = new CellSum();
    rest.add(this.figures());
    rest.costNanoMax = this.costNanoMax;
    rest.totalMsMax = this.totalMsMax;
    rest.firstEvents.add(this.firstEvents.text());
    rest.totals.add(this.totals.text());
    const taken = { firstEvents: new WrittenBins(), totals: new WrittenBins() };
    for (const other of others) {
      rest.subtract(other.figures());
      taken.firstEvents.add(other.firstEvents.text());
      taken.totals.add(other.totals.text());
    }
    rest.firstEvents.without(taken.firstEvents.text());
    rest.totals.without(taken.totals.text());
    return rest;
  }
}

const wholePeriod: CellKey = {
  ...{ tokenId: '', model: '', provider: '', endpoint: '', code: '', keyId: '', endUser: '', tags: '' },
  ...{ statusClass: -1, stream: -1, estimated: -1 },
};

/** So many are added, or written, before others have their turn. */
const cellsPerTurn = 1_000;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One without a user has no cell in `user`, and one without tags none in `tag`. */
export class PeriodCells {
  readonly #all = new CellGroups('all');
  readonly #groups: readonly CellGroups[] = [
    this.#all,
    ...(['token', 'kind', 'by-token', 'by-key'] as const).map((view) => new CellGroups(view)),
  ];
  readonly #users: readonly [combined: CellGroups, alone: CellGroups];
  readonly #tags: readonly [combined: CellGroups, alone: CellGroups];

  constructor(combinationsMax = combinationsPerPeriodMax) {
    const user: BeyondMost = { most: combinationsMax, as: (row) => ({ ...row, endUser: otherUsers }) };
    const tag: BeyondMost = { most: combinationsMax, as: (row) => ({ ...row, tags: tagPattern(otherTags) }) };
    this.#users = [new CellGroups('user', user), new CellGroups('by-user')];
    this.#tags = [new CellGroups('tag', tag), new CellGroups('by-tag')];
  }

  async add({ whole, users, tags }: SummedSlice, keptSet: (tags: string) => string): Promise<void> {
    await addTo(this.#groups, whole);
    await addTo(this.#users, users);
    await addTo(
      this.#tags,
      tags.map((row) => ({ ...row, tags: keptSet(row.tags) })),
    );
  }

  /** In pieces of some, each made when it is asked for. */
  *pieces(size: number): Generator<readonly Cells[]> {
    let piece: Cells[] = [];
    for (const cell of this.#cells()) {
      piece.push(cell);
      if (piece.length < size) continue;
      yield piece;
      piece = [];
    }
    if (piece.length > 0) yield piece;
  }

  *#cells(): Generator<Cells> {
    const whole = this.#all.groups.values().next().value?.sum;
    if (whole === undefined || whole.requests === 0) return;
    for (const { view, groups } of [...this.#groups, ...this.#users, ...this.#tags]) {
      for (const { key, sum } of groups.values()) yield cellTable.pack({ view, key, sum }, undefined);
    }
    // What is left of the whole had no user, or no tags.
    for (const { view, groups } of [this.#users[1], this.#tags[1]]) {
      const rest = whole.without(groups.values().map(({ sum }) => sum));
      if (rest.requests > 0) yield cellTable.pack({ view, key: wholePeriod, sum: rest }, undefined);
    }
  }
}

async function addTo(groups: readonly CellGroups[], rows: readonly Summed[]): Promise<void> {
  for (const [at, row] of rows.entries()) {
    for (const each of groups) each.add(row);
    if (at % cellsPerTurn === cellsPerTurn - 1) await turn();
  }
}

/** What a row is summed as that would make one combination too many. */
interface BeyondMost {
  readonly most: number;
  as(row: Summed): Summed;
}

/** The cells of one view, by what it distinguishes. */
class CellGroups {
  readonly view: CellView;
  readonly groups = new Map<string, { readonly key: CellKey; readonly sum: CellSum }>();
  readonly #names: readonly (keyof CellKey)[];
  readonly #beyondMost: BeyondMost | undefined;

  constructor(view: CellView, beyondMost?: BeyondMost) {
    this.view = view;
    this.#beyondMost = beyondMost;
    this.#names = keyNames.filter((_, at) => {
      const column = cellColumns[at];
      return column !== undefined && distinguishes(view, column);
    });
  }

  add(summed: Summed): void {
    const name = this.#nameOf(summed);
    const group = this.groups.get(name);
    if (group !== undefined) group.sum.addSummed(summed);
    else if (this.#beyondMost === undefined || this.groups.size < this.#beyondMost.most) this.#begin(name, summed);
    else {
      const other = this.#beyondMost.as(summed);
      const otherName = this.#nameOf(other);
      const others = this.groups.get(otherName);
      if (others === undefined) this.#begin(otherName, other);
      else others.sum.addSummed(other);
    }
  }

  #nameOf(summed: Summed): string {
    return this.#names.map((each) => summed[each]).join('\0');
  }

  #begin(name: string, summed: Summed): void {
    const named = Object.fromEntries(this.#names.map((each) => [each, summed[each]]));
    const group = { key: { ...wholePeriod, ...named }, sum: new CellSum() };
    group.sum.addSummed(summed);
    this.groups.set(name, group);
  }
}
