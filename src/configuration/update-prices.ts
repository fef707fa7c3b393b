/**
 * Takes over a new price table: compares it with the one in effect, holds back implausible prices, and keeps the rest.
 */

import { type HeldPrice, writeHeld } from '../prices/held-prices.ts';
import { createPrices } from '../prices/prices.ts';
import { differencesOf } from '../prices/rates.ts';
import { type Comparison, compareInSteps, type ModelChange } from '../prices/tables/compare-tables.ts';
import { readTableApart } from '../prices/tables/read-table-apart.ts';
import { hostsIn, type PriceTable, type TablePrice, type TableSource } from '../prices/tables/table.ts';
import { TableError } from '../prices/tables/table-error.ts';
import { presets } from '../providers/presets.ts';
import type { PriceTableStore, RateChange, RateChangeState } from '../store/prices/price-tables.ts';
import { type KeptTable, type KeptTables, readTables } from './kept-tables.ts';

interface UpdateParts {
  readonly store: PriceTableStore;
  readonly addresses: readonly string[];
  /** What was read before. */
  readonly known?: KeptTables;
  /** The bundled table, where it is loaded already. */
  readonly bundled?: () => Promise<PriceTable>;
  nowMs(): number;
}

export interface PlannedUpdate {
  readonly origin: string;
  readonly content: string;
  readonly table: PriceTable;
  readonly comparison: Comparison;
  /** The one of the same source until now. */
  readonly previous: KeptTable | undefined;
  /** Its text did not change. */
  readonly isSame: boolean;
  readonly base: number;
  readonly atMs: number;
}

/** Reads and compares; rejects where the table cannot be read. Nothing is changed. */
export async function planUpdate(content: string, origin: string, parts: UpdateParts): Promise<PlannedUpdate> {
  const atMs = parts.nowMs();
  const table = await readTableApart(content);
  const kept = await readTables(parts);
  const previous = kept.tables.find(({ head }) => head.source === table.source);
  const before = previous === undefined ? undefined : await parts.store.get(table.source);
  const comparison = await inTurns(
    compareInSteps({
      table,
      previous: previous?.table,
      elsewhere: await knownElsewhere(kept, table.source, parts.bundled),
      nowMs: atMs,
    }),
  );
  refuseEmpty(table, comparison);
  refuseShrunken(comparison, previous, atMs);
  return {
    origin,
    content,
    table,
    comparison,
    previous,
    // A newer version of Weir may understand more of the same text.
    isSame: before?.content === content && before.held === writeHeld(comparison.held),
    base: kept.revision,
    atMs,
  };
}

function refuseEmpty({ leftOut: { named } }: PriceTable, { models }: Comparison): void {
  const [first] = named;
  if (models > 0 || first === undefined) return;
  throw new TableError(first.path, `${first.says} No model has a price that is understood.`, first.line);
}

/** A table that prices less than half of the models of the one before is more likely a part of one than a new one. */
const leftShareMin = 0.5;
/** Fewer may come and go in a small table. */
const goneMin = 20;

function refuseShrunken({ models }: Comparison, previous: KeptTable | undefined, atMs: number): void {
  if (previous === undefined) return;
  let before = 0;
  for (const [, , { price }] of previous.table.entries(atMs)) if (price !== undefined) before += 1;
  if (models >= before * leftShareMin || before - models <= goneMin) return;
  const cure = `If it is meant, remove that one with \`weir prices remove ${previous.head.source}\` first.`;
  throw new TableError([], `It prices ${models} models; the table in effect prices ${before}. ${cure}`);
}

/** Between two steps other work may run. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The price in effect for a model at a host of this source; without the operator's own price, which no table changes,
 * and without guesses.
 */
async function knownElsewhere(
  kept: KeptTables,
  source: TableSource,
  load: UpdateParts['bundled'],
): Promise<(host: string, model: string) => TablePrice | undefined> {
  const prices = createPrices({ overrides: [], ...(load !== undefined && { load }) });
  await prices.ready();
  prices.setTables(kept.tables.map(({ table }) => table));
  const byHost = new Map(presets.flatMap((preset) => hostsIn(source, preset.tables).map((host) => [host, preset])));
  return (host, model) => {
    const preset = byHost.get(host);
    if (preset === undefined) return undefined;
    const price = prices.priceOf({ providerName: preset.name, tables: preset.tables, model });
    if (price === undefined || price.guess === true) return undefined;
    const { version: _version, ...rates } = price;
    return rates;
  };
}

