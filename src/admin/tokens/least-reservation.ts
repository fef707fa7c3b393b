/**
 * The least that a conversation reserves from a budget if it has no output limit, by model: with less left, every such
 * request is refused. A lower bound: input, thinking and tools only add to it.
 */

import { compileGlobs } from '../../access/glob.ts';
import type { CallFacts } from '../../relay/admission/call.ts';
import { boundsAt } from '../../relay/cost-bounds/price-bounds.ts';
import type { RelayParts } from '../../relay/relay-parts.ts';
import type { Catalogue, ServedModel, Target } from '../../routing/catalogue.ts';
import { operationsOf } from '../../routing/model-operations.ts';

export interface LeastReservation {
  readonly model: string;
  readonly nano: bigint;
}

/** Of the models that these patterns allow, or of all; undefined where none of them has a price above 0. */
export type LeastReservations = (models: readonly string[] | undefined) => LeastReservation | undefined;

export interface LeastReservationOptions
  extends Pick<RelayParts, 'pricesReady' | 'priceOf' | 'priceTables' | 'contextTokensOf' | 'outputBoundOf'> {
  readonly catalogue: Pick<Catalogue, 'served'>;
  readonly nowMs: () => number;
}

/** The smallest request there is. */
const facts: CallFacts = {
  model: '',
  stream: false,
  candidates: 1,
  inputTokensMax: 0,
  outputTokensMax: undefined,
  neverPriority: true,
};
const conversing = 'converse';
/** Prices and models change rarely, and a page of tokens asks once for each. */
const rememberedMs = 30_000;

interface Reservation extends LeastReservation {
  /** Under which callers may ask for it. */
  readonly names: readonly string[];
}

export function createLeastReservations(options: LeastReservationOptions): LeastReservations {
  let known: { readonly list: readonly Reservation[]; readonly untilMs: number } | undefined;
  const cheapestFirst = (): readonly Reservation[] => {
    const atMs = options.nowMs();
    if (known !== undefined && atMs < known.untilMs) return known.list;
    const list = options.catalogue
      .served()
      .flatMap((model) => reservationOf(options, model) ?? [])
      .sort((one, other) => (one.nano === other.nano ? 0 : one.nano < other.nano ? -1 : 1));
    if (options.pricesReady() === undefined) known = { list, untilMs: atMs + rememberedMs };
    return list;
  };
  return (models) => {
    const allows = models === undefined ? () => true : compileGlobs(models);
    const found = cheapestFirst().find(({ names }) => names.some(allows));
    return found && { model: found.model, nano: found.nano };
  };
}

function reservationOf(options: LeastReservationOptions, { id, targets }: ServedModel): Reservation | undefined {
  const bounds = targets.flatMap((target) => boundOf(options, target) ?? []);
  const [first, ...others] = bounds;
  if (first === undefined) return undefined;
  const nano = others.reduce((least, bound) => (bound < least ? bound : least), first);
  return { model: id, nano, names: [id, ...targets.map(({ provider, model }) => `${provider.name}/${model}`)] };
}

/** Undefined for a target that does not converse, is free, or has no price that a budget is charged by. */
function boundOf(options: LeastReservationOptions, target: Target): bigint | undefined {
  const price = options.priceOf(target);
  if (price === undefined || (price.guess === true && options.priceTables.guesses !== 'budgets')) return undefined;
  if (!operationsOf(target).includes(conversing)) return undefined;
  const nano = boundsAt(options, target, price, facts).mostNano();
  return nano > 0n ? nano : undefined;
}
