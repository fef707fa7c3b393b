/** Reads the prices in a provider's list of models, digit by digit: no price is ever held as a float. */

import { isObject, type Tree } from '../conversation/json-tree.ts';
import {
  type ListedPrice,
  type ListedRate,
  type ListedRateName,
  type ListedUnitName,
  listedRateNames,
  listedUnitNames,
} from '../conversation/model-profile.ts';

type RatePaths = { readonly [Name in ListedRateName]?: string };

/** Where the prices of a list are, as names joined by dots, and what a number means there. */
export interface ListPricing {
  readonly rates: RatePaths;
  /** A price of 1 is ten to this power USD for a million tokens: 0 where a million is priced, 6 where one token is. */
  readonly powerOfTen: number;
  /** USD for each. */
  readonly units?: { readonly [Name in ListedUnitName]?: string };
  /** Rates of longer inputs: one object or a list of them, each with the number of input tokens that it begins at. */
  readonly steps?: { readonly at: string; readonly from: string; readonly rates: RatePaths };
  /** The same, beside each rate under its name with this ending: `input_tiers: [{cost, min}]`. */
  readonly ownSteps?: { readonly ending: string; readonly from: string; readonly price: string };
  /** A model whose rates are all 0 is free; without this flag, zeros mean that no price is set. */
  readonly zeroIsFree?: boolean;
}

/**
 * Many hosts write what https://openrouter.ai/docs/guides/community/for-providers asks of them (read 2026-11-16): USD for one
 * token as texts. Numbers under the same names are USD for a million elsewhere, so only texts are read without a declaration.
 */
export const pricingOfTexts: ListPricing = {
  rates: {
    input: 'pricing.prompt',
    output: 'pricing.completion',
    cacheRead: 'pricing.input_cache_read',
    cacheWrite: 'pricing.input_cache_write',
    cacheWrite1h: 'pricing.input_cache_write_1h',
    thinking: 'pricing.internal_reasoning',
    inputAudio: 'pricing.audio',
    outputAudio: 'pricing.audio_output',
  },
  powerOfTen: 6,
  units: { requests: 'pricing.request', webSearches: 'pricing.web_search' },
  steps: {
    at: 'pricing.overrides',
    from: 'min_prompt_tokens',
    rates: {
      input: 'prompt',
      output: 'completion',
      cacheRead: 'input_cache_read',
      cacheWrite: 'input_cache_write',
      cacheWrite1h: 'input_cache_write_1h',
      thinking: 'internal_reasoning',
      inputAudio: 'audio',
      outputAudio: 'audio_output',
    },
  },
};

/** Nothing where the list does not say, or says something that cannot be a price: one bad number spoils the model's price, not the list. */
export function priceIn(row: Tree, pricing: ListPricing | undefined): ListedPrice | undefined {
  const declared = pricing ?? (isOfTexts(row) ? pricingOfTexts : undefined);
  if (declared === undefined) return undefined;
  try {
    return readPrice(row, declared);
  } catch (thrown) {
    if (thrown instanceof NoPrice) return undefined;
    throw thrown;
  }
}

class NoPrice extends Error {}

function isOfTexts(row: Tree): boolean {
  const pricing = row['pricing'];
  return isObject(pricing) && typeof pricing['prompt'] === 'string' && typeof pricing['completion'] === 'string';
}

function readPrice(row: Tree, pricing: ListPricing): ListedPrice | undefined {
  const power = nanoPower + pricing.powerOfTen;
  const rates = new Map<ListedRateName, ListedRate>();
  for (const name of listedRateNames) {
    const path = pricing.rates[name];
    const nano = path === undefined ? undefined : nanoOf(valueAt(row, path), power, rateMax);
    if (path === undefined || nano === undefined) continue;
    // A kind that is listed with 0 is one that is not priced apart.
    if (nano === 0n && name !== 'input' && name !== 'output') continue;
    const steps = stepsOf(row, pricing, name, path, power);
    rates.set(name, { nano: String(nano), ...(steps.length > 0 && { steps }) });
  }
  const input = rates.get('input');
  const output = rates.get('output') ?? (writesNothing(row) ? { nano: '0' } : undefined);
  if (input === undefined || output === undefined) return undefined;
  const isZero = [...rates.values()].every(({ nano }) => nano === '0');
  if (isZero && pricing.zeroIsFree !== true) return undefined;
  const units = unitsIn(row, pricing);
  return { rates: { ...Object.fromEntries(rates), input, output }, ...(units !== undefined && { units }) };
}

/** Models that give numbers instead of texts have no price for what they write. */
function writesNothing(row: Tree): boolean {
  return typeof row['type'] === 'string' && /^(embedding|rerank)/.test(row['type']);
}

const stepsMax = 16;

function stepsOf(
  row: Tree,
  { steps, ownSteps }: ListPricing,
  name: ListedRateName,
  path: string,
  power: number,
): NonNullable<ListedRate['steps']> {
  const price = steps?.rates[name];
  if (steps !== undefined && price !== undefined) {
    return stepsIn(valueAt(row, steps.at), steps.from, price, power);
  }
  if (ownSteps === undefined) return [];
  return stepsIn(valueAt(row, path + ownSteps.ending), ownSteps.from, ownSteps.price, power);
}

/** The first of them may be what the model costs from the first token on, which is listed elsewhere too. */
function stepsIn(value: unknown, from: string, price: string, power: number): NonNullable<ListedRate['steps']> {
  const entries = Array.isArray(value) ? value : isObject(value) ? [value] : [];
  if (entries.length > stepsMax) throw new NoPrice();
  const found = entries.flatMap((entry: unknown) => {
    if (!isObject(entry)) throw new NoPrice();
    const begins = entry[from] ?? 0;
    if (!Number.isSafeInteger(begins) || (begins as number) < 0) throw new NoPrice();
    const nano = nanoOf(valueAt(entry, price), power, rateMax);
    return nano === undefined || (begins as number) <= 1 ? [] : [{ above: (begins as number) - 1, nano: String(nano) }];
  });
  return found.sort((one, other) => one.above - other.above);
}

function unitsIn(row: Tree, { units = {} }: ListPricing): ListedPrice['units'] {
  const found = listedUnitNames.flatMap((name): (readonly [string, string])[] => {
    const path = units[name];
    const nano = path === undefined ? undefined : nanoOf(valueAt(row, path), nanoPower + millionPower, unitMax);
    return nano === undefined || nano === 0n ? [] : [[name, String(nano)]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const nanoPower = 9;
const millionPower = 6;
/** 100,000 USD for a million tokens, 1,000 USD for a search: more than that is a mistake of units. */
const rateMax = 10n ** 14n;
const unitMax = 10n ** 18n;

const decimal = /^(\d{1,20})(?:\.(\d{1,60}))?(?:e([+-]?\d{1,2}))?$/i;

/** Rounded up, so that what is reserved by it is never too little; undefined where there is nothing. */
function nanoOf(value: unknown, powerOfTen: number, most: bigint): bigint | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const found = decimal.exec(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : 'none');
  if (found === null) throw new NoPrice();
  const [, whole = '', fraction = '', exponent = '0'] = found;
  const digits = BigInt(whole + fraction);
  const power = powerOfTen + Number(exponent) - fraction.length;
  const nano = power >= 0 ? digits * 10n ** BigInt(power) : roundedUp(digits, 10n ** BigInt(-power));
  if (nano > most) throw new NoPrice();
  return nano;
}

const roundedUp = (digits: bigint, divisor: bigint): bigint => (digits + divisor - 1n) / divisor;

function valueAt(tree: Tree, path: string): unknown {
  let value: unknown = tree;
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
