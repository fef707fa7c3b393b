/** Prices in LiteLLM's table: some eighty keys, each for one of a unit, that may name a step and a tier of service at their end. */

import type { ServiceTier } from '../../conversation/usage.ts';
import type { TokenRateName, UnitPrices } from '../price.ts';
import { RateBuilder } from '../rate-builder.ts';
import { powers, sellsTokens, type TablePrice, tokenNano, unitNano, withoutUnknown } from './table.ts';
import {
  type Fields,
  fieldOf,
  fieldsOf,
  listOf,
  priceAt,
  saysCost,
  shown,
  TableError,
  type TablePath,
} from './table-error.ts';

const rateKeys: Readonly<Record<string, TokenRateName>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  input_cost_per_token_cache_hit: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
  cache_creation_input_token_cost_above_1hr: 'cacheWrite1h',
  // Weir knows no longer lifetime than an hour: the higher of both counts.
  cache_creation_input_token_cost_above_12hr: 'cacheWrite1h',
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

const secondsPerMinute = 60n;

/** Amounts in the host's own unit beside those in USD. */
const referenceKeys = /_dbu_cost_per_token$/;

interface LitellmPrice {
  readonly price: TablePrice | undefined;
  /** What so many pixels cost, where they are priced. */
  pixelNano(pixels: number): bigint | undefined;
  /** Kinds of price without a class of their own, those of `unknown` included. */
  readonly left: readonly string[];
  /** Where the keys are whose unit is not known: what the model costs by them is missing in its price. */
  readonly unknown: readonly TablePath[];
}

interface Reading {
  readonly builder: RateBuilder;
  readonly mode: string;
  readonly model: string;
  /** Prices beside those of tokens, by the key's name, as they are in the table. */
  readonly units: Map<string, unknown>;
  /** Those of them that a class took: nano-USD for a million of each. */
  readonly taken: Map<string, bigint>;
  readonly left: string[];
  readonly unknown: TablePath[];
}

export function litellmPrice(fields: Fields, model: string): LitellmPrice {
  const builder = new RateBuilder();
  const mode = String(fieldOf(fields, 'mode') ?? '');
  const reading: Reading = { builder, mode, model, units: new Map(), taken: new Map(), left: [], unknown: [] };
  let isStepped = true;
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const at = [model, key];
    if (key === 'tiered_pricing') isStepped = readSteps(reading, value, at);
    else if (key === 'search_context_cost_per_query') readSearches(builder, value, at);
    else if (Object.hasOwn(callFees, key)) readCallFee(builder, callFees[key] ?? key, value, at);
    else if (saysCost(key) && !readRate(builder, key, value, at)) reading.units.set(key, value);
  }
  addUnits(reading);
  const price = builder.price();
  if (!isStepped && price === undefined) throw new TableError([model, 'tiered_pricing'], 'No step begins at 0.');
  for (const [key, value] of reading.units) if (!reading.taken.has(key)) leaveOut(reading, price, key, value);
  const { left, unknown, taken } = reading;
  const meant = price !== undefined && isMeant(price, mode) ? price : undefined;
  const pixel = (taken.get('input_cost_per_pixel') ?? 0n) + (taken.get('output_cost_per_pixel') ?? 0n);
  return {
    price: unknown.length === 0 ? meant : withoutUnknown(meant, mode !== 'embedding'),
    pixelNano: (pixels) => (pixel === 0n ? undefined : pixel * BigInt(pixels)),
    left,
    unknown,
  };
}

/** A key that no class takes. */
function leaveOut(
  { taken, left, unknown, model }: Reading,
  price: TablePrice | undefined,
  key: string,
  value: unknown,
) {
  // Nothing costs nothing, in whatever unit.
  if (value === 0 || value === false) return;
  left.push(key);
  const nano = typeof value === 'number' ? unitNano(value, powers.perUnit) : undefined;
  if (referenceKeys.test(key) || (nano !== undefined && isCovered({ price, taken }, key, nano))) return;
  unknown.push([model, key]);
}

/** What the longer name of a key begins with: `input_cost_per_token` of `input_cost_per_token_balanced`. */
const stems = Object.keys(rateKeys);
const tokenKey = /(^|_)(?:per_token|token_cost)(_|$)/;

