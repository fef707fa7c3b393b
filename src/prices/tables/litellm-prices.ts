/** Prices in LiteLLM's table: some eighty keys, each for one of a unit, that may name a step and a tier of service at their end. */

import type { ServiceTier } from '../../conversation/usage.ts';
import type { TokenRateName, UnitPrices } from '../price.ts';
import { RateBuilder } from '../rate-builder.ts';
import { powers, sellsTokens, type TablePrice, tokenNano, unitNano } from './table.ts';
import { type Fields, fieldOf, fieldsOf, listOf, priceAt, shown, TableError, type TablePath } from './table-error.ts';

const rateKeys: Readonly<Record<string, TokenRateName>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  input_cost_per_token_cache_hit: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
  cache_creation_input_token_cost_above_1hr: 'cacheWrite1h',
  cache_read_input_audio_token_cost: 'cachedAudio',
  cache_read_input_image_token_cost: 'cachedImage',
  input_cost_per_audio_token: 'inputAudio',
  input_cost_per_image_token: 'inputImage',
  input_cost_per_video_token: 'inputVideo',
  output_cost_per_reasoning_token: 'thinking',
  output_cost_per_audio_token: 'outputAudio',
  output_cost_per_image_token: 'outputImage',
  output_cost_per_video_token: 'outputVideo',
};

const tierNames: Readonly<Record<string, ServiceTier>> = { flex: 'flex', priority: 'priority', batches: 'batch' };

/**
 * What is priced beside tokens depends on the model's mode: the same key prices transcribed audio here and video there.
 */
const imageModes: ReadonlySet<string> = new Set(['image_generation', 'image_edit']);
const audioModes: ReadonlySet<string> = new Set(['audio_transcription', 'audio_speech']);

/** Units that prices may be for; one of these that has no class is reported and left out. */
const knownUnits: ReadonlySet<string> = new Set([
  ...['token', 'audio', 'image', 'video', 'reasoning', 'character', 'pixel', 'query', 'request', 'second', 'page'],
  ...['session', 'credit', 'gb', 'unit', 'call', '1k', 'million', 'minute', 'hour', 'prompt', 'step', 'prediction'],
]);

const secondsPerMinute = 60n;

interface LitellmPrice {
  readonly price: TablePrice | undefined;
  /** What so many pixels cost, where they are priced. */
  pixelNano(pixels: number): bigint | undefined;
  /** Kinds that were left out. */
  readonly left: readonly string[];
}

interface Units {
  /** Nano-USD for a million of each, by the key's name. */
  readonly of: Map<string, bigint>;
  readonly mode: string;
}

export function litellmPrice(fields: Fields, model: string): LitellmPrice {
  const builder = new RateBuilder();
  const units: Units = { of: new Map(), mode: String(fieldOf(fields, 'mode') ?? '') };
  const left: string[] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const at = [model, key];
    if (key === 'tiered_pricing') readSteps(builder, value, at, left);
    else if (key === 'search_context_cost_per_query') readSearches(builder, value, at);
    else if (callFees[key] !== undefined) readCallFee(builder, callFees[key], value, at);
    else if (/(^|_)cost(_|$)/.test(key) && !readRate(builder, key, value, at)) readUnit(units, key, value, at, left);
  }
  addUnits(builder, units, left);
  const price = builder.price();
  const pixel = (units.of.get('input_cost_per_pixel') ?? 0n) + (units.of.get('output_cost_per_pixel') ?? 0n);
  return {
    price: price !== undefined && isMeant(price, units.mode) ? price : undefined,
    pixelNano: (pixels) => (pixel === 0n ? undefined : pixel * BigInt(pixels)),
    left,
  };
}

/** Images without a price for each or for their tokens: the price for text is then one for something else. */
function isMeant({ outputImage, units }: TablePrice, mode: string): boolean {
  return !imageModes.has(mode) || outputImage !== undefined || units?.images !== undefined;
}

const ending = /^(.+?)(?:_above_(\d+)k_tokens)?(?:_(flex|priority|batches))?$/;

function readRate(builder: RateBuilder, key: string, value: unknown, at: TablePath): boolean {
  const [, base = '', thousands, tier] = ending.exec(key) ?? [];
  const name = Object.hasOwn(rateKeys, base) ? rateKeys[base] : undefined;
  if (name === undefined) return false;
  const nano = priceAt(value, at, (usd) => tokenNano(usd, powers.perToken));
  builder.set(name, nano, Number(thousands ?? 0) * 1_000, tier === undefined ? undefined : tierNames[tier]);
  return true;
}

