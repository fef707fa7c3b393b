/** Reads the settings of the price tables where the file writes them beside the prices. */

/** Settings of tables that are written beside the prices; a pattern's value is a map, so that none can be meant. */
const besidePrices = ['guesses', 'url', 'refresh_hours'] as const;

/** The same content with such settings where they belong. Where both places say one, the section's own stays and the other is a mistake. */
export function withTableSettings(raw: unknown): unknown {
  const prices = mapAt(raw, 'prices');
  const tables = mapAt(raw, 'price_tables') ?? {};
  if (prices === undefined) return raw;
  const moved = besidePrices.filter((name) => isSetting(prices, name) && !Object.hasOwn(tables, name));
  if (moved.length === 0) return raw;
  const left = Object.entries(prices).filter(([name]) => !moved.some((one) => one === name));
  const taken = moved.map((name) => [name, prices[name]]);
  return {
    ...(raw as object),
    prices: Object.fromEntries(left),
    price_tables: { ...tables, ...Object.fromEntries(taken) },
  };
}

function isSetting(prices: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = Object.hasOwn(prices, name) ? prices[name] : undefined;
  return ['string', 'number'].includes(typeof value) || Array.isArray(value);
}

function mapAt(raw: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, name)) return undefined;
  const value: unknown = Reflect.get(raw, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
