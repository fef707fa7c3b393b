/** Runs `weir prices` inside the test's own process, on the store that its other commands use. */

import { pricesCommand } from '../../src/cli/prices/prices.ts';
import { readTables, shownAddress } from '../../src/configuration/kept-tables.ts';
import { createTableTextReader } from '../../src/configuration/read-table-text.ts';
import { confirmHeld, planUpdate, removeTable, updatePrices } from '../../src/configuration/update-prices.ts';
import { createEgressRoutes } from '../../src/upstream/egress-routes.ts';
import { written } from './commands.ts';
import type { CommandResult, RunningWeir } from './weir.ts';

/** Which models are served is not looked up: an update marks none of them, which only the command itself does. */
export function pricesHere(weir: RunningWeir, ...words: readonly string[]): Promise<CommandResult> {
  return written(weir, async ({ priceTables: store }, config, output) => {
    const { clocks, egress } = config;
    const routes = createEgressRoutes({ connectTimeoutMs: clocks.connectTimeoutMs, egress });
    const addresses = config.priceTables.places;
    const parts = { store, addresses, nowMs: Date.now };
    const command = pricesCommand(
      {
        ...output,
        addresses,
        tables: () => readTables(parts),
        fetchState: () => store.fetchState(),
        read: createTableTextReader(routes),
        plan: (content, address) => planUpdate(content, shownAddress(address), parts),
        update: (content, address) => updatePrices(content, shownAddress(address), parts),
        confirm: (source, isMeant) => confirmHeld(source, isMeant, parts),
        remove: (source) => removeTable(source, parts),
        history: (limit, model) => store.changes(limit, model),
        isServed: () => false,
        shown: shownAddress,
        nowMs: Date.now,
      },
      words,
    );
    return command.finally(() => routes.close());
  });
}
