/** Models that were used recently and have no price: the operator should set one. */

import { unknownUsage } from '../../conversation/usage.ts';
import { prices } from '../../ledger/use.ts';
import type { Price } from '../../prices/price.ts';
import type { Pricing } from '../../routing/build.ts';
import type { Catalogue } from '../../routing/catalogue.ts';
import type { AnalyticsStore, UnpricedModel } from '../../store/analytics/analytics-store.ts';
import { type Actor, narrowedTo } from '../accounts/sessions.ts';
import type { UnpricedView } from '../contracts/analytics-contract.ts';
import { unpricedView } from './usage.ts';

interface UnpricedModelsOptions {
  readonly table: Pick<AnalyticsStore, 'unpricedModels'>;
  readonly catalogue: Pick<Catalogue, 'resolve'>;
  readonly pricing: Pick<Pricing, 'ready' | 'priceOf'>;
  /** The time of day. */
  wallMs(): number;
}

export type UnpricedModels = (actor: Actor) => Promise<UnpricedView>;

const dayMs = 24 * 60 * 60 * 1_000;
/** The period that the console, `weir usage` and `weir doctor` cover. */
export const unpricedRangeMs = 30 * dayMs;
/** Of models; those that got a price since are among them. */
const readMax = 500;
const shownMax = 100;

export function createUnpricedModels({ table, catalogue, pricing, wallMs }: UnpricedModelsOptions): UnpricedModels {
  /** What can no longer be requested needs no price. */
  function needsPrice(used: UnpricedModel): boolean {
    const target = catalogue.resolve(`${used.provider}/${used.model}`)?.[0];
    if (target === undefined) return false;
    return !saysCostOf(pricing.priceOf(target), used);
  }

  return async (actor) => {
    await pricing.ready();
    const toMs = wallMs();
    const range = { fromMs: toMs - unpricedRangeMs, toMs };
    const found = await table.unpricedModels(range, readMax, narrowedTo(actor));
    const items = found.filter(needsPrice).slice(0, shownMax).map(unpricedView);
    return { from: new Date(range.fromMs).toISOString(), items };
  };
}

/** Would this price cover it? One in other units than it was used in does not. */
export function saysCostOf(price: Price | undefined, { inputTokens, outputTokens, units }: UnpricedModel): boolean {
  if (price === undefined) return false;
  return prices(price, { ...units, ...((inputTokens > 0 || outputTokens > 0) && { tokens: unknownUsage }) });
}
