/** What a conversation's reply costs: at the price of the model that it says served it, with what other models and tools of the provider cost beside it. */

import { tokensIn, type Usage, unknownUsage } from '../../conversation/usage.ts';
import { conversationUnits, costOf, guessesCost, totalCostOf } from '../../ledger/cost.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { ownPriceVersion } from '../../prices/operator-price.ts';
import type { Price } from '../../prices/price.ts';
import { zeroPrice } from '../../prices/prices.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CallFacts } from '../admission/call.ts';
import type { RelayParts } from '../relay-parts.ts';
import { reportedFees } from '../vetting/tool-fees.ts';

export interface Charge {
  readonly price: Price | undefined;
  readonly costNano: bigint;
  /** Tokens of every model that the provider ran. */
  readonly tokens: number | undefined;
}

interface ReplyCharge extends Charge {
  readonly units: Consumption | undefined;
  /** Something that was used has no price of its own, or it is not known what was. */
  readonly guessed: boolean;
}

export interface Served {
  readonly target: Target;
  /** Of the target. */
  readonly price: Price | undefined;
  readonly facts: CallFacts;
}

type ChargeParts = Pick<RelayParts, 'priceOf'>;

export function replyCharge(parts: ChargeParts, served: Served, usage: Usage): ReplyCharge {
  const price =
    usage.model === undefined ? highestPrice(parts, served, usage) : servingPrice(parts, served, usage.model);
  const units = conversationUnits(price, usage);
  const plain = totalCostOf(price, usage, units);
  const tokens = tokensIn(usage);
  const guessed = guessesCost(price, usage);
  const { beside, toolCalls, costUsd, surchargePercent, webSearches } = usage;
  const isPlain = beside === undefined && toolCalls === undefined && surchargePercent === undefined;
  if (isPlain && costUsd === undefined && webSearches === undefined)
    return { price, units, costNano: plain, tokens, guessed };
  const { target } = served;
  const others = besideCharge(parts, target, price, beside ?? none);
  const sum = { units, tokens: (tokens ?? 0) + others.tokens };
  if (target.provider.reportsCost && costUsd !== undefined) {
    return { ...sum, price: price ?? reportedPrice, costNano: nanoOf(costUsd), guessed: false };
  }
  const surcharge = (plain * BigInt(surchargePercent ?? 0) + 99n) / 100n;
  const costNano = plain + surcharge + others.costNano + reportedFees(target, price, usage);
  return { ...sum, price, costNano, guessed: guessed || others.guessed };
}

/** Of the model that was asked for. */
function plainCharge(price: Price | undefined, usage: Usage, units: Consumption | undefined): Charge {
  return { price, costNano: totalCostOf(price, usage, units), tokens: tokensIn(usage) };
}

/**
 * What a running stream has cost so far; undefined where that is nothing. An operation costs what was asked for, however much of
 * it was written so far.
 */
export function writtenCost(
  { price, facts }: Served,
  characters: number,
  bounds: () => { readonly inputLikely: number },
): bigint | undefined {
  if (price === undefined || price.output.nanoPerMillion === 0n || facts.most !== undefined) return undefined;
  const output = Math.ceil(characters / charactersPerToken);
  return costOf(price, { input: { total: bounds().inputLikely }, output: { total: output } });
}

/** An operation's reply does not say which model served it: where the body named several, the most expensive counts. */
export function useCharge(parts: ChargeParts, { price, facts }: Served, used: Consumption): ReplyCharge {
  const usage = used.tokens ?? unknownUsage;
  const own = plainCharge(price, usage, used);
  let highest = own;
  for (const { target } of facts.further ?? []) {
    const other = plainCharge(parts.priceOf(target), usage, used);
    if (other.costNano > highest.costNano) highest = other;
  }
  return { ...highest, units: used, guessed: highest !== own };
}

const charactersPerToken = 4;
const none: readonly Usage[] = [];
const reportedPrice = zeroPrice('reported by the provider');

/** A provider's amount has more digits than a float's sum should decide on: a fraction of a nano-USD is rounded up. */
function nanoOf(usd: number): bigint {
  return BigInt(Math.ceil(Number((usd * 1e9).toFixed(3))));
}

function besideCharge(parts: ChargeParts, target: Target, own: Price | undefined, beside: readonly Usage[]) {
  let [costNano, tokens, guessed] = [0n, 0, false];
  for (const usage of beside) {
    const price = usage.model === undefined ? own : (parts.priceOf({ ...target, model: usage.model }) ?? own);
    costNano += totalCostOf(price, usage, conversationUnits(price, usage));
    tokens += tokensIn(usage) ?? 0;
    guessed ||= price === own || price?.guess === true;
  }
  return { costNano, tokens, guessed };
}

/** A reply that names no model may be of any that the body named. */
function highestPrice(parts: ChargeParts, served: Served, usage: Usage): Price | undefined {
  if (served.facts.further === undefined) return served.price;
  return useCharge(parts, served, { tokens: usage }).price;
}

/**
 * Of the model that the provider names, where it is another one than was asked and a price of it is known there. The operator's
 * own price for a target stays what it is, unless the caller named the other model.
 */
function servingPrice(parts: ChargeParts, { target, price, facts }: Served, model: string) {
  if (isSame(model, target.model) || isSame(model, facts.model)) return price;
  const found = parts.priceOf({ ...target, model });
  if (found === undefined || found === price) return price;
  if (facts.further?.some((further) => isSame(model, further.target.model)) === true) return found;
  const isOwn = (one: Price | undefined): boolean => one?.version.startsWith(ownPriceVersion) === true;
  return found.guess === true || (isOwn(price) && !isOwn(found)) ? price : found;
}

/** A dated release of a model is the model, whatever path is before its name. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [long, short] = one.length > other.length ? [bare(one), bare(other)] : [bare(other), bare(one)];
  return long.startsWith(short) && /^(?:[-@](?:\d{3,}[\d-]*|latest))?$/.test(long.slice(short.length));
}

const bare = (model: string): string => model.slice(model.lastIndexOf('/') + 1);
