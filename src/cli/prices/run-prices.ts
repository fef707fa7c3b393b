/**
 * Gives `weir prices` its dependencies: the store of a running or stopped Weir, the egress routes, and
 * the configuration.
 */

import { readTables, shownAddress } from '../../configuration/kept-tables.ts';
import { createTableTextReader } from '../../configuration/read-table-text.ts';
import { confirmHeld, planUpdate, removeTable, updatePrices } from '../../configuration/update-prices.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { hostsIn, type TableSource } from '../../prices/tables/table.ts';
import { presetByName } from '../../providers/presets.ts';
import type { Config } from '../../settings/config.ts';
import type { Store } from '../../store/store.ts';
import { createEgressRoutes } from '../../upstream/egress-routes.ts';
import { output, withStore } from '../store-commands.ts';
import { pricesCommand } from './prices.ts';

export function runPrices(args: readonly string[]): Promise<number> {
  return withStore(async (store, config) => {
    const egressRoutes = createEgressRoutes({
      connectTimeoutMs: config.clocks.connectTimeoutMs,
      egress: config.egress,
    });
    const addresses = config.priceTables.places;
    const parts = { store: store.priceTables, addresses, nowMs: Date.now };
    const served = await servedModels(store, config);
    return pricesCommand(
      {
        ...output,
        addresses,
        tables: () => readTables(parts),
        fetchState: () => store.priceTables.fetchState(),
        read: createTableTextReader(egressRoutes),
        plan: (content, address) => planUpdate(content, shownAddress(address), parts),
        update: (content, address) => updatePrices(content, shownAddress(address), parts),
        confirm: (source, isMeant) => confirmHeld(source, isMeant, parts),
        remove: (source) => removeTable(source, parts),
        history: (limit, model) => store.priceTables.changes(limit, model),
        isServed: (source, host, model) =>
          served.some(
            ({ tables, models }) =>
              hostsIn(source as TableSource, tables).includes(host) && (models?.has(model) ?? true),
          ),
        shown: shownAddress,
        nowMs: Date.now,
      },
      args,
      // Kept connections would keep the process.
    ).finally(() => egressRoutes.close());
  });
}

interface ServedHost {
  readonly tables: ReturnType<typeof tablesOf>;
  /** Absent where they are unknown. */
  readonly models: ReadonlySet<string> | undefined;
}

const tablesOf = (kind: string) => presetByName(kind)?.tables;

/** The providers of the configuration and of the console, with the models that they listed last. */
async function servedModels(store: Store, config: Config): Promise<readonly ServedHost[]> {
  const given = config.providers.map(({ name, kind, models }) => ({ name, kind, models }));
  const { entries } = await store.configuration.read();
  const typed = entries.flatMap(({ section, name, entry }) => {
    if (section !== 'providers') return [];
    const tree: unknown = JSON.parse(entry);
    const kind = isObject(tree) ? tree['kind'] : undefined;
    return [{ name, kind: typeof kind === 'string' ? kind : name, models: undefined }];
  });
  return Promise.all(
    [...given, ...typed].map(async ({ name, kind, models }) => {
      const listed = models ?? (await store.providerModels.get(name))?.models;
      return { tables: tablesOf(kind), models: Array.isArray(listed) ? new Set(listed.map(nameOf)) : undefined };
    }),
  );
}

function nameOf(model: unknown): string {
  if (typeof model === 'string') return model;
  return isObject(model) ? String(model['name']) : '';
}
