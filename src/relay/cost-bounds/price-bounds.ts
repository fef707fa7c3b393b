/** What a call can cost at one target: the most, which is reserved before it is sent, and the likely cost where usage is never reported. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import { imageTokensAssumed } from '../../formats/fields/images-in.ts';
import { boundOf, conversationUnits, unitBoundOf } from '../../ledger/cost.ts';
import { completeUse, fullUse, likelyUse } from '../../ledger/use.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { mostOfModel } from '../../operations/images/image-tokens.ts';
import type { Price } from '../../prices/price.ts';
import type { Target } from '../../routing/catalogue.ts';
import { profileAt } from '../../routing/target-profile.ts';
import type { CallFacts } from '../admission/call.ts';
import type { RelayParts } from '../relay-parts.ts';
import { BesideBounds } from './beside-bounds.ts';

/** Assumed for one reply that nothing limits, of a model whose largest output is unknown; usage beyond it is charged all the same. */
const outputTokensAssumed = 32_768;
/** Assumed for thinking that the caller's limit does not cover. */
const thinkingTokensAssumed = 32_768;
/** A translated request whose only measure is an amount of thinking leaves this much room for the answer. */
const answerTokensAssumed = 8_192;
/** One image of the input where the model's own figure is not known: no known model counts more but those with a figure of their own. */
const imageTokensOfAny = 16_384;
/** Assumed for the images of one reply of a model that answers a conversation with them: four of the largest, six of the usual ones. */
const madeImageTokens = 8_192;
/** What a call of unknown outcome is taken to have written. */
const outputTokensEstimated = 1_000;
const bytesPerToken = 4;
/** What a limit adds to the body of a request that has none; each byte may be a token of the input. */
const limitFieldBytes = 40;

interface LeftUse {
  readonly usage: Usage;
  /** Absent for a conversation that used nothing but tokens. */
  readonly units: Consumption | undefined;
  readonly costNano: bigint;
}

/** What budgets count that needs a bound. */
interface BoundedUnits {
  readonly money: boolean;
  readonly tokens: boolean;
}

export class PriceBounds {
  readonly #price: Price | undefined;
  readonly #facts: CallFacts;
  readonly #contextTokens: number | undefined;
  readonly #thinkingBesideLimit: boolean;
  readonly #largestOutput: number;
  /** Absent where the body orders nothing beside the model that it asks for, which is usual. */
  readonly #beside: BesideBounds | undefined;
  readonly #imageTokens: number;

  /** Without a price everything is 0: what has no known price is not reserved. */
  constructor(
    price: Price | undefined,
    facts: CallFacts,
    contextTokens: number | undefined,
    thinkingBesideLimit = false,
    largestOutput = outputTokensAssumed,
    beside?: BesideBounds,
    imageTokens = imageTokensOfAny,
  ) {
    this.#price = price;
    this.#facts = facts;
    this.#contextTokens = contextTokens;
    this.#thinkingBesideLimit = thinkingBesideLimit;
    this.#largestOutput = largestOutput;
    this.#beside = beside;
    this.#imageTokens = imageTokens;
  }

  mostNano(): bigint {
    const { most } = this.#facts;
    const own =
      most === undefined
        ? this.#bound(this.#inputMost(), this.#outputMost(), this.#facts.webSearchesMax)
        : this.#boundOfUse(most);
    return this.#beside === undefined ? own : own + this.#beside.mostNano();
  }

  /** Tokens of input and output. */
  mostTokens(): number {
    const { most, candidates } = this.#facts;
    if (most === undefined) {
      return this.#inputMost() + this.#outputMost() * candidates + (this.#beside?.mostTokens() ?? 0);
    }
    return (most.tokens?.input.total ?? 0) + (most.tokens?.output.total ?? 0);
  }

