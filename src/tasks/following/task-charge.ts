/** What a task costs, by the price at its start. */

import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import { costOf, unitCostOf } from '../../ledger/cost.ts';
import { chargingPrice } from '../../ledger/unpriced.ts';
import { completeUse, likelyUse } from '../../ledger/use.ts';
import type { Consumption } from '../../operations/consumption.ts';
import { kindOfPixels } from '../../operations/video/video-kind.ts';
import type { VideoFacts } from '../../operations/video.ts';
import { readPrice } from '../../prices/price-text.ts';
import type { Task, TaskTerms } from '../task.ts';

export interface TaskCost {
  readonly costNano: bigint;
  readonly estimated: boolean;
  readonly usage: Usage;
  /** Everything that it is charged for. */
  readonly used: Consumption;
  /** No price says what that costs. */
  readonly unpriced?: true;
}

export const noCost: TaskCost = { costNano: 0n, estimated: false, usage: unknownUsage, used: {} };

/** What was made, in full: as reported, and where the provider left something out, as it was asked for. */
export function costOfMade(
  task: Pick<Task, 'terms'>,
  reported: Consumption,
  facts: VideoFacts,
  videos: number,
): TaskCost {
  const seconds = facts.seconds ?? task.terms.seconds;
  const known: Consumption = {
    videos,
    ...(seconds !== undefined && { videoSeconds: seconds * videos }),
    ...kindOfPixels(facts),
    ...definedOnly(reported),
  };
  return costOfUse(task.terms, known);
}

/** What the provider says that a failure used. Where it says nothing, nothing. */
export function costOfFailure({ terms }: Pick<Task, 'terms'>, reported: Consumption | undefined): TaskCost {
  if (reported === undefined) return noCost;
  const usage = reported.tokens ?? unknownUsage;
  if (terms.price === undefined) return { ...noCost, usage, used: reported };
  const price = readPrice(terms.price);
  return { costNano: costOf(price, usage) + unitCostOf(price, reported), estimated: false, usage, used: reported };
}

export function estimateOf({ terms }: Pick<Task, 'terms'>): TaskCost {
  return { ...costOfUse(terms, likelyUse(terms.most)), estimated: true };
}

function costOfUse(terms: TaskTerms, known: Consumption): TaskCost {
  if (terms.price === undefined) return { ...noCost, usage: known.tokens ?? unknownUsage, used: known };
  const price = readPrice(terms.price);
  const { used, estimated } = completeUse(price, known, terms.most);
  const usage = used.tokens ?? unknownUsage;
  const costNano = costOf(price, usage) + unitCostOf(price, used);
  const isCharged = chargingPrice(price, costNano, terms.most) !== undefined;
  return { costNano, estimated, usage, used, ...(!isCharged && { unpriced: true }) };
}

function definedOnly(consumption: Consumption): Consumption {
  return Object.fromEntries(Object.entries(consumption).filter(([, value]) => value !== undefined));
}
