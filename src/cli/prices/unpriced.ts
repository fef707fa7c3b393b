/** Models that were used without a price: which they are, and the lines of `weir.yaml` that set one. */

import { sectionText } from '../../admin/configuration/yaml-text.ts';
import type { UnpricedModelView } from '../../admin/contracts/contract.ts';
import { saysCostOf, unpricedRangeMs } from '../../admin/usage/unpriced-models.ts';
import type { UnpricedUse } from '../../admin/usage/usage.ts';
import { readTables } from '../../configuration/kept-tables.ts';
import { isObject } from '../../conversation/json-tree.ts';
import { createPrices } from '../../prices/prices.ts';
import { presetByName } from '../../providers/presets.ts';
import type { Config, PriceConfig } from '../../settings/config.ts';
import type { EntryRow } from '../../store/configuration/configuration-store.ts';
import type { Store } from '../../store/store.ts';
import type { Check } from '../doctor/doctor-providers.ts';
import { alignedTable, printable } from '../table.ts';

type UsedStore = Pick<Store, 'analytics' | 'configuration' | 'priceTables'>;
type UsedConfig = Pick<Config, 'prices' | 'priceTables' | 'providers'>;

/** Without those that got a price since: from the operator, in the file or in the console, or from a table. */
export async function unpricedUses(
  store: UsedStore,
  config: UsedConfig,
  fromMs: number,
  toMs: number,
  limit: number,
): Promise<readonly UnpricedUse[]> {
  const found = await store.analytics.unpricedModels({ fromMs, toMs }, limit);
  if (found.length === 0) return found;
  const { entries } = await store.configuration.read();
  const typed = entries.filter(({ section }) => section === 'prices').map(({ name }) => ownPattern(name));
  const prices = createPrices({ overrides: [...config.prices, ...typed] });
  const { places, guesses } = config.priceTables;
  const kept = await readTables({ store: store.priceTables, addresses: places, nowMs: Date.now });
  prices.setTables(kept.tables.map(({ table }) => table));
  await prices.ready();
  return found.filter((used) => {
    const { provider, model } = used;
    const tables = presetByName(kindOf(provider, config, entries))?.tables;
    const price = prices.priceOf({ providerName: provider, tables, model });
    return (price?.guess === true && guesses === 'off') || !saysCostOf(price, used);
  });
}

/** A provider that this environment does not know has the name of its kind, if it has one. */
function kindOf(provider: string, { providers }: UsedConfig, entries: readonly EntryRow[]): string {
  const given = providers.find(({ name }) => name === provider);
  if (given !== undefined) return given.kind;
  const typed = entries.find(({ section, name }) => section === 'providers' && name === provider);
  const tree: unknown = typed === undefined ? undefined : JSON.parse(typed.entry);
  return isObject(tree) && typeof tree['kind'] === 'string' ? tree['kind'] : provider;
}

/** Which models it is for is all that counts here. */
const ownPattern = (pattern: string): PriceConfig => ({
  pattern,
  input: 0,
  output: 0,
  cacheRead: undefined,
  cacheWrite: undefined,
});

const checkedMax = 100;
const namedMax = 5;

/** The doctor's check: nothing is broken, but sums and budgets leave these models out. */
export async function checkUnpriced(store: UsedStore, config: UsedConfig, nowMs: number): Promise<readonly Check[]> {
  const name = 'prices';
  const found = await unpricedUses(store, config, nowMs - unpricedRangeMs, nowMs, checkedMax);
  if (found.length === 0) {
    return [{ name, state: 'ok', detail: 'all models used in the last 30 days have a price' }];
  }
  const named = found.slice(0, namedMax).map((used) => {
    const tokens = used.inputTokens + used.outputTokens;
    const counted = `${used.requests} ${used.requests === 1 ? 'request' : 'requests'}`;
    return `${printable(`${used.provider}/${used.model}`)} (${counted}${tokens > 0 ? `, ${tokens} tokens` : ''})`;
  });
  const rest = found.length > namedMax ? ` and ${found.length - namedMax} more` : '';
  const detail = `used without a price in the last 30 days: ${named.join(', ')}${rest}; run weir usage --unpriced for the lines that set one`;
  return [{ name, state: 'warning', detail }];
}

export function unpricedText(models: readonly UnpricedModelView[]): string {
  const table = alignedTable(
    [
      { title: 'PROVIDER' },
      { title: 'MODEL' },
      { title: 'REQUESTS', align: 'right' },
      { title: 'INPUT', align: 'right' },
      { title: 'OUTPUT', align: 'right' },
      { title: 'LAST (UTC)' },
    ],
    models.map((used) => [
      used.provider,
      used.model,
      String(used.requests),
      String(used.inputTokens),
      String(used.outputTokens),
      used.lastAt.slice(0, 19).replace('T', ' '),
    ]),
  );
  return `${table}\nTo set their prices, add these lines to weir.yaml with your figures:\n\n${priceLines(models)}`;
}

/** The name of each unit in `prices`, and the placeholder for its amount. */
const unitKeys: Readonly<Record<string, readonly [key: string, words: string]>> = {
  images: ['image', 'USD per image'],
  seconds: ['minute', 'USD per minute of audio'],
  characters: ['characters', 'USD per 1M characters'],
  searches: ['searches', 'USD per 1,000 searches'],
  videoSeconds: ['video_second', 'USD per second of video'],
  videos: ['video', 'USD per video'],
};

/** Words and no figures, so that a pasted placeholder is refused instead of becoming a price. */
function priceLines(models: readonly UnpricedModelView[]): string {
  return sectionText(
    'prices',
    models.map((used) => [printable(`${used.provider}/${used.model}`), fieldsOf(used)]),
  );
}

function fieldsOf({ inputTokens, outputTokens, units }: UnpricedModelView): Record<string, string> {
  const keys = (units ?? []).flatMap((unit) => (unitKeys[unit] === undefined ? [] : [unitKeys[unit]]));
  if (keys.length > 0 && inputTokens + outputTokens === 0) return Object.fromEntries(keys);
  return { input: 'USD per 1M input tokens', output: 'USD per 1M output tokens' };
}
