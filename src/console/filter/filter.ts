/** What usage is narrowed to: read from the URL, written into it, and turned into what the admin interface is asked. */

import type { Dimension } from '../../admin/contracts/analytics-contract.ts';

/** Of these one holds. Of all others several may hold at once, and any of them is enough. */
const singleKinds = ['owner', 'stream', 'fallback', 'cost', 'duration', 'id'] as const;

/** As the admin interface spells each kind, in the order in which they are shown. */
const asked = {
  status: 'status',
  model: 'model',
  provider: 'provider',
  token: 'token',
  label: 'label',
  owner: 'owner',
  team: 'team',
  project: 'project',
  user: 'user',
  tag: 'tag',
  endpoint: 'endpoint',
  key: 'key',
  code: 'code',
  fallback: 'fallback',
  stream: 'stream',
  cost: 'min_cost_usd',
  duration: 'min_duration_ms',
  id: 'id',
} as const satisfies Readonly<Record<Dimension, string>> & Readonly<Record<string, string>>;

export type FilterKind = keyof typeof asked;
export const filterKinds = Object.keys(asked) as readonly FilterKind[];

/**
 * One condition. `cost` is in USD, `duration` in milliseconds, `stream` is `true` or `false`, `fallback` is `true`, `id` is how a
 * request's id starts.
 */
export interface Condition {
  readonly kind: FilterKind;
  readonly value: string;
}

/** The first digit of a status; 0 where there never was one. */
export const statusClasses = ['2', '4', '5', '0'] as const;

const isSingle = (kind: FilterKind): boolean => singleKinds.some((other) => other === kind);

const usdPattern = /^[0-9]{1,9}(\.[0-9]{1,9})?$/;
const isAllowed: Readonly<Partial<Record<FilterKind, (value: string) => boolean>>> = {
  status: (value) => statusClasses.some((one) => one === value),
  stream: (value) => value === 'true' || value === 'false',
  fallback: (value) => value === 'true',
  cost: (value) => usdPattern.test(value),
  duration: (value) => /^[0-9]{1,9}$/.test(value),
};

/** In the order in which they are shown; what nobody can mean is left out. */
export function readConditions(query: URLSearchParams): readonly Condition[] {
  return filterKinds.flatMap((kind) => {
    const values = [...new Set(query.getAll(kind))].filter(
      (value) => value !== '' && (isAllowed[kind]?.(value) ?? true),
    );
    return (isSingle(kind) ? values.slice(0, 1) : values).map((value) => ({ kind, value }));
  });
}

/** A condition of which only one can hold takes the place of the one before. */
export function withCondition(conditions: readonly Condition[], added: Condition): readonly Condition[] {
  const kept = conditions.filter(
    ({ kind, value }) => kind !== added.kind || (!isSingle(added.kind) && value !== added.value),
  );
  return [...kept, added];
}

export function withoutCondition(conditions: readonly Condition[], removed: Condition): readonly Condition[] {
  return conditions.filter(({ kind, value }) => kind !== removed.kind || value !== removed.value);
}

/** The URL with exactly these conditions. Other words stay, but for the place in a list that is another one now. */
export function addressWith(address: string, conditions: readonly Condition[]): string {
  const [path = '', text = ''] = address.split('?', 2);
  const query = new URLSearchParams(text);
  for (const word of [...filterKinds, 'older', 'newer']) query.delete(word);
  for (const { kind, value } of conditions) query.append(kind, value);
  const rest = query.toString();
  return rest === '' ? path : `${path}?${rest}`;
}

export function askedWords(conditions: readonly Condition[]): readonly (readonly [string, string])[] {
  return conditions.map(({ kind, value }) => [asked[kind], value] as const);
}

/** Where a row of an overview leads: to its requests, in the same range and under the same filter. */
export function requestsPath(
  conditions: readonly Condition[],
  rangeWords: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [word, value] of Object.entries(rangeWords)) if (value !== undefined) query.set(word, value);
  return addressWith(`/console/requests?${query}`, conditions);
}
