/** Turns token counts into money: exactly, in integers, rounded up once at the end. */

import type { Usage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { Price, Rate, UnitPrices } from './price.ts';

const million = 1_000_000n;

/** A count as money can use it: providers also report negative, fractional and absent ones. */
function whole(value: number | undefined): number {
  return value === undefined || !(value > 0) || !Number.isFinite(value) ? 0 : Math.ceil(value);
}

const count = (value: number | undefined): bigint => BigInt(whole(value));

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const roundUp = (micro: bigint): bigint => (micro + million - 1n) / million;

/** The same as in big integers, which cost more than the whole of a plain request's arithmetic where plain numbers are exact too. */
function sumUp(input: number, inputNano: bigint, output: number, outputNano: bigint): bigint {
  const micro = input * Number(inputNano) + output * Number(outputNano);
  if (!Number.isSafeInteger(micro)) return roundUp(BigInt(input) * inputNano + BigInt(output) * outputNano);
  const rest = micro % 1_000_000;
  return BigInt((micro - rest) / 1_000_000 + (rest > 0 ? 1 : 0));
}

function rateAt(rate: Rate, inputTokens: bigint): bigint {
  let nano = rate.nanoPerMillion;
  for (const tier of rate.tiers) if (inputTokens > BigInt(tier.aboveInputTokens)) nano = tier.nanoPerMillion;
  return nano;
}

/** Tokens that are priced alike, under the name that people know them by. */
export type TokenClass = readonly [name: TokenClassName, tokens: bigint, rate: Rate];
export type TokenClassName = 'input' | 'cache read' | 'cache write' | 'input audio' | 'output' | 'output audio';

/** Input tokens in classes that are priced apart and that together are never more than the total. */
function inputClasses(price: Price, input: Usage['input']): { total: bigint; classes: TokenClass[] } {
  const cacheRead = count(input.cacheRead);
  const cacheWrite = count(input.cacheWrite);
  // A provider that says only the parts has said the total.
  const total = input.total === undefined ? count(input.fresh) + cacheRead + cacheWrite : count(input.total);
  let left = total;
  const take = (name: TokenClassName, wanted: bigint, rate: Rate): TokenClass => {
    const taken = least(wanted, left);
    left -= taken;
    return [name, taken, rate];
  };
  const classes = [
    take('cache read', cacheRead, price.cacheRead ?? price.input),
    take('cache write', cacheWrite, price.cacheWrite ?? price.input),
    take('input audio', price.inputAudio === undefined ? 0n : count(input.audio), price.inputAudio ?? price.input),
  ];
  return { total, classes: [...classes, ['input', left, price.input]] };
}

function outputClasses(price: Price, output: Usage['output']): TokenClass[] {
  const parts = count(output.text) + count(output.thinking) + count(output.audio) + count(output.image);
  const total = output.total === undefined ? parts : count(output.total);
  const audio = price.outputAudio === undefined ? 0n : least(count(output.audio), total);
  return [
    ['output audio', audio, price.outputAudio ?? price.output],
    ['output', total - audio, price.output],
  ];
}

/** What a call used in classes, each with the rate of a request of its size, nano-USD for a million. */
export function tokenClasses(
  price: Price,
  usage: Usage,
): [name: TokenClassName, tokens: bigint, nanoPerMillion: bigint][] {
  const { total, classes } = inputClasses(price, usage.input);
  return [...classes, ...outputClasses(price, usage.output)].map(([name, tokens, rate]) => [
    name,
    tokens,
    rateAt(rate, total),
  ]);
}

/** Nothing but fresh input and output at flat rates: what most calls are, and nothing that needs taking apart. */
function isPlain(price: Price, { input, output }: Usage): boolean {
  if (price.input.tiers.length > 0 || price.output.tiers.length > 0) return false;
  return !input.cacheRead && !input.cacheWrite && !input.audio && !output.audio;
}

/** What a call cost, in nano-USD. Unknown counts cost nothing here; whoever has none estimates them first. */
export function costOf(price: Price, usage: Usage): bigint {
  const { input, output } = usage;
  if (input.total !== undefined && output.total !== undefined && isPlain(price, usage)) {
    const { input: inputRate, output: outputRate } = price;
    return sumUp(whole(input.total), inputRate.nanoPerMillion, whole(output.total), outputRate.nanoPerMillion);
  }
  let micro = 0n;
  for (const [, tokens, nanoPerMillion] of tokenClasses(price, usage)) micro += tokens * nanoPerMillion;
  return roundUp(micro);
}

/** The dearest that one of these rates can be for a request of at most so many input tokens; tiers need not ascend in price. */
function dearest(rates: readonly (Rate | undefined)[], inputTokensMax: bigint): bigint {
  let nano = 0n;
  for (const rate of rates) {
    if (rate === undefined) continue;
    nano = greatest(nano, rate.nanoPerMillion);
    for (const tier of rate.tiers) {
      if (inputTokensMax > BigInt(tier.aboveInputTokens)) nano = greatest(nano, tier.nanoPerMillion);
    }
  }
  return nano;
}

interface Dearest {
  readonly inputNano: bigint;
  readonly outputNano: bigint;
}

/** Prices without tiers have one answer for every size of request. */
const flatDearest = new WeakMap<Price, Dearest>();

function dearestOf(price: Price, inputTokens: number): Dearest {
  const known = flatDearest.get(price);
  if (known !== undefined) return known;
  const inputTokensMax = BigInt(inputTokens);
  const inputRates = [price.input, price.cacheRead, price.cacheWrite, price.inputAudio];
  const outputRates = [price.output, price.outputAudio];
  const found = { inputNano: dearest(inputRates, inputTokensMax), outputNano: dearest(outputRates, inputTokensMax) };
  if ([...inputRates, ...outputRates].every((rate) => rate === undefined || rate.tiers.length === 0))
    flatDearest.set(price, found);
  return found;
}

/** The most that a call within these counts can cost, whatever classes its tokens turn out to be. */
export function boundOf(
  price: Price,
  counts: { readonly inputTokensMax: number; readonly outputTokensMax: number },
): bigint {
  const input = whole(counts.inputTokensMax);
  const { inputNano, outputNano } = dearestOf(price, input);
  return sumUp(input, inputNano, whole(counts.outputTokensMax), outputNano);
}

export const unitNames = [
  'images',
  'seconds',
  'characters',
  'searches',
  'videoSeconds',
  'videos',
] as const satisfies readonly (keyof UnitPrices)[];
const secondsPerMinute = 60n;
/** Sound is heard in fractions of a second: units are counted in thousandths. */
const perUnit = 1_000n;
const unitDivisor = million * perUnit * secondsPerMinute;

/** A fraction that floats cannot hold, such as 2.007, must not become a thousandth more. */
function thousandths(given: number): bigint {
  return BigInt(Math.ceil(Number((given * 1_000).toFixed(3))));
}

/** Sixty times as much as a unit costs, so that a second's share of a minute is not rounded before the end. */
function sixtyfoldOf(name: keyof UnitPrices, rate: bigint | undefined, given: number | undefined): bigint {
  if (rate === undefined || given === undefined || !(given > 0) || !Number.isFinite(given)) return 0n;
  return thousandths(given) * rate * (name === 'seconds' ? 1n : secondsPerMinute);
}

/** What units other than tokens cost, or can cost at most. */
export function unitCostOf(price: Price, units: Consumption | undefined): bigint {
  if (units === undefined || price.units === undefined) return 0n;
  let sixtyfold = 0n;
  for (const name of unitNames) sixtyfold += sixtyfoldOf(name, price.units[name], units[name]);
  return (sixtyfold + unitDivisor - 1n) / unitDivisor;
}

/** The same unit by unit: shares of nano-USD, of which `unitDivisor` make a whole one. */
export function unitShares(
  price: Price,
  units: Consumption,
): { readonly divisor: bigint; readonly shares: UnitShare[] } {
  const shares: UnitShare[] = [];
  for (const name of unitNames) {
    const quantity = units[name] ?? 0;
    const rate = price.units?.[name] ?? 0n;
    if (quantity > 0) shares.push({ name, quantity, rate, share: sixtyfoldOf(name, rate, quantity) });
  }
  return { divisor: unitDivisor, shares };
}

export interface UnitShare {
  readonly name: keyof UnitPrices;
  readonly quantity: number;
  readonly rate: bigint;
  readonly share: bigint;
}
