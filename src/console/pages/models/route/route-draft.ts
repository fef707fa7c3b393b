/** A route while it is edited: tiers as lists of targets, in the order in which they are asked. Every change gives a new one. */

import type { RouteEntry, TargetEntry } from '../../../../admin/contracts/configuration-contract.ts';

export interface DraftTarget extends TargetEntry {
  /** Of this draft only: a target has no other name that stays while it is edited. */
  readonly id: string;
}

export interface RouteDraft {
  readonly tiers: readonly (readonly DraftTarget[])[];
  readonly choose: NonNullable<RouteEntry['choose']>;
  readonly affinity: boolean;
  readonly moderation: RouteEntry['moderation'];
}

export const strategies = ['weighted', 'least_busy', 'fastest', 'cheapest'] as const;

const weightMax = 1_000_000;
const weightMin = 0.01;

export const weightOf = ({ weight }: TargetEntry): number => weight ?? 1;
export const nameOf = ({ provider, model }: TargetEntry): string => `${provider}/${model}`;

export function draftOf(entry: RouteEntry): RouteDraft {
  const targets = entry.targets.map((target, index) => ({ ...target, id: `t${index}` }));
  const numbers = [...new Set(targets.map(({ tier }) => tier ?? 0))].sort((one, other) => one - other);
  return {
    tiers: numbers.map((number) => targets.filter(({ tier }) => (tier ?? 0) === number)),
    choose: entry.choose ?? 'weighted',
    affinity: entry.affinity ?? true,
    moderation: entry.moderation,
  };
}

/** Says nothing that holds anyway, so that what is exported stays short. */
export function entryOf({ tiers, choose, affinity, moderation }: RouteDraft): RouteEntry {
  const targets = tiers.flatMap((tier, number) =>
    tier.map(({ id: _, tier: __, weight, ...rest }) => ({
      ...rest,
      ...(weight !== undefined && weight !== 1 && { weight }),
      ...(number > 0 && { tier: number }),
    })),
  );
  return {
    targets,
    ...(choose !== 'weighted' && { choose }),
    ...(!affinity && { affinity }),
    ...(moderation !== undefined && { moderation }),
  };
}

export function tierOf({ tiers }: RouteDraft, id: string): number {
  return tiers.findIndex((tier) => tier.some((target) => target.id === id));
}

export function findTarget({ tiers }: RouteDraft, id: string | undefined): DraftTarget | undefined {
  return tiers.flat().find((target) => target.id === id);
}

/** To the tier with this number; one before the first or behind the last is made for it, and an empty one goes. */
export function moveTarget(draft: RouteDraft, id: string, number: number): RouteDraft {
  const target = findTarget(draft, id);
  if (target === undefined || number === tierOf(draft, id)) return draft;
  const without = draft.tiers.map((tier) => tier.filter((other) => other.id !== id));
  const placed =
    number < 0
      ? [[target], ...without]
      : number >= without.length
        ? [...without, [target]]
        : without.map((tier, index) => (index === number ? [...tier, target] : tier));
  return { ...draft, tiers: placed.filter((tier) => tier.length > 0) };
}

export function removeTarget(draft: RouteDraft, id: string): RouteDraft {
  const tiers = draft.tiers.map((tier) => tier.filter((target) => target.id !== id));
  return { ...draft, tiers: tiers.filter((tier) => tier.length > 0) };
}

/** In a tier of its own behind the others: most targets are added as a fallback. */
export function addTarget(draft: RouteDraft, target: TargetEntry): { readonly draft: RouteDraft; readonly id: string } {
  const used = draft.tiers.flat().map(({ id }) => Number(id.slice(1)));
  const id = `t${Math.max(-1, ...used) + 1}`;
  return { draft: { ...draft, tiers: [...draft.tiers, [{ ...target, id }]] }, id };
}

export function changeTarget(draft: RouteDraft, id: string, changed: TargetEntry): RouteDraft {
  const tiers = draft.tiers.map((tier) => tier.map((target) => (target.id === id ? { ...changed, id } : target)));
  return { ...draft, tiers };
}

/** By whole steps from one up, by halves below: both ends of what people want are a few presses away. */
export function stepWeight(weight: number, direction: 1 | -1): number {
  const next = direction === 1 ? (weight >= 1 ? weight + 1 : weight * 2) : weight > 1 ? weight - 1 : weight / 2;
  return Number(Math.min(weightMax, Math.max(weightMin, next)).toPrecision(6));
}

/** 0 to 1, of the requests that its tier gets. */
export function shareOf(target: TargetEntry, tier: readonly TargetEntry[]): number {
  const total = tier.reduce((sum, other) => sum + weightOf(other), 0);
  return total === 0 ? 0 : weightOf(target) / total;
}
