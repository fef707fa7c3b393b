/** What a text in the filter may mean: known values, amounts and durations, ids, and last the text itself. */

import { requestEndpoints } from '../../snippets/endpoints.ts';
import { type Condition, type FilterKind, filterKinds, statusClasses } from './filter.ts';

interface KnownValue {
  readonly value: string;
  /** What people call it, where that differs: a token's name. */
  readonly label: string;
}

export type KnownValues = Readonly<Partial<Record<FilterKind, readonly KnownValue[]>>>;

export interface Suggestion extends Condition {
  readonly label: string;
}

/** Values that every gateway has. */
export const fixedValues = {
  status: statusClasses,
  stream: ['true', 'false'],
  fallback: ['true'],
  endpoint: requestEndpoints,
} as const;

const shownOfKindMax = 6;

/** Best first within its kind. `nameOf` says a condition in words, so that people find what they read. */
export function suggestionsFor(
  text: string,
  known: KnownValues,
  held: readonly Condition[],
  nameOf: (kind: FilterKind, label: string) => string,
): readonly Suggestion[] {
  const wanted = text.trim();
  const meant = meaningOf(wanted);
  if (meant !== undefined) return [meant];
  const isHeld = ({ kind, value }: Condition) => held.some((one) => one.kind === kind && one.value === value);
  const found = kindsInOrder.flatMap((kind) =>
    (known[kind] ?? [])
      .map(({ value, label }): Suggestion => ({ kind, value, label }))
      .filter((one) => !isHeld(one) && matches(`${nameOf(kind, one.label)} ${one.value}`, wanted))
      .slice(0, shownOfKindMax),
  );
  if (wanted === '' || wanted.length > literalLengthMax) return found;
  const literal = literalKinds
    .map((kind): Suggestion => ({ kind, value: wanted, label: wanted }))
    .filter((one) => !isHeld(one) && !found.some(({ kind, value }) => kind === one.kind && value === one.value));
  return [...found, ...literal];
}

/** Without those that are numbers or the beginning of an id. */
const kindsInOrder: readonly FilterKind[] = filterKinds.filter(
  (kind) => kind !== 'cost' && kind !== 'duration' && kind !== 'id',
);
/** Kinds whose values nobody can list: what was written is offered as it is. */
const literalKinds: readonly FilterKind[] = ['model', 'provider', 'label', 'user', 'tag', 'code'];
const literalLengthMax = 200;

function matches(text: string, wanted: string): boolean {
  const given = text.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((part) => given.includes(part));
}

const spanMs = { ms: 1, s: 1_000, min: 60_000 } as const;

/** `req_…` is an id, `$0.01` an amount, `2s` and `> 2 s` a span; nothing else looks like them. Bounds are lower ones. */
function meaningOf(text: string): Suggestion | undefined {
  if (/^req_[\w-]*$/.test(text)) return { kind: 'id', value: text, label: text };
  const usd = /^(?:>=?|≥)?\s*\$\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)$/.exec(text)?.[1];
  if (usd !== undefined) return { kind: 'cost', value: usd, label: usd };
  const span = /^(?:>=?|≥)?\s*([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(ms|s|min)$/i.exec(text);
  if (span === null) return undefined;
  const unit = Object.entries(spanMs).find(([name]) => name === span[2]?.toLowerCase())?.[1] ?? 1;
  const ms = `${Math.round(Number(span[1]) * unit)}`;
  return { kind: 'duration', value: ms, label: ms };
}
