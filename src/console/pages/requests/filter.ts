/** What the list of requests is narrowed to: read from the address, written into it, and turned into what the admin interface is asked. */

/** Of these several may hold at once, and any of them is enough. */
const listKinds = ['status', 'model', 'provider', 'token', 'endpoint', 'code'] as const;
/** Of these one holds. */
const singleKinds = ['stream', 'cost', 'duration', 'id'] as const;
const filterKinds = [...listKinds, ...singleKinds] as const;

export type ListKind = (typeof listKinds)[number];
export type FilterKind = (typeof filterKinds)[number];

/** One condition. `cost` is in USD, `duration` in milliseconds, `stream` is `true` or `false`, `id` is how a request's id begins. */
export interface Condition {
  readonly kind: FilterKind;
  readonly value: string;
}

/** The first digit of a status; 0 where there never was one. */
export const statusClasses = ['2', '4', '5', '0'] as const;

const isListKind = (kind: FilterKind): boolean => listKinds.some((other) => other === kind);

const usdPattern = /^[0-9]{1,9}(\.[0-9]{1,9})?$/;
const isAllowed: Readonly<Partial<Record<FilterKind, (value: string) => boolean>>> = {
  status: (value) => statusClasses.some((one) => one === value),
  stream: (value) => value === 'true' || value === 'false',
  cost: (value) => usdPattern.test(value),
  duration: (value) => /^[0-9]{1,9}$/.test(value),
};

/** In the order in which they are shown; what nobody can mean is left out. */
export function readConditions(query: URLSearchParams): readonly Condition[] {
  return filterKinds.flatMap((kind) => {
    const values = [...new Set(query.getAll(kind))].filter(
      (value) => value !== '' && (isAllowed[kind]?.(value) ?? true),
    );
    return (isListKind(kind) ? values : values.slice(0, 1)).map((value) => ({ kind, value }));
  });
}

/** A condition of which only one can hold takes the place of the one before. */
export function withCondition(conditions: readonly Condition[], added: Condition): readonly Condition[] {
  const kept = conditions.filter(({ kind, value }) =>
    isListKind(added.kind) ? kind !== added.kind || value !== added.value : kind !== added.kind,
  );
  return [...kept, added];
}

export function withoutCondition(conditions: readonly Condition[], removed: Condition): readonly Condition[] {
  return conditions.filter(({ kind, value }) => kind !== removed.kind || value !== removed.value);
}

/** The address with exactly these conditions. Other words stay, but for the place in a list that is another one now. */
export function addressWith(address: string, conditions: readonly Condition[]): string {
  const [path = '', text = ''] = address.split('?', 2);
  const query = new URLSearchParams(text);
  for (const word of [...filterKinds, 'older', 'newer']) query.delete(word);
  for (const { kind, value } of conditions) query.append(kind, value);
  const rest = query.toString();
  return rest === '' ? path : `${path}?${rest}`;
}

/** As the admin interface spells them. */
const asked: Readonly<Record<FilterKind, string>> = {
  status: 'status',
  model: 'model',
  provider: 'provider',
  token: 'token',
  endpoint: 'endpoint',
  code: 'code',
  stream: 'stream',
  cost: 'min_cost_usd',
  duration: 'min_duration_ms',
  id: 'id',
};

export function askedWords(conditions: readonly Condition[]): readonly (readonly [string, string])[] {
  return conditions.map(({ kind, value }) => [asked[kind], value] as const);
}

/** Where a list of an overview leads. */
export function requestsPath(condition: Condition, rangeWords: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams({ [condition.kind]: condition.value });
  for (const [word, value] of Object.entries(rangeWords)) if (value !== undefined) query.set(word, value);
  return `/console/requests?${query}`;
}
