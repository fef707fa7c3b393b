/** Turns token counts into money: exactly, in integers, rounded up once at the end. */

import type { ServiceTier, Usage } from '../conversation/usage.ts';
import type { Consumption } from '../operations/consumption.ts';
import {
  type Price,
  type Rate,
  type TokenRateName,
  type TokenRates,
  tokenRateNames,
  type UnitPrices,
} from '../prices/price.ts';

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

/** Tokens that are priced alike, by the name of their rate. */
type TokenClass = readonly [name: TokenRateName, tokens: bigint, rate: Rate];

/** The rates of the tier that a call was served with; what the tier does not name costs what it costs without it. */
function ratesFor(price: Price, tier: ServiceTier | undefined): Price {
  if (tier === undefined || price.serviceTiers === undefined) return price;
  const known = tierPrices.get(price) ?? {};
  const found = known[tier];
  if (found !== undefined) return found;
  const merged = { ...price, ...ratesOfTier(price.serviceTiers, tier) } as Price;
  tierPrices.set(price, { ...known, [tier]: merged });
  return merged;
}

/** The fast tier is sold as priority where it has no price of its own. */
function ratesOfTier(tiers: NonNullable<Price['serviceTiers']>, tier: ServiceTier): TokenRates {
  const own = tiers[tier] ?? (tier === 'fast' ? tiers.priority : undefined) ?? {};
  return Object.fromEntries(Object.entries(own).filter(([, rate]) => rate !== undefined));
}

const tierPrices = new WeakMap<Price, { readonly [Tier in ServiceTier]?: Price }>();

/** Hands out tokens of a total, class by class, never more than are left. */
class Division {
  readonly classes: TokenClass[] = [];
  left: bigint;

  constructor(total: bigint) {
    this.left = total;
  }

  take(name: TokenRateName, wanted: bigint, rate: Rate): bigint {
    const taken = least(greatest(wanted, 0n), this.left);
    this.left -= taken;
    this.classes.push([name, taken, rate]);
    return taken;
  }

  /** Only where the kind has a rate of its own: elsewhere it stays with the kind that it is part of. */
  takePriced(name: TokenRateName, wanted: bigint, rate: Rate | undefined): bigint {
    return rate === undefined ? 0n : this.take(name, wanted, rate);
  }
}

/** Input tokens in classes that are priced apart and that together are never more than the total. */
function inputClasses(price: Price, input: Usage['input']): { total: bigint; classes: TokenClass[] } {
  const cacheRead = count(input.cacheRead);
  const cacheWrite = count(input.cacheWrite);
  // A provider that says only the parts has said the total.
  const total = input.total === undefined ? count(input.fresh) + cacheRead + cacheWrite : count(input.total);
  const parts = new Division(total);
  const cached = [
    parts.takePriced('cachedAudio', least(count(input.cachedAudio), cacheRead), price.cachedAudio),
    parts.takePriced('cachedImage', least(count(input.cachedImage), cacheRead), price.cachedImage),
    parts.takePriced('cachedVideo', least(count(input.cachedVideo), cacheRead), price.cachedVideo),
  ].reduce((sum, tokens) => sum + tokens, 0n);
  parts.take('cacheRead', cacheRead - cached, price.cacheRead ?? price.input);
  const hour = parts.takePriced('cacheWrite1h', least(count(input.cacheWrite1h), cacheWrite), price.cacheWrite1h);
  parts.take('cacheWrite', cacheWrite - hour, price.cacheWrite ?? price.input);
  parts.takePriced('inputAudio', count(input.audio) - count(input.cachedAudio), price.inputAudio);
  parts.takePriced('inputImage', count(input.image) - count(input.cachedImage), price.inputImage);
  parts.takePriced('inputVideo', count(input.video) - count(input.cachedVideo), price.inputVideo);
  parts.take('input', parts.left, price.input);
  return { total, classes: parts.classes };
}