/** Steps by the size of the input, each with all its rates. */
function readSteps(builder: RateBuilder, value: unknown, at: TablePath, left: string[]): void {
  for (const [index, one] of listOf(value, at, 20).entries()) {
    const place = [...at, index];
    const step = fieldsOf(one, place);
    const range = fieldOf(step, 'range');
    if (!Array.isArray(range)) {
      left.push('tiered_pricing');
      return;
    }
    const [from] = range as unknown[];
    if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0)
      throw new TableError([...place, 'range'], `${shown(from)} is no number of tokens.`);
    for (const [key, rate] of Object.entries(step)) {
      const name = Object.hasOwn(rateKeys, key) ? rateKeys[key] : undefined;
      if (key === 'range' || rate === null) continue;
      if (name === undefined) left.push(key);
      else
        builder.set(
          name,
          priceAt(rate, [...place, key], (usd) => tokenNano(usd, powers.perToken)),
          from,
        );
    }
  }
}

/** The caller chooses the search size: the most expensive counts. */
function readSearches(builder: RateBuilder, value: unknown, at: TablePath): void {
  let highest = -1n;
  for (const [size, usd] of Object.entries(fieldsOf(value, at))) {
    if (usd === null) continue;
    const nano = priceAt(usd, [...at, size], (given) => unitNano(given, powers.perUnit));
    if (nano > highest) highest = nano;
  }
  if (highest > 0n) builder.units.webSearches = highest;
}

/** Fees for each call of a tool that the provider runs. */
const callFees: Readonly<Record<string, string>> = {
  google_maps_grounding_cost_per_query: 'google_maps',
  code_interpreter_cost_per_session: 'code_interpreter',
};

function readCallFee(builder: RateBuilder, tool: string, value: unknown, at: TablePath): void {
  const nano = priceAt(value, at, (given) => unitNano(given, powers.perUnit));
  if (nano > 0n) builder.units.tools = { ...builder.units.tools, [tool]: nano };
}

function readUnit(units: Units, key: string, value: unknown, at: TablePath, left: string[]): void {
  if (typeof value === 'object') {
    left.push(key);
    return;
  }
  const nano = priceAt(value, at, (usd) => unitNano(usd, powers.perUnit));
  const unit = /_per_([a-z0-9]+)/.exec(key)?.[1] ?? 'token';
  if (!knownUnits.has(unit)) throw new TableError(at, 'This unit of a price is not known.');
  units.of.set(key, nano);
}

type Taken = readonly [unit: keyof UnitPrices, nano: bigint];

/** Each kind of model is sold by its own unit; tokens come first, since tables often give both for the same use. */
function addUnits(builder: RateBuilder, { of, mode }: Units, left: string[]): void {
  const used = new Set<string>();
  const greatest = (...keys: readonly string[]): bigint => {
    let most = 0n;
    for (const key of keys) {
      const nano = of.get(key);
      if (nano === undefined) continue;
      used.add(key);
      if (nano > most) most = nano;
    }
    return most;
  };
  const price = builder.price();
  const isByToken = price !== undefined && sellsTokens(price);
  const taken: Taken[] = [['requests', greatest('input_cost_per_request')]];
  if (imageModes.has(mode)) {
    const made = greatest('output_cost_per_image') || greatest('input_cost_per_image');
    greatest('input_cost_per_image', 'input_cost_per_pixel', 'output_cost_per_pixel');
    if (!builder.has('outputImage')) taken.push(['images', made]);
  } else if (audioModes.has(mode)) {
    const seconds = greatest('input_cost_per_second', 'output_cost_per_second') * secondsPerMinute;
    const characters = greatest('input_cost_per_character');
    if (!isByToken) taken.push(['seconds', seconds], ['characters', characters]);
  } else if (mode === 'video_generation') {
    taken.push(['videoSeconds', greatest('output_cost_per_second', 'output_cost_per_video_per_second')]);
    addResolutions(builder, of, used);
  } else if (mode === 'rerank' || mode === 'search') {
    taken.push(['searches', greatest('input_cost_per_query')]);
  } else if (mode === 'ocr') taken.push(['pages', greatest('ocr_cost_per_page')]);
  for (const [unit, nano] of taken) if (nano > 0n) Object.assign(builder.units, { [unit]: nano });
  left.push(...[...of].filter(([key, nano]) => !used.has(key) && nano > 0n).map(([key]) => key));
}

/** `output_cost_per_second_1080p` and the like. */
function addResolutions(builder: RateBuilder, of: ReadonlyMap<string, bigint>, used: Set<string>): void {
  const kinds: Record<string, bigint> = {};
  for (const [key, nano] of of) {
    const resolution = /^output_cost_per(?:_video_per)?_second_(\d{3,4}p|\dk)$/.exec(key)?.[1];
    if (resolution === undefined || nano === 0n) continue;
    kinds[resolution] = nano;
    used.add(key);
  }
  if (Object.keys(kinds).length > 0) builder.units.videoSecondsOf = kinds;
}
