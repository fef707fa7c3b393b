/** Which stretch of time a page shows, as the address says it: the last hours or days, or from one moment to another. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const rangeNames = ['1h', '24h', '7d', '30d', '90d', '1y'] as const;
export type RangeName = (typeof rangeNames)[number];

const spansMs: Readonly<Record<RangeName, number>> = {
  '1h': hourMs,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
  '1y': 365 * dayMs,
};

export type ChosenRange =
  /** Up to now, whenever that is. */
  | { readonly kind: 'last'; readonly name: RangeName }
  | { readonly kind: 'between'; readonly fromMs: number; readonly toMs: number };

export const rangeDefault: ChosenRange = { kind: 'last', name: '24h' };

/** An address that was cut or mistyped still shows something: the usual range. */
export function readRange(query: URLSearchParams): ChosenRange {
  const [fromMs, toMs] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  if (fromMs < toMs) return { kind: 'between', fromMs, toMs };
  const name = rangeNames.find((candidate) => candidate === query.get('range'));
  return name === undefined ? rangeDefault : { kind: 'last', name };
}

/** The words of the query that say it; the usual range needs none. */
export function rangeWords(range: ChosenRange): Readonly<Record<'range' | 'from' | 'to', string | undefined>> {
  if (range.kind === 'between') {
    return { range: undefined, from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() };
  }
  const isUsual = rangeDefault.kind === 'last' && range.name === rangeDefault.name;
  return { range: isUsual ? undefined : range.name, from: undefined, to: undefined };
}

/** The same for the same range, however much time has gone by: under it answers are kept between visits. */
export function rangeKey(range: ChosenRange): string {
  return range.kind === 'last' ? range.name : `${range.fromMs}-${range.toMs}`;
}

/** What the admin interface is asked for. A range up to now names no end: the server's clock decides what now is. */
export function rangeQuery(range: ChosenRange, nowMs: number): readonly (readonly [string, string])[] {
  if (range.kind === 'last') return [['from', `${nowMs - spansMs[range.name]}`]];
  return [
    ['from', `${range.fromMs}`],
    ['to', `${range.toMs}`],
  ];
}

/** How often a page asks again while it is seen: what is a minute wide changes by the second, what is a week wide does not. */
export function refreshEveryMs(range: ChosenRange): number | undefined {
  if (range.kind === 'between') return undefined;
  return spansMs[range.name] <= dayMs ? 15_000 : minuteMs;
}

/** As the fields of a browser write a moment: local, without seconds. */
export function fieldText(atMs: number): string {
  const shifted = new Date(atMs - new Date(atMs).getTimezoneOffset() * minuteMs);
  return shifted.toISOString().slice(0, 16);
}

/** Absent where the fields do not hold two moments, or the second is not the later one. */
export function rangeBetween(fromText: string, toText: string): ChosenRange | undefined {
  const [fromMs, toMs] = [Date.parse(fromText), Date.parse(toText)];
  return fromMs < toMs ? { kind: 'between', fromMs, toMs } : undefined;
}

/** Where a range begins and ends, for those who want to change it by hand. */
export function boundsOf(range: ChosenRange, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  return range.kind === 'between' ? range : { fromMs: nowMs - spansMs[range.name], toMs: nowMs };
}
