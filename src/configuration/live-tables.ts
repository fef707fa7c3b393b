/** Tables of prices while Weir runs: what the store keeps is in effect in every replica, and one of them fetches what is due. */

import { leftOutText } from '../prices/tables/left-out.ts';
import type { PriceTable } from '../prices/tables/table.ts';
import type { PriceTableStore } from '../store/prices/price-tables.ts';
import { type KeptTables, noTables, readTables, shownAddress } from './kept-tables.ts';
import { areOld, refreshHint, tableFacts, tablesLine } from './table-facts.ts';
import { type PlannedUpdate, updatePrices } from './update-prices.ts';

interface LiveTablesParts {
  readonly store: PriceTableStore;
  /** Where tables are fetched from, the most trusted first; none: no table is fetched. */
  readonly addresses: readonly string[];
  readonly refreshMs: number;
  /** The text at an address or in a file, within its bounds. */
  fetch(address: string, signal: AbortSignal): Promise<string>;
  bundled(): Promise<PriceTable>;
  /** These are in effect from now on. */
  apply(tables: readonly PriceTable[]): void;
  /** The time of day. */
  nowMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** After a fetch that failed; sooner where tables are fetched more often. */
const retryMs = 15 * 60_000;
/** Of what was left out of a table, in one line of the log. */
const loggedMax = 5;
/** While one replica fetches: where it dies, another one tries. */
const fetchingMs = 10 * 60_000;

export class LiveTables {
  readonly #parts: LiveTablesParts;
  #kept: KeptTables = noTables;
  #started: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  #fetching: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  #isFirst = true;

  constructor(parts: LiveTablesParts) {
    this.#parts = parts;
  }

  get kept(): KeptTables {
    return this.#kept;
  }

  /** The tables in one line, with advice where they are old; waits until the store is read. */
  async summary(): Promise<{ readonly tables: string; readonly hint: string | undefined }> {
    await this.start();
    const facts = tableFacts(
      this.#kept.tables.map(({ head }) => head),
      this.#parts.nowMs(),
    );
    return { tables: tablesLine(facts), hint: areOld(facts) ? `Prices are old: ${refreshHint}.` : undefined };
  }

  /** Resolves when the tables in the store are in effect. If the store is unavailable, the next poll tries again. */
  start(): Promise<void> {
    this.#started ??= this.poll().catch((cause: unknown) =>
      this.#parts.warn('The price lists could not be read; using the bundled one.', { cause }),
    );
    return this.#started;
  }

  /** Looks for changes of other processes, and fetches what is due. */
  poll(): Promise<void> {
    this.#polling ??= this.#look().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  /** Gives up what is being fetched; another replica, or the next start, fetches it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('Weir is shutting down.'));
    await this.#fetching;
  }

  async #look(): Promise<void> {
    const { store, addresses, refreshMs, nowMs } = this.#parts;
    const { revision, dueAtMs } = await store.pulse();
    if (revision !== this.#kept.revision) await this.#read();
    if (addresses.length === 0 || this.#fetching !== undefined || this.#stopping.signal.aborted) return;
    const isBeyond = dueAtMs > nowMs() + fetchingMs + refreshMs;
    if (this.#isFirst || dueAtMs <= nowMs() || isBeyond) await this.#claim();
  }

  async #read(): Promise<void> {
    const { store, addresses, nowMs, apply, warn } = this.#parts;
    const kept = await readTables({ store, addresses, known: this.#kept, nowMs });
    this.#kept = kept;
    for (const { head, fault } of kept.faults) {
      warn('A price list can’t be read by this version and is not used.', { source: head.source, fault });
    }
    apply(kept.tables.map(({ table }) => table));
  }

  async #claim(): Promise<void> {
    const { store, addresses, refreshMs: furthestMs, nowMs } = this.#parts;
    const isFirst = this.#isFirst;
    const named = addresses.map(shownAddress).join('\n');
    const atMs = nowMs();
    const isMine = await store.claim({ nowMs: atMs, nextMs: atMs + fetchingMs, addresses: named, isFirst, furthestMs });
    this.#isFirst = false;
    if (!isMine) return;
    this.#fetching = this.#fetchAll()
      .catch((cause: unknown) => this.#parts.warn('Price lists could not be fetched.', { cause }))
      .finally(() => {
        this.#fetching = undefined;
      });
  }

  async #fetchAll(): Promise<void> {
    const { store, addresses, refreshMs, nowMs, warn } = this.#parts;
    const { signal } = this.#stopping;
    const faults: string[] = [];
    for (const address of addresses) {
      const shown = shownAddress(address);
      try {
        const content = await this.#parts.fetch(address, signal);
        if (signal.aborted) return;
        const update = await updatePrices(content, shown, {
          store,
          addresses,
          known: this.#kept,
          bundled: this.#parts.bundled,
          nowMs,
        });
        this.#warnOf(update);
      } catch (error) {
        if (signal.aborted) return;
        const fault = error instanceof Error ? error.message : String(error);
        faults.push(`${shown}: ${fault}`);
        warn('A price list could not be applied; keeping the last good one.', { address: shown, fault });
      }
    }
    const afterMs = faults.length === 0 ? refreshMs : Math.min(retryMs, refreshMs);
    const fault = faults.length === 0 ? undefined : faults.join('\n');
    await store.fetched({ dueAtMs: nowMs() + afterMs, atMs: nowMs(), fault });
  }

  /** What of a table that was taken over is not in effect. */
  #warnOf({ comparison, table: { source, leftOut }, isSame }: PlannedUpdate): void {
    const { warn } = this.#parts;
    const held = comparison.changes.filter(({ kind }) => kind === 'held').length;
    if (held > 0) {
      warn('Prices changed by more than 10× and need confirmation: weir prices held.', { source, models: held });
    }
    if (isSame || leftOut.named.length === 0) return;
    const { models, keys, named } = leftOut;
    const first = named.slice(0, loggedMax).map(leftOutText);
    warn('Parts of a price list are not understood and left out: weir prices.', { source, models, keys, first });
  }
}