/** Is it a part of what is charged anyway, at a rate that is no lower? */
function isCovered(
  { price, taken }: { readonly price: TablePrice | undefined; readonly taken: ReadonlyMap<string, bigint> },
  key: string,
  nano: bigint,
): boolean {
  for (const [unit, charged] of taken) {
    if (key.startsWith(`${unit}_`)) return nano <= charged && !key.slice(unit.length).includes('_per_');
  }
  if (!tokenKey.test(key) || key.replace(tokenKey, '$1$2').includes('_per_')) return false;
  const stem = stems.find((name) => key.startsWith(`${name}_`));
  const side = /(^|_)output_/.test(key) ? 'output' : /(^|_)(input|cache)_/.test(key) ? 'input' : undefined;
  const name = stem === undefined ? side : (rateKeys[stem] ?? side);
  if (price === undefined || name === undefined || side === undefined) return false;
  const whole = price[name] ?? price[side];
  return whole !== undefined && nano <= whole.nanoPerMillion;
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

/** Steps by the size of the input, each with all its rates. False where none begins at 0. */
function readSteps({ builder, left, unknown }: Reading, value: unknown, at: TablePath): boolean {
  let beginsAtNone = false;
  for (const [index, one] of listOf(value, at, 20).entries()) {
    const place = [...at, index];
    const step = fieldsOf(one, place);
    const range = fieldOf(step, 'range');
    if (!Array.isArray(range)) {
      left.push('tiered_pricing');
      unknown.push([...place]);
      return true;
    }
    const [from] = range as unknown[];
    if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0)
      throw new TableError([...place, 'range'], `${shown(from)} is no number of tokens.`);
    beginsAtNone ||= from === 0;
    for (const [key, rate] of Object.entries(step)) {
      const name = Object.hasOwn(rateKeys, key) ? rateKeys[key] : undefined;
      const rateAt = [...place, key];
      if (key === 'range' || rate === null) continue;
      if (name !== undefined)
        builder.set(
          name,
          priceAt(rate, rateAt, (usd) => tokenNano(usd, powers.perToken)),
          from,
        );
      else if (saysCost(key) && rate !== 0 && rate !== false) {
        left.push(key);
        unknown.push(rateAt);
      }
    }
  }
  return beginsAtNone;
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

type Taken = readonly [unit: keyof UnitPrices, nano: bigint];

/** Each kind of model is sold by its own unit; tokens come first, since tables often give both for the same use. */
function addUnits(reading: Reading): void {
  const { builder, mode } = reading;
  const greatest = (...keys: readonly string[]): bigint => {
    let most = 0n;
    for (const key of keys) {
      const nano = takeUnit(reading, key) ?? 0n;
      if (nano > most) most = nano;
    }
    return most;
  };
  const price = builder.price();
  const isByToken = price !== undefined && sellsTokens(price);
  const sold: Taken[] = [['requests', greatest('input_cost_per_request')]];
  if (imageModes.has(mode)) {
    const made = greatest('output_cost_per_image') || greatest('input_cost_per_image');
    greatest('input_cost_per_image', 'input_cost_per_pixel', 'output_cost_per_pixel');
    if (!builder.has('outputImage')) sold.push(['images', made]);
  } else if (audioModes.has(mode)) {
    const seconds = greatest('input_cost_per_second', 'output_cost_per_second') * secondsPerMinute;
    const characters = greatest('input_cost_per_character');
    if (!isByToken) sold.push(['seconds', seconds], ['characters', characters]);
  } else if (mode === 'video_generation') {
    sold.push(['videoSeconds', greatest('output_cost_per_second', 'output_cost_per_video_per_second')]);
    addResolutions(reading);
  } else if (mode === 'rerank' || mode === 'search') {
    sold.push(['searches', greatest('input_cost_per_query')]);
  } else if (mode === 'ocr') sold.push(['pages', greatest('ocr_cost_per_page')]);
  for (const [unit, nano] of sold) if (nano > 0n) Object.assign(builder.units, { [unit]: nano });
}

function takeUnit({ units, taken, model }: Reading, key: string): bigint | undefined {
  if (!units.has(key)) return undefined;
  const nano = priceAt(units.get(key), [model, key], (usd) => unitNano(usd, powers.perUnit));
  taken.set(key, nano);
  return nano;
}

/** `output_cost_per_second_1080p` and the like. */
function addResolutions(reading: Reading): void {
  const kinds: Record<string, bigint> = {};
  for (const key of reading.units.keys()) {
    const resolution = /^output_cost_per(?:_video_per)?_second_(\d{3,4}p|\dk)$/.exec(key)?.[1];
    const nano = resolution === undefined ? 0n : (takeUnit(reading, key) ?? 0n);
    if (resolution !== undefined && nano > 0n) kinds[resolution] = nano;
  }
  if (Object.keys(kinds).length > 0) reading.builder.units.videoSecondsOf = kinds;
}
