/** What a new table of prices changes: model by model, rate by rate, and which of the changes wait for a confirmation. */

import type { HeldPrice } from '../held-prices.ts';
import { differencesOf, isSuspicious, type RateDifference } from '../rates.ts';
import { isLeftOut } from './left-out.ts';
import type { PriceTable, TablePrice } from './table.ts';

export interface ModelChange {
  readonly host: string;
  readonly model: string;
  /** `kept`: the new table's price is not understood, so the one before stays. */
  readonly kind: 'added' | 'changed' | 'held' | 'kept' | 'removed';
  readonly differences: readonly RateDifference[];
}

export interface Comparison {
  readonly changes: readonly ModelChange[];
  /** Prices that stay as they were, until they are confirmed or the table says them in a way that is understood. */
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

const nameOf = (host: string, model: string): string => `${host}\n${model.toLowerCase()}`;

/** So few that a step takes a few milliseconds. */
const modelsPerStep = 50;

/** A model that the previous table does not have is compared with what it costs by other sources. */
export function* compareInSteps(parts: CompareParts): Generator<undefined, Comparison> {
  const { table, nowMs } = parts;
  const before = pricesOf(parts.previous, nowMs);
  const found: Found = { changes: [], held: [] };
  let [models, unchanged] = [0, 0];
  for (const [host, model, { price }] of table.entries(nowMs)) {
    const name = nameOf(host, model);
    const own = before.get(name)?.price;
    if (own !== undefined && isUnread(table, host, model, price) && own.incomplete !== true) {
      before.delete(name);
      if (price !== undefined) models += 1;
      keep(found, host, model, own);
      continue;
    }
    if (price === undefined) continue;
    models += 1;
    if (models % modelsPerStep === 0) yield;
    before.delete(name);
    if (!compareModel(parts, found, { host, model, price, own })) unchanged += 1;
  }
  for (const { host, model, price } of before.values()) {
    if (isLeftOut(table.leftOut, host, model)) keep(found, host, model, price);
    else found.changes.push({ host, model, kind: 'removed', differences: differencesOf(price, undefined) });
  }
  return { ...found, models, unchanged };
}

interface Found {
  readonly changes: ModelChange[];
  readonly held: HeldPrice[];
}

function isUnread({ leftOut }: PriceTable, host: string, model: string, price: TablePrice | undefined): boolean {
  return price === undefined ? isLeftOut(leftOut, host, model) : price.incomplete === true;
}

function keep({ changes, held }: Found, host: string, model: string, price: TablePrice): void {
  changes.push({ host, model, kind: 'kept', differences: [] });
  held.push({ host, model, price, differences: [], unread: true });
}

interface Compared extends KnownPrice {
  readonly own: TablePrice | undefined;
}

/** False where nothing changed. */
function compareModel(parts: CompareParts, { changes, held }: Found, { host, model, price, own }: Compared): boolean {
  const { table, nowMs } = parts;
  const known = own ?? parts.elsewhere(host, model);
  const all = differencesOf(known, price);
  // Other sources still have the rates that this table lacks for a model that is new to it.
  const differences = own === undefined ? all.filter(({ after }) => after !== undefined) : all;
  const later = known && suspiciousLater(known, price, (atMs) => table.find(host, model, atMs)?.price, nowMs);
  if (known === undefined) changes.push({ host, model, kind: 'added', differences });
  else if (later !== undefined || differences.some(isSuspicious)) {
    const shown = later ?? differences;
    changes.push({ host, model, kind: 'held', differences: shown });
    held.push({ host, model, ...(own !== undefined && { price: own }), differences: shown });
  } else if (differences.length === 0) return false;
  else changes.push({ host, model, kind: 'changed', differences });
  return true;
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
