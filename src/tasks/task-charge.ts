/** What a task costs, by the price that stood when it began. */

import { type Usage, unknownUsage } from '../conversation/usage.ts';
import { costOf, unitCostOf } from '../ledger/cost.ts';
import type { Price, Rate, UnitPrices } from '../ledger/price.ts';
import { completeUse, likelyUse } from '../ledger/use.ts';
import type { Consumption } from '../operations/consumption.ts';
import type { VideoFacts } from '../operations/video.ts';
import type { Task, TaskTerms } from './task.ts';

export interface TaskCost {
  readonly costNano: bigint;
  readonly estimated: boolean;
  readonly usage: Usage;
}

export const noCost: TaskCost = { costNano: 0n, estimated: false, usage: unknownUsage };

/** A price as text that keeps every digit. */
export function writePrice(price: Price): string {
  return JSON.stringify(price, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

export function readPrice(text: string): Price {
  const tree = JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Record<string, unknown>;
  const rate = (name: string): Rate | undefined => tree[name] as Rate | undefined;
  const none: Rate = { nanoPerMillion: 0n, tiers: [] };
  return {
    version: String(tree['version']),
    input: rate('input') ?? none,
    output: rate('output') ?? none,
    cacheRead: rate('cacheRead'),
    cacheWrite: rate('cacheWrite'),
    inputAudio: rate('inputAudio'),
    outputAudio: rate('outputAudio'),
    ...(tree['units'] !== undefined && { units: tree['units'] as UnitPrices }),
  };
}

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
    ...definedOnly(reported),
  };
  return costOfUse(task.terms, known);
}

/** What the provider says that a failure used. Where it says nothing, nothing. */
export function costOfFailure({ terms }: Pick<Task, 'terms'>, reported: Consumption | undefined): TaskCost {
  if (reported === undefined || terms.price === undefined) return noCost;
  const price = readPrice(terms.price);
  const usage = reported.tokens ?? unknownUsage;
  return { costNano: costOf(price, usage) + unitCostOf(price, reported), estimated: false, usage };
}

export function estimateOf({ terms }: Pick<Task, 'terms'>): TaskCost {
  return { ...costOfUse(terms, likelyUse(terms.most)), estimated: true };
}

function costOfUse(terms: TaskTerms, known: Consumption): TaskCost {
  if (terms.price === undefined) return { ...noCost, usage: known.tokens ?? unknownUsage };
  const price = readPrice(terms.price);
  const { used, estimated } = completeUse(price, known, terms.most);
  const usage = used.tokens ?? unknownUsage;
  return { costNano: costOf(price, usage) + unitCostOf(price, used), estimated, usage };
}

function definedOnly(consumption: Consumption): Consumption {
  return Object.fromEntries(Object.entries(consumption).filter(([, value]) => value !== undefined));
}