  /** Everything that was reserved, for work that continues unobserved at the provider. */
  get mostUsage(): Usage {
    const { candidates, webSearchesMax } = this.#facts;
    return {
      input: { total: this.#inputMost() },
      output: { total: this.#outputMost() * candidates },
      ...(webSearchesMax !== undefined && { webSearches: webSearchesMax }),
    };
  }

  /** The context bounds each reading of it, and is the only bound of what the body does not measure. */
  #inputMost(): number {
    const { inputUnbounded, contextReadsMax = 1 } = this.#facts;
    const inputTokensMax = this.#ownInput;
    if (this.#contextTokens === undefined) return inputTokensMax;
    const most = this.#contextTokens * contextReadsMax;
    return inputUnbounded === undefined ? Math.min(inputTokensMax, most) : most;
  }

  /** With the images as this model counts them. */
  get #ownInput(): number {
    const { inputTokensMax, images = 0 } = this.#facts;
    return inputTokensMax + images * (this.#imageTokens - imageTokensAssumed);
  }

  /** Where usage is not reported: a quarter of the bound, without repeated readings. */
  get inputLikely(): number {
    const { inputUnbounded } = this.#facts;
    const context = this.#contextTokens;
    const most = inputUnbounded === undefined || context === undefined ? this.#ownInput : context;
    return Math.ceil(most / bytesPerToken);
  }

  /** Throws where the call could use more than any figure that is known here. `whose` budgets these are. */
  requireBound({ model }: Target, { money, tokens }: BoundedUnits, whose = 'This token'): void {
    if (money || tokens) this.#beside?.require(money, whose);
    // The bound is not calculated where nothing is unbounded, which is usual.
    if (!this.#needsContext || (!tokens && (!money || this.mostNano() === 0n))) return;
    this.requireContext(model, whose);
  }

  get #needsContext(): boolean {
    return this.#facts.inputUnbounded !== undefined && this.#contextTokens === undefined;
  }

  /** Throws where the input has no bound but a context of unknown length. */
  requireContext(model: string, whose: string): void {
    if (!this.#needsContext) return;
    const { inputUnbounded = '' } = this.#facts;
    const message = `${whose} has a budget, \`${inputUnbounded}\` may be of any size, and the context length of ${model} is not known; the operator can set \`context_tokens\` under \`prices\`.`;
    throw new GatewayError('context_unknown', message, { param: inputUnbounded });
  }

  /** A limit that only some servers obey bounds nothing by itself, but may ask for more than is assumed without one. */
  #outputMost(): number {
    const { outputTokensMax, outputTokensOther = 0, thinkingTokensMax } = this.#facts;
    if (outputTokensMax !== undefined) {
      return outputTokensMax + (this.#thinkingBesideLimit ? (thinkingTokensMax ?? thinkingTokensAssumed) : 0);
    }
    const thinking = thinkingTokensMax === undefined ? 0 : thinkingTokensMax + answerTokensAssumed;
    return Math.max(this.#largestOutput, outputTokensOther, thinking);
  }

  /** The largest output limit with which the call could cost no more than this; undefined where no limit helps. */
  outputFitting(leftNano: bigint): number | undefined {
    const { most, outputTokensMax, thinkingTokensMax, webSearchesMax } = this.#facts;
    if (most !== undefined || this.#price === undefined) return undefined;
    const input = this.#inputMost() + (outputTokensMax === undefined ? limitFieldBytes : 0);
    const beside = this.#thinkingBesideLimit ? (thinkingTokensMax ?? thinkingTokensAssumed) : 0;
    const rest = leftNano - (this.#beside?.mostNano() ?? 0n);
    const fits = (tokens: number): boolean => this.#bound(input, tokens + beside, webSearchesMax) <= rest;
    let [low, high] = [0, this.#outputMost()];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (fits(middle)) low = middle;
      else high = middle - 1;
    }
    return low > 0 ? low : undefined;
  }

  likelyNano(): bigint {
    const { most } = this.#facts;
    if (most !== undefined) return this.#boundOfUse(likelyUse(most));
    const { input, output } = this.#likelyTokens();
    const own = this.#bound(input, output, this.#searchesLikely);
    if (this.#beside === undefined) return own;
    const other = this.#beside.likelyNano();
    return other > own ? other : own;
  }

  /** One where any was allowed. */
  get #searchesLikely(): number | undefined {
    const { webSearchesMax } = this.#facts;
    return webSearchesMax === undefined ? undefined : Math.min(1, webSearchesMax);
  }

  /** What a conversation of unknown outcome is taken to have used. */
  likelyUsage(): Usage {
    const { input, output } = this.#likelyTokens();
    const webSearches = this.#searchesLikely;
    return {
      input: { total: input },
      output: { total: output * this.#facts.candidates },
      ...(webSearches !== undefined && { webSearches }),
    };
  }

  /**
   * What is charged for a call that ended before usage was reported: the full price of what is sold by the piece. A
   * conversation may have written more than is likely by then, within its bound.
   */
  leftUse(repeatable: boolean, writtenTokens = 0): LeftUse {
    const { most, candidates } = this.#facts;
    if (most === undefined) {
      const { input, output } = this.#likelyTokens();
      const each = Math.max(output, Math.min(Math.ceil(writtenTokens / candidates), this.#outputMost()));
      const usage = { ...this.likelyUsage(), output: { total: each * candidates } };
      const own = this.#bound(input, each, this.#searchesLikely);
      const other = this.#beside?.leftNano(writtenTokens) ?? 0n;
      const costNano = other > own ? other : own;
      return { usage, units: conversationUnits(this.#price, usage), costNano };
    }
    const guess = repeatable ? likelyUse : fullUse;
    const units = this.#price === undefined ? guess(most) : completeUse(this.#price, {}, most, guess).used;
    return { usage: units.tokens ?? unknownUsage, units, costNano: this.#boundOfUse(units) };
  }

  /** Of one reply. */
  #likelyTokens(): { readonly input: number; readonly output: number } {
    const { outputTokensMax } = this.#facts;
    return {
      input: Math.min(this.inputLikely, this.#contextTokens ?? Number.POSITIVE_INFINITY),
      output: Math.min(outputTokensMax ?? outputTokensEstimated, outputTokensEstimated),
    };
  }

  #bound(inputTokens: number, outputTokens: number, webSearches: number | undefined): bigint {
    if (this.#price === undefined) return 0n;
    const { candidates, neverPriority, surchargePercent = 0 } = this.#facts;
    const tokens = boundOf(this.#price, {
      inputTokensMax: inputTokens,
      outputTokensMax: outputTokens * candidates,
      imageTokensMax: Math.min(outputTokens, madeImageTokens) * candidates,
      neverPriority,
    });
    const all = surchargePercent === 0 ? tokens : tokens + (tokens * BigInt(surchargePercent) + 99n) / 100n;
    return this.#withFees(all, webSearches);
  }

  #withFees(tokens: bigint, webSearches: number | undefined): bigint {
    const { units } = this.#price ?? {};
    // Many prices have one for searches, and few requests ask for any.
    if (units === undefined || (units.requests === undefined && webSearches === undefined)) return tokens;
    return this.#price === undefined ? tokens : tokens + unitBoundOf(this.#price, { requests: 1, webSearches });
  }

  /** Many inputs in one request may be more together than a model's context, which bounds each. */
  #boundOfUse(use: Consumption): bigint {
    if (this.#price === undefined) return 0n;
    const { input, output } = use.tokens ?? unknownUsage;
    const tokens = boundOf(this.#price, {
      inputTokensMax: input.total ?? 0,
      outputTokensMax: output.total ?? 0,
      imageTokensMax: output.image,
    });
    return tokens + unitBoundOf(this.#price, { requests: 1, ...use });
  }
}

type BoundParts = Pick<RelayParts, 'contextTokensOf' | 'outputBoundOf' | 'priceOf'>;

/** What Weir put back into the body is read and paid for like the rest; most requests have nothing of it. */
export function factsWith(facts: CallFacts, restoredBytes: number | undefined): CallFacts {
  return restoredBytes === undefined ? facts : { ...facts, inputTokensMax: facts.inputTokensMax + restoredBytes };
}

/** The bounds of a call at one target. */
export function boundsAt(parts: BoundParts, target: Target, price: Price | undefined, facts: CallFacts): PriceBounds {
  const { contextTokensOf, outputBoundOf } = parts;
  const { thinkingBesideLimit } = target.provider.quirks;
  const largestOutput = facts.outputTokensMax === undefined ? outputBoundOf(target) : undefined;
  const { most } = facts;
  const own = most?.imageTerms === undefined ? facts : { ...facts, most: mostOfModel(most, target.model) };
  const beside = besideAt(parts, facts);
  const thinksBeside = thinkingBesideLimit === true;
  const { imageTokensMax } = facts.images === undefined ? noProfile : profileAt(target);
  return new PriceBounds(price, own, contextTokensOf(target), thinksBeside, largestOutput, beside, imageTokensMax);
}

function besideAt(parts: BoundParts, facts: CallFacts): BesideBounds | undefined {
  const { further = none, tools = none } = facts;
  if (further.length === 0 && tools.length === 0) return undefined;
  const { further: _, tools: _tools, webSearchesMax: _searches, ...rest } = facts;
  const bounds = further.map((named) => {
    const { target, limit } = named;
    const price = parts.priceOf(target);
    // What a tool runs reads the conversation once each time, and obeys the limit of the tool alone.
    const own = limit === undefined ? rest : { ...rest, ...limit, candidates: 1, contextReadsMax: 1 };
    return { named, isPriced: price !== undefined, bounds: boundsAt(parts, target, price, own) };
  });
  return new BesideBounds(bounds, tools);
}

const none: readonly never[] = [];
const noProfile: ModelProfile = {};
