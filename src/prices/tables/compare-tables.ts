/** What a new table of prices changes: model by model, rate by rate, and which of the changes wait for a confirmation. */

import type { HeldPrice } from '../held-prices.ts';
import { differencesOf, isSuspicious, type RateDifference } from '../rates.ts';
import type { PriceTable, TablePrice } from './table.ts';

export interface ModelChange {
  readonly host: string;
  readonly model: string;
  readonly kind: 'added' | 'changed' | 'held' | 'removed';
  readonly differences: readonly RateDifference[];
}

export interface Comparison {
  readonly changes: readonly ModelChange[];
  readonly held: readonly HeldPrice[];
  /** Models of the new table with a price. */
  readonly models: number;
  readonly unchanged: number;
}

export interface CompareParts {
  readonly table: PriceTable;
  /** The one of the same source that is in effect, with what is held in it; absent: there is none yet. */
  readonly previous: PriceTable | undefined;
  /** What other sources say of the model at the same host; never another host's price. */
  elsewhere(host: string, model: string): TablePrice | undefined;
  readonly nowMs: number;
}

const nameOf = (host: string, model: string): string => `${host}\n${model}`;

/** So few that a step takes a few milliseconds. */
const modelsPerStep = 50;

/** A model that the previous table does not have is compared with what it costs by other sources. */
export function* compareInSteps({ table, previous, elsewhere, nowMs }: CompareParts): Generator<undefined, Comparison> {
  const before = pricesOf(previous, nowMs);
  const changes: ModelChange[] = [];
  const held: HeldPrice[] = [];
  let models = 0;
  let unchanged = 0;
  for (const [host, model, { price }] of table.entries(nowMs)) {
    if (price === undefined) continue;
    models += 1;
    if (models % modelsPerStep === 0) yield;
    const name = nameOf(host, model);
    const own = before.get(name)?.price;
    before.delete(name);
    const known = own ?? elsewhere(host, model);
    const all = differencesOf(known, price);
    // Other sources still have the rates that this table lacks for a model that is new to it.
    const differences = own === undefined ? all.filter(({ after }) => after !== undefined) : all;
    const later = known && suspiciousLater(known, price, (atMs) => table.find(host, model, atMs)?.price, nowMs);
    if (known === undefined) changes.push({ host, model, kind: 'added', differences });
    else if (later !== undefined || differences.some(isSuspicious)) {
      const shown = later ?? differences;
      changes.push({ host, model, kind: 'held', differences: shown });
      held.push({ host, model, ...(own !== undefined && { price: own }), differences: shown });
    } else if (differences.length === 0) unchanged += 1;
    else changes.push({ host, model, kind: 'changed', differences });
  }
  for (const { host, model, price } of before.values()) {
    changes.push({ host, model, kind: 'removed', differences: differencesOf(price, undefined) });
  }
  return { changes, held, models, unchanged };
}

const hourMs = 3_600_000;
/** The other quarters of the day, and when every price that has a date is in effect. */
const laterMs = [6 * hourMs, 12 * hourMs, 18 * hourMs, 876_600 * hourMs];

/** A table may have prices that begin later: they must be as plausible as those of today. */
function suspiciousLater(
  known: TablePrice,
  price: TablePrice,
  priceAt: (atMs: number) => TablePrice | undefined,
  nowMs: number,
): readonly RateDifference[] | undefined {
  for (const ms of laterMs) {
    const later = priceAt(nowMs + ms);
    if (later === undefined || later === price) continue;
    const differences = differencesOf(known, later);
    if (differences.some(isSuspicious)) return differences;
  }
  return undefined;
}

interface KnownPrice {
  readonly host: string;
  readonly model: string;
  readonly price: TablePrice;
}

function pricesOf(table: PriceTable | undefined, nowMs: number): Map<string, KnownPrice> {
  const known = new Map<string, KnownPrice>();
  for (const [host, model, { price }] of table?.entries(nowMs) ?? []) {
    if (price !== undefined) known.set(nameOf(host, model), { host, model, price });
  }
  return known;
}