function outputClasses(price: Price, output: Usage['output']): TokenClass[] {
  const said = [output.text, output.thinking, output.audio, output.image, output.video];
  const total = output.total === undefined ? said.reduce((sum, part) => sum + count(part), 0n) : count(output.total);
  const parts = new Division(total);
  parts.takePriced('outputAudio', count(output.audio), price.outputAudio);
  parts.takePriced('outputImage', count(output.image), price.outputImage);
  parts.takePriced('outputVideo', count(output.video), price.outputVideo);
  parts.takePriced('thinking', count(output.thinking), price.thinking);
  parts.take('output', parts.left, price.output);
  return parts.classes;
}

/** What a call used in classes, each with the rate of a request of its size, nano-USD for a million. */
export function tokenClasses(
  price: Price,
  usage: Usage,
): [name: TokenRateName, tokens: bigint, nanoPerMillion: bigint][] {
  const rates = ratesFor(price, usage.serviceTier);
  const { total, classes } = inputClasses(rates, usage.input);
  return [...classes, ...outputClasses(rates, usage.output)].map(([name, tokens, rate]) => [
    name,
    tokens,
    rateAt(rate, total),
  ]);
}

/** Nothing but fresh input and output at flat rates: what most calls are, and nothing that needs taking apart. */
function isPlain(price: Price, { input, output, serviceTier }: Usage): boolean {
  if (price.input.tiers.length > 0 || price.output.tiers.length > 0) return false;
  if (serviceTier !== undefined && price.serviceTiers !== undefined) return false;
  if (price.thinking !== undefined && output.thinking) return false;
  if (input.image || input.video || output.image || output.video) return false;
  return !input.cacheRead && !input.cacheWrite && !input.audio && !output.audio;
}

/** What a call cost, in nano-USD. Unknown counts cost nothing here; the caller estimates them first. */
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

