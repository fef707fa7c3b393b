/** Prices as operators write them: every class that providers bill, each under the unit that people price it by. */

import { z } from 'zod';
import { builtOnce } from '../settings/built-once.ts';
import type { PriceConfig, PriceRates, PriceStep, PriceTierName } from '../settings/config.ts';

const bounds = 'a number from 0 to 1000000';
const usdFor = (what: string) => {
  const error = `USD ${what}, ${bounds}`;
  return z.number({ error }).min(0, { error }).max(1_000_000, { error });
};
const rate = builtOnce(() => usdFor('per million tokens').optional());

/** The key of each kind of tokens, and what the rest of Weir calls it. */
const tokenNames = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite',
  cache_write_1h: 'cacheWrite1h',
  input_audio: 'inputAudio',
  input_image: 'inputImage',
  input_video: 'inputVideo',
  cached_audio: 'cachedAudio',
  cached_image: 'cachedImage',
  cached_video: 'cachedVideo',
  thinking: 'thinking',
  output_audio: 'outputAudio',
  output_image: 'outputImage',
  output_video: 'outputVideo',
} as const satisfies Readonly<Record<string, keyof PriceRates>>;
type TokenKey = keyof typeof tokenNames;
const tokenKeys = Object.keys(tokenNames) as TokenKey[];

const tokens = builtOnce(
  () => Object.fromEntries(tokenKeys.map((key) => [key, rate()])) as { [Key in TokenKey]: ReturnType<typeof rate> },
);

const stepShape = 'a map of prices by the number of input tokens above which they apply';
const above = builtOnce(() =>
  z
    .record(
      z.string().regex(/^[1-9]\d{0,8}$/, { error: 'a whole number of input tokens' }),
      z.strictObject(tokens(), { error: 'a map with prices of tokens' }),
      { error: stepShape },
    )
    .optional(),
);

const serviceTiers = ['flex', 'priority', 'batch', 'fast'] as const satisfies readonly PriceTierName[];
const tierShape = 'a map with prices of tokens, and above';
const tier = builtOnce(() => z.strictObject({ ...tokens(), above: above() }, { error: tierShape }).optional());
const tiers = () =>
  Object.fromEntries(serviceTiers.map((name) => [name, tier()])) as {
    [Name in PriceTierName]: ReturnType<typeof tier>;
  };

/** `high/1024x1024`, `1080p`. */
const kindName = () =>
  z.string().regex(/^[\w.-]{1,40}(?:\/[\w.-]{1,40})?$/, { error: 'a size, a quality, or quality/size' });
const toolName = () => z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, { error: 'the name of a tool: web_search' });
const kinds = (what: string) => z.record(kindName(), usdFor(what), { error: 'a map of prices by kind' }).optional();

const units = {
  image: () => usdFor('for one image').optional(),
  images: () => kinds('for one image'),
  minute: () => usdFor('per minute of audio').optional(),
  characters: () => usdFor('per million characters').optional(),
  searches: () => usdFor('per 1000 searches').optional(),
  video_second: () => usdFor('per second of video').optional(),
  video_seconds: () => kinds('per second of video'),
  video: () => usdFor('for one video').optional(),
  page: () => usdFor('for one page').optional(),
  request: () => usdFor('for one request').optional(),
};
type UnitKey = keyof typeof units;
const unitKeys = Object.keys(units) as UnitKey[];
const unitPrices = () =>
  Object.fromEntries(unitKeys.map((key) => [key, units[key]()])) as {
    [Key in UnitKey]: ReturnType<(typeof units)[Key]>;
  };

const currency = 'USD: other currencies are not converted';
const contextRange = 'a whole number of tokens from 1 to 100000000';
const priceShape = `a map with input and output, or with one of ${unitKeys.join(', ')}`;

export const priceSchema = builtOnce(() =>
  z
    .strictObject(
      {
        ...tokens(),
        ...unitPrices(),
        web_searches: usdFor('per 1,000 web searches').optional(),
        tools: z.record(toolName(), usdFor('for one call'), { error: 'a map of prices by tool' }).optional(),
        above: above(),
        service_tiers: z.strictObject(tiers(), { error: `a map with ${serviceTiers.join(', ')}` }).optional(),
        currency: z.literal('USD', { error: currency }).optional(),
        context_tokens: z
          .int({ error: contextRange })
          .min(1, { error: contextRange })
          .max(100_000_000, { error: contextRange })
          .optional(),
      },
      { error: priceShape },
    )
    .refine(
      (price) =>
        (price.input !== undefined && price.output !== undefined) || unitKeys.some((key) => price[key] !== undefined),
      { error: priceShape },
    ),
);

