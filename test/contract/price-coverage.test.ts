/** How many of the models that people pay for have a price of their own host and a context length: with the bundled table alone, and with public tables beside it. */

import { describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrices, type Prices } from '../../src/prices/prices.ts';
import { readTable } from '../../src/prices/tables/read-table.ts';
import { hostsIn, type PriceTable } from '../../src/prices/tables/table.ts';
import { vendorTables } from '../../src/providers/preset-facts.ts';
import { presets } from '../../src/providers/presets.ts';
import { testShared } from '../harness/recordings.ts';
import { isFullSize } from '../harness/size.ts';

const atMs = Date.parse('2026-07-02T12:00:00Z');

interface Coverage {
  readonly models: number;
  readonly priced: number;
  readonly context: number;
}

type Published = Record<
  string,
  { models: Record<string, { cost?: Record<string, unknown> | null; status?: string | null }> }
>;

/** The models that each host sells and has not given up, by models.dev's own words. */
function soldBy(published: Published): ReadonlyMap<string, readonly string[]> {
  const isPaid = (cost: Record<string, unknown>) =>
    Object.values(cost).some((usd) => typeof usd === 'number' && usd > 0);
  return new Map(
    Object.entries(published).map(([host, { models }]) => [
      host,
      Object.entries(models).flatMap(([model, { cost, status }]) =>
        status !== 'deprecated' && isPaid(cost ?? {}) ? [model] : [],
      ),
    ]),
  );
}

async function pricesWith(...tables: PriceTable[]): Promise<Prices> {
  const prices = createPrices({ overrides: [], vendors: vendorTables, nowMs: () => atMs });
  prices.setTables(tables);
  await prices.ready();
  return prices;
}

function coverageOf(prices: Prices, { name, tables }: (typeof presets)[number], models: readonly string[]): Coverage {
  let [priced, context] = [0, 0];
  for (const model of models) {
    const question = { providerName: name, tables, model };
    const price = prices.priceOf(question);
    if (price !== undefined && price.guess !== true) priced++;
    const { contextTokens, contextOf } = prices.factsOf(question);
    if (contextTokens !== undefined && contextOf === undefined) context++;
  }
  return { models: models.length, priced, context };
}

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : (100 * part) / whole);
const shown = (part: number, whole: number): string => `${part} (${percent(part, whole).toFixed(1)} %)`;
const sum = (rows: readonly Coverage[]): Coverage => ({
  models: rows.reduce((total, row) => total + row.models, 0),
  priced: rows.reduce((total, row) => total + row.priced, 0),
  context: rows.reduce((total, row) => total + row.context, 0),
});

describe('coverage', () => {
  testShared(
    'of the models that models.dev knows',
    'tables',
    async (folder) => {
      const text = readFileSync(join(folder, 'models-dev.json'), 'utf8');
      const modelsDev = readTable(text, '2026-07-02');
      const litellm = readTable(readFileSync(join(folder, 'litellm-prices.json'), 'utf8'), '2026-08-08');
      const sold = soldBy(JSON.parse(text) as Published);
      const soldAt = ({ tables }: (typeof presets)[number]) =>
        hostsIn('models.dev', tables).flatMap((host) => sold.get(host) ?? []);
      const sources = {
        // Shown beside it, and judged by nothing.
        ...(isFullSize && { bundled: await pricesWith(), 'and litellm': await pricesWith(litellm) }),
        'all three': await pricesWith(modelsDev, litellm),
      };
      const known = presets.filter((preset) => soldAt(preset).length > 0);
      const rows = known.map((preset) => ({
        preset: preset.name,
        of: Object.values(sources).map((prices) => coverageOf(prices, preset, soldAt(preset))),
      }));
      const totals = Object.values(sources).map((_, index) => sum(rows.flatMap(({ of }) => of[index] ?? [])));
      const lines = [...rows, { preset: 'all', of: totals }].map(({ preset, of }) => [
        preset,
        String(of[0]?.models ?? 0),
        ...of.flatMap(({ models, priced, context }) => [shown(priced, models), shown(context, models)]),
      ]);
      const heads = Object.keys(sources).flatMap((source) => [`${source}: priced`, 'context']);
      console.log(
        [['preset', 'paid models', ...heads], heads.concat('', '').map(() => '---'), ...lines]
          .map((line) => `| ${line.join(' | ')} |`)
          .join('\n'),
      );
      expect(known.length).toBeGreaterThan(30);
      const total = totals.at(-1) ?? { models: 0, priced: 0, context: 0 };
      expect(total.models).toBeGreaterThan(1_400);
      expect(percent(total.priced, total.models)).toBeGreaterThanOrEqual(95);
      expect(percent(total.context, total.models)).toBeGreaterThanOrEqual(95);
      // Single models without a context in a table, such as those for transcripts, must not hide a missing host.
      const poor = rows.filter(({ of }) =>
        [of.at(-1)?.priced, of.at(-1)?.context].some((part) => percent(part ?? 0, of.at(-1)?.models ?? 0) < 90),
      );
      expect(poor.map(({ preset }) => preset)).toEqual([]);
    },
    60_000,
  );
});