/** The highest that one of these rates can be for a request of at most so many input tokens; tiers need not ascend in price. */
function highestRate(rates: readonly (Rate | undefined)[], inputTokensMax: bigint): bigint {
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

interface HighestRates {
  readonly inputNano: bigint;
  readonly outputNano: bigint;
  /** Of output that is no image. */
  readonly plainNano: bigint;
}

/** The highest price depends on a request's size only through the steps that it exceeds: each is computed once. */
interface Steps {
  /** Input tokens above which some rate is another, ascending. */
  readonly edges: readonly number[];
  /** By how many of the edges a request is above. */
  readonly found: HighestRates[];
}

/** The second is for requests that cannot be served with priority. */
const stepsOf = [new WeakMap<Price, Steps>(), new WeakMap<Price, Steps>()] as const;

function highestRatesOf(price: Price, inputTokens: number, neverPriority: boolean): HighestRates {
  const kept = stepsOf[neverPriority ? 1 : 0];
  let steps = kept.get(price);
  if (steps === undefined) {
    steps = { edges: edgesOf(offersOf(price, neverPriority)), found: [] };
    kept.set(price, steps);
  }
  let above = 0;
  for (const edge of steps.edges) if (inputTokens > edge) above += 1;
  const known = steps.found[above];
  if (known !== undefined) return known;
  const found = highestRatesAmong(offersOf(price, neverPriority), BigInt(inputTokens));
  steps.found[above] = found;
  return found;
}

function edgesOf(offers: readonly TokenRates[]): readonly number[] {
  const edges = offers.flatMap((rates) =>
    tokenRateNames.flatMap((name) => rates[name]?.tiers.map(({ aboveInputTokens }) => aboveInputTokens) ?? []),
  );
  return [...new Set(edges)].sort((one, other) => one - other);
}

function highestRatesAmong(offers: readonly TokenRates[], inputTokensMax: bigint): HighestRates {
  const of = (names: readonly TokenRateName[]) => offers.flatMap((rates) => names.map((name) => rates[name]));
  const plainNano = highestRate(of(plainRateNames), inputTokensMax);
  return {
    inputNano: highestRate(of(inputRateNames), inputTokensMax),
    outputNano: greatest(plainNano, highestRate(of(['outputImage']), inputTokensMax)),
    plainNano,
  };
}

/** Which tier serves is known afterwards, unless the request rules the expensive ones out. */
function offersOf(price: Price, neverPriority: boolean): readonly TokenRates[] {
  const { priority, fast, ...others } = price.serviceTiers ?? {};
  const expensive = neverPriority ? [] : [priority, fast];
  return [price, ...expensive.flatMap((rates) => rates ?? []), ...Object.values(others)];
}

const plainRateNames: readonly TokenRateName[] = ['output', 'thinking', 'outputAudio', 'outputVideo'];
const inputRateNames = tokenRateNames.filter((name) => !plainRateNames.includes(name) && name !== 'outputImage');

interface BoundCounts {
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  /** How many of the output's tokens may be those of images; all of them where absent. */
  readonly imageTokensMax?: number | undefined;
  /** The request says that it is not to be served with priority. */
  readonly neverPriority?: boolean | undefined;
}

/** The most that a call within these counts can cost, whatever classes its tokens turn out to be. */
export function boundOf(price: Price, counts: BoundCounts): bigint {
  const input = whole(counts.inputTokensMax);
  const output = whole(counts.outputTokensMax);
  const { inputNano, outputNano, plainNano } = highestRatesOf(price, input, counts.neverPriority === true);
  const { imageTokensMax } = counts;
  if (imageTokensMax === undefined || plainNano === outputNano) return sumUp(input, inputNano, output, outputNano);
  const images = Math.min(output, whole(imageTokensMax));
  const micro = BigInt(input) * inputNano + BigInt(images) * outputNano + BigInt(output - images) * plainNano;
  return roundUp(micro);
}

/** What is counted in whole units or fractions of them, beside tokens. */
export const unitNames = [
  'images',
  'seconds',
  'characters',
  'searches',
  'videoSeconds',
  'videos',
  'pages',
  'webSearches',
  'requests',
] as const satisfies readonly (keyof UnitPrices & keyof Consumption)[];
export type UnitName = (typeof unitNames)[number];

const secondsPerMinute = 60n;
/** Audio is measured in fractions of a second: units are counted in thousandths. */
const perUnit = 1_000n;
const unitDivisor = million * perUnit * secondsPerMinute;

/** A fraction that floats cannot hold, such as 2.007, must not become a thousandth more. */
function thousandths(given: number): bigint {
  return BigInt(Math.ceil(Number((given * 1_000).toFixed(3))));
}

/** Sixty times as much as a unit costs, so that a second's share of a minute is not rounded before the end. */
function sixtyfoldOf(name: UnitName, rate: bigint | undefined, given: number | undefined): bigint {
  if (rate === undefined || given === undefined || !(given > 0) || !Number.isFinite(given)) return 0n;
  return thousandths(given) * rate * (name === 'seconds' ? 1n : secondsPerMinute);
}

type KindRate = typeof rateOfKind;

/** The rate of a unit for what it was used on: images and videos may have several. */
function unitRate(units: UnitPrices, name: UnitName, used: Consumption, ofKind: KindRate): bigint | undefined {
  if (name === 'images') return ofKind(units.images, units.imagesOf, used.imageKind);
  if (name === 'videoSeconds') return ofKind(units.videoSeconds, units.videoSecondsOf, used.videoKind);
  return units[name];
}

/** The rate of the kind, of the part of its name that has one, of all others, or of the most expensive kind that it can be. */
function rateOfKind(
  plain: bigint | undefined,
  kinds: Readonly<Record<string, bigint>> | undefined,
  kind: string | undefined,
): bigint | undefined {
  if (kinds === undefined) return plain;
  for (const name of namesOf(kind)) if (Object.hasOwn(kinds, name)) return kinds[name];
  return kind !== undefined && plain !== undefined ? plain : mostExpensiveKind(plain, kinds, kind);
}

/** The same before it is known what is made: a part of the name that is not known yet may be any. */
function mostOfKind(
  plain: bigint | undefined,
  kinds: Readonly<Record<string, bigint>> | undefined,
  kind: string | undefined,
): bigint | undefined {
  if (kinds === undefined) return plain;
  if (kind !== undefined && Object.hasOwn(kinds, kind) && isWhole(kind, kinds)) return kinds[kind];
  return mostExpensiveKind(plain, kinds, kind);
}

function isWhole(kind: string, kinds: Readonly<Record<string, bigint>>): boolean {
  return kind.includes('/') || !Object.keys(kinds).some((name) => name.includes('/'));
}

/** The whole name, then its parts, the last first; a quality that was not named is the usual one. */
function namesOf(kind: string | undefined): readonly string[] {
  if (kind === undefined) return [];
  return kind.includes('/') ? [kind, ...kind.split('/').toReversed()] : [kind, `standard/${kind}`];
}

/** Of those that have a part of the name in common, where there are any. */
function mostExpensiveKind(
  plain: bigint | undefined,
  kinds: Readonly<Record<string, bigint>>,
  kind: string | undefined,
): bigint {
  const parts = kind?.split('/') ?? [];
  const all = Object.entries(kinds);
  const like = all.filter(([name]) => name.split('/').some((part) => parts.includes(part)));
  return (like.length === 0 ? all : like).reduce((most, [, rate]) => greatest(most, rate), plain ?? 0n);
}

/** What units other than tokens cost. */
export function unitCostOf(price: Price, used: Consumption | undefined, ofKind: KindRate = rateOfKind): bigint {
  const { units } = price;
  if (used === undefined || units === undefined) return 0n;
  let sixtyfold = 0n;
  for (const name of unitNames) sixtyfold += sixtyfoldOf(name, unitRate(units, name, used, ofKind), used[name]);
  return (sixtyfold + unitDivisor - 1n) / unitDivisor;
}

/** Tokens and other units together; nothing where there is no price. */
export function totalCostOf(price: Price | undefined, usage: Usage, units: Consumption | undefined): bigint {
  return price === undefined ? 0n : costOf(price, usage) + unitCostOf(price, units);
}

/** What they can cost at most, before it is known which kind of image or video is made. */
export function unitBoundOf(price: Price, most: Consumption): bigint {
  return unitCostOf(price, most, mostOfKind);
}

/** The same unit by unit: shares of nano-USD, of which `unitDivisor` make a whole one. */
export function unitShares(
  price: Price,
  used: Consumption,
): { readonly divisor: bigint; readonly shares: UnitShare[] } {
  const shares: UnitShare[] = [];
  for (const name of unitNames) {
    const quantity = used[name] ?? 0;
    const rate = (price.units && unitRate(price.units, name, used, rateOfKind)) ?? 0n;
    if (quantity > 0) shares.push({ name, quantity, rate, share: sixtyfoldOf(name, rate, quantity) });
  }
  return { divisor: unitDivisor, shares };
}

/** What a conversation used beside tokens; undefined for almost all of them. */
export function conversationUnits(price: Price | undefined, usage: Usage): Consumption | undefined {
  const isCharged = (price?.units?.requests ?? 0n) > 0n;
  // Models that search without a count search once, before they answer.
  const webSearches = guessesSearch(price, usage) ? 1 : usage.webSearches;
  if (webSearches === undefined && !isCharged) return undefined;
  return { ...(webSearches !== undefined && { webSearches }), ...(isCharged && { requests: 1 }) };
}

/** Is a search charged that was not counted? */
function guessesSearch(price: Price | undefined, { webSearches, citesPages }: Usage): boolean {
  return citesPages === true && webSearches === undefined && (price?.units?.webSearches ?? 0n) > 0n;
}

/** Was it served at a tier whose rates are unknown, so that those of another are charged? */
function guessesTier(price: Price | undefined, { serviceTier }: Usage): boolean {
  if (price === undefined || serviceTier === undefined) return false;
  // What costs nothing costs nothing at any tier.
  if (price.input.nanoPerMillion === 0n && price.output.nanoPerMillion === 0n) return false;
  return Object.keys(ratesOfTier(price.serviceTiers ?? {}, serviceTier)).length === 0;
}

/** What a conversation used was reported whole: is what it cost an estimate all the same? */
export function guessesCost(price: Price | undefined, usage: Usage): boolean {
  return guessesSearch(price, usage) || guessesTier(price, usage);
}

interface UnitShare {
  readonly name: UnitName;
  readonly quantity: number;
  readonly rate: bigint;
  readonly share: bigint;
}
