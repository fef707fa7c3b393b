/** A table whose models have exact names: prices by host and model, looked up in maps. */

import { LeftOuts } from './left-out.ts';
import { bareName, type ElsewhereEntry, type PriceTable, type TableEntry, type TableSource } from './table.ts';
import { hostsMax, modelsMax, TableError } from './table-error.ts';

interface TableAbout {
  readonly source: TableSource;
  readonly version: string;
  readonly asOf?: string;
}

/** Collects what a reader finds. */
export class TableRows {
  /** Names in lower case: hosts do not agree on theirs. */
  readonly #hosts = new Map<string, Map<string, { readonly name: string; entry: TableEntry }>>();
  readonly leftOuts = new LeftOuts();
  #count = 0;

  add(host: string, model: string, entry: TableEntry): void {
    let models = this.#hosts.get(host);
    if (models === undefined) {
      if (this.#hosts.size >= hostsMax) throw new TableError([], `There are more than ${hostsMax} hosts.`);
      models = new Map();
      this.#hosts.set(host, models);
    }
    const key = model.toLowerCase();
    const known = models.get(key);
    if (known !== undefined) {
      // If it is named twice, the first counts.
      known.entry = { ...entry, ...known.entry };
      return;
    }
    if (++this.#count > modelsMax) throw new TableError([], `There are more than ${modelsMax} models.`);
    models.set(key, { name: model, entry });
  }

  entryOf(host: string, model: string): TableEntry | undefined {
    return this.#hosts.get(host)?.get(model.toLowerCase())?.entry;
  }

  replace(host: string, model: string, entry: TableEntry): void {
    const known = this.#hosts.get(host)?.get(model.toLowerCase());
    if (known !== undefined) known.entry = entry;
  }

  table(about: TableAbout): PriceTable {
    const hosts = this.#hosts;
    const rowOf = (host: string, model: string) => hosts.get(host)?.get(model.toLowerCase());
    const byBareName = () => this.#byBareName();
    // Only guesses need it.
    let bare: ReadonlyMap<string, readonly ElsewhereEntry[]> | undefined;
    return {
      ...about,
      unread: this.leftOuts.kinds,
      leftOut: this.leftOuts.report(),
      find: (host, model) => rowOf(host, model)?.entry,
      listingOf(host, model) {
        const row = rowOf(host, model);
        return row && [host, row.name];
      },
      elsewhere(model) {
        bare ??= byBareName();
        return bare.get(bareName(model)) ?? [];
      },
      *entries() {
        for (const [host, models] of hosts) for (const { name, entry } of models.values()) yield [host, name, entry];
      },
    };
  }

  #byBareName(): ReadonlyMap<string, readonly ElsewhereEntry[]> {
    const found = new Map<string, ElsewhereEntry[]>();
    for (const [host, models] of this.#hosts) {
      for (const { name, entry } of models.values()) {
        const key = bareName(name);
        const others = found.get(key);
        const other = { host, entry, isVendor: false };
        if (others === undefined) found.set(key, [other]);
        else others.push(other);
      }
    }
    return found;
  }
}