export type FilePrice = z.output<ReturnType<typeof priceSchema>>;

/** The keys that are known below `prices.name`, for suggesting the one that was meant. */
export function priceKeysAt([section, inside]: readonly PropertyKey[]): readonly string[] {
  if (section === undefined) return Object.keys(priceSchema().shape);
  if (section === 'service_tiers') return inside === undefined ? serviceTiers : [...tokenKeys, 'above'];
  return tokenKeys;
}

function ratesOf(price: Readonly<Partial<Record<TokenKey, number | undefined>>>): PriceRates {
  const known = tokenKeys.flatMap((key) => (price[key] === undefined ? [] : [[tokenNames[key], price[key]] as const]));
  return Object.fromEntries(known);
}

type Steps = FilePrice['above'];

function stepsOf(steps: Steps): readonly PriceStep[] | undefined {
  if (steps === undefined) return undefined;
  return Object.entries(steps)
    .map(([edge, prices]) => ({ aboveInputTokens: Number(edge), rates: ratesOf(prices) }))
    .sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
}

function tiersOf(given: FilePrice['service_tiers']): PriceConfig['serviceTiers'] {
  if (given === undefined) return undefined;
  const known = serviceTiers.flatMap((name) => {
    const own = given[name];
    return own === undefined ? [] : [[name, { rates: ratesOf(own), steps: stepsOf(own.above) }] as const];
  });
  return Object.fromEntries(known);
}

export function priceConfig(pattern: string, price: FilePrice): PriceConfig {
  const { input = 0, output = 0, cacheRead, cacheWrite, ...rates } = ratesOf(price);
  return {
    pattern,
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(Object.keys(rates).length > 0 && { rates }),
    steps: stepsOf(price.above),
    serviceTiers: tiersOf(price.service_tiers),
    image: price.image,
    images: price.images,
    minute: price.minute,
    characters: price.characters,
    searches: price.searches,
    videoSecond: price.video_second,
    videoSeconds: price.video_seconds,
    video: price.video,
    page: price.page,
    webSearches: price.web_searches,
    tools: price.tools,
    request: price.request,
    contextTokens: price.context_tokens,
  };
}

/** The reverse: a price as the file would hold it. */
export function priceFile(config: PriceConfig): Readonly<Record<string, unknown>> {
  const { input, output, cacheRead, cacheWrite, rates } = config;
  const sold = {
    image: config.image,
    images: config.images,
    minute: config.minute,
    characters: config.characters,
    searches: config.searches,
    video_second: config.videoSecond,
    video_seconds: config.videoSeconds,
    video: config.video,
    page: config.page,
    request: config.request,
  };
  // A price in units alone is read as tokens that cost nothing.
  const inTokens = input !== 0 || output !== 0 || Object.values(sold).every((unit) => unit === undefined);
  return {
    ...(inTokens && { input, output }),
    ...keysOf({ cacheRead, cacheWrite, ...rates }),
    ...sold,
    web_searches: config.webSearches,
    tools: config.tools,
    above: fileSteps(config.steps),
    service_tiers: fileTiers(config.serviceTiers),
    context_tokens: config.contextTokens,
  };
}

function keysOf(rates: { readonly [Name in keyof PriceRates]?: number | undefined }): Record<string, number> {
  return Object.fromEntries(
    tokenKeys.flatMap((key) => {
      const usd = rates[tokenNames[key]];
      return usd === undefined ? [] : [[key, usd] as const];
    }),
  );
}

function fileSteps(steps: readonly PriceStep[] | undefined): object | undefined {
  return steps && Object.fromEntries(steps.map(({ aboveInputTokens, rates }) => [aboveInputTokens, keysOf(rates)]));
}

function fileTiers(given: PriceConfig['serviceTiers']): object | undefined {
  if (given === undefined) return undefined;
  const known = serviceTiers.flatMap((name) => {
    const own = given[name];
    if (own === undefined) return [];
    return [[name, { ...keysOf(own.rates), ...(own.steps !== undefined && { above: fileSteps(own.steps) }) }] as const];
  });
  return Object.fromEntries(known);
}