/** At most so many rates are recorded for one update. */
const notedMax = 20_000;

/** False where another process changed the tables since it was planned. */
async function applyUpdate(update: PlannedUpdate, store: PriceTableStore): Promise<boolean> {
  const { table, comparison, previous, origin, content, atMs, base } = update;
  if (update.isSame && previous !== undefined) {
    await store.touch(previous.head, atMs, origin);
    return true;
  }
  return store.put(
    base,
    {
      source: table.source,
      origin,
      version: table.version,
      asOf: table.asOf,
      fetchedAtMs: atMs,
      models: comparison.models,
      held: writeHeld(comparison.held),
      content,
    },
    notedChanges(update).slice(0, notedMax),
  );
}

/**
 * Changes to record. The models of a first table are not changes, and neither are prices that were held
 * before and still are.
 */
function notedChanges({ table: { source }, comparison, previous }: PlannedUpdate): RateChange[] {
  const known = new Set(previous?.held.map(heldName));
  const noted = comparison.changes.filter((change) => {
    if (change.kind === 'added') return previous !== undefined;
    if (change.kind === 'kept') return false;
    return change.kind !== 'held' || !known.has(heldName(change));
  });
  return noted.flatMap((change) => rateChanges(source, change, states[change.kind]));
}

const states: Readonly<Record<ModelChange['kind'], RateChangeState>> = {
  added: 'in effect',
  changed: 'in effect',
  held: 'held',
  kept: 'in effect',
  removed: 'removed',
};

const heldName = ({ host, model, differences }: Omit<HeldPrice, 'price'>): string =>
  [host, model, ...differences.map(({ rate, after }) => `${rate} ${after}`)].join('\n');

function rateChanges(
  source: string,
  { host, model, differences }: Omit<HeldPrice, 'price'>,
  state: RateChangeState,
): RateChange[] {
  return differences.map(({ rate, before, after }) => ({ source, host, model, rate, before, after, state }));
}

/** How often another process may be faster before it is given up. */
const triesMax = 5;

/** Plans and applies, again where another process was faster. */
export async function updatePrices(content: string, origin: string, parts: UpdateParts): Promise<PlannedUpdate> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const update = await planUpdate(content, origin, parts);
    if (await applyUpdate(update, parts.store)) return update;
  }
  throw new Error('The price lists are being changed by others. Try again.');
}

/** Puts held prices of a source into effect; gives those that were, none where nothing fits. */
export async function confirmHeld(
  source: string,
  isMeant: (held: HeldPrice) => boolean,
  parts: UpdateParts,
): Promise<readonly HeldPrice[]> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { revision, tables } = await readTables(parts);
    const { held = [], unread = [] } = tables.find(({ head }) => head.source === source) ?? {};
    const meant = held.filter(isMeant);
    if (meant.length === 0) return [];
    const rest = writeHeld([...held.filter((each) => !meant.includes(each)), ...unread]);
    const changes = meant.flatMap((each) => rateChanges(source, each, 'confirmed'));
    if (await parts.store.hold(revision, source, rest, parts.nowMs(), changes)) return meant;
  }
  throw new Error('The price lists are being changed by others. Try again.');
}

function removedRates({ head, table }: KeptTable, atMs: number): RateChange[] {
  const priced = Array.from(table.entries(atMs), ([host, model, { price }]) => ({
    host,
    model,
    differences: differencesOf(price, undefined),
  }));
  return priced.flatMap((each) => rateChanges(head.source, each, 'removed')).slice(0, notedMax);
}

/** False where there is no table of the source. */
export async function removeTable(source: string, parts: UpdateParts): Promise<boolean> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { revision, tables, faults } = await readTables(parts);
    const removed = tables.find(({ head }) => head.source === source);
    if (removed === undefined && !faults.some(({ head }) => head.source === source)) return false;
    const changes = removed === undefined ? [] : removedRates(removed, parts.nowMs());
    if (await parts.store.remove(revision, source, parts.nowMs(), changes)) return true;
  }
  throw new Error('The price lists are being changed by others. Try again.');
}
