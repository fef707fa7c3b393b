/** Replies about prices and price tables. */

import { z } from 'zod';
import type { PriceEntry, PriceView, TokenPriceEntry } from '../../contracts/configuration-contract.ts';
import type {
  HeldPriceView,
  LeftOutView,
  PriceTablesView,
  PriceTableView,
} from '../../contracts/price-table-contract.ts';
import { reply } from '../schema-names.ts';

const tokenPrices = reply<TokenPriceEntry>()(
  'TokenPrices',
  z.strictObject({
    input: z.number().exactOptional(),
    output: z.number().exactOptional(),
    cache_read: z.number().exactOptional(),
    cache_write: z.number().exactOptional(),
    cache_write_1h: z.number().exactOptional(),
    input_audio: z.number().exactOptional(),
    input_image: z.number().exactOptional(),
    input_video: z.number().exactOptional(),
    cached_audio: z.number().exactOptional(),
    cached_image: z.number().exactOptional(),
    cached_video: z.number().exactOptional(),
    thinking: z.number().exactOptional(),
    output_audio: z.number().exactOptional(),
    output_image: z.number().exactOptional(),
    output_video: z.number().exactOptional(),
  }),
);

const priceEntry = reply<PriceEntry>()(
  'PriceEntry',
  z.strictObject({
    ...tokenPrices.shape,
    image: z.number().exactOptional(),
    images: z.record(z.string(), z.number()).exactOptional().describe('By `quality/size`, size or quality.'),
    minute: z.number().exactOptional(),
    characters: z.number().exactOptional(),
    searches: z.number().exactOptional(),
    video_second: z.number().exactOptional(),
    video_seconds: z.record(z.string(), z.number()).exactOptional().describe('By resolution.'),
    video: z.number().exactOptional(),
    page: z.number().exactOptional(),
    web_searches: z.number().exactOptional().describe('For a thousand.'),
    tools: z
      .record(z.string(), z.number())
      .exactOptional()
      .describe('For a call of a tool that the provider runs, by the tool’s name.'),
    request: z.number().exactOptional(),
    currency: z.literal('USD').exactOptional(),
    above: z
      .record(z.string(), tokenPrices)
      .exactOptional()
      .describe('By the number of input tokens above which they hold.'),
    service_tiers: z
      .record(
        z.string(),
        z.strictObject({ ...tokenPrices.shape, above: z.record(z.string(), tokenPrices).exactOptional() }),
      )
      .exactOptional()
      .describe('By tier: `flex`, `priority`, `batch`, `fast`.'),
    context_tokens: z.number().exactOptional(),
  }),
);

export const price = reply<PriceView>()(
  'Price',
  z.strictObject({
    pattern: z.string(),
    origin: z.enum(['file', 'environment', 'local', 'built-in', 'console']),
    originText: z.string(),
    locked: z.boolean(),
    entry: priceEntry,
  }),
);

const heldPrice = reply<HeldPriceView>()(
  'HeldPrice',
  z.strictObject({
    host: z.string(),
    model: z.string(),
    rates: z.array(
      z.strictObject({
        rate: z.string(),
        before: z.string().exactOptional(),
        after: z.string().exactOptional(),
        unit: z.string(),
      }),
    ),
  }),
);

const leftOut = reply<LeftOutView>()(
  'PriceLeftOut',
  z.strictObject({
    what: z.enum(['model', 'key']),
    place: z.string().describe('Line and key, as in `line 12, gpt-5/input_cost_per_token`.'),
    says: z.string(),
  }),
);

const priceTable = reply<PriceTableView>()(
  'PriceTable',
  z.strictObject({
    source: z.string(),
    version: z.string(),
    day: z.string().describe('The date of its data, or else (`dated` is false) the date on which it was fetched.'),
    ageDays: z.number(),
    dated: z.boolean(),
    origin: z
      .string()
      .exactOptional()
      .describe('Where it came from; absent for the one that is bundled with this version.'),
    models: z.number().exactOptional().describe('Models that it has a price for.'),
    held: z.array(heldPrice),
    leftOut: z
      .strictObject({
        models: z.number().describe('Models that cannot be read.'),
        keys: z.number().describe('Keys of models that are read without them: these prices count as guesses.'),
        kept: z.number().describe('Models that keep their previous price because of it.'),
        named: z.array(leftOut),
      })
      .exactOptional()
      .describe('Of a downloaded table, what is not understood; `named` are the first of it.'),
  }),
);

export const priceTables = reply<PriceTablesView>()(
  'PriceTables',
  z.strictObject({
    tables: z.array(priceTable),
    old: z.boolean().describe('The newest is so old that some prices are wrong.'),
    fault: z.string().exactOptional().describe('Why the last fetch failed.'),
  }),
);
