/** Which period a page shows, as the URL says it: the last hours or days, a calendar day or month, or from one moment to another. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const rangeNames = ['1h', '24h', '7d', '30d', '90d', '1y'] as const;
export type RangeName = (typeof rangeNames)[number];

/** Days and months of the viewer's calendar, in the viewer's time zone. */
export const calendarNames = ['today', 'yesterday', 'this-month', 'last-month'] as const;
export type CalendarName = (typeof calendarNames)[number];

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
  | { readonly kind: 'calendar'; readonly name: CalendarName }
  | { readonly kind: 'between'; readonly fromMs: number; readonly toMs: number };

interface Bounds {
  readonly fromMs: number;
  readonly toMs: number;
}

export const rangeDefault: ChosenRange = { kind: 'last', name: '24h' };

/** A URL that was cut or mistyped still shows something: the usual range. */
export function readRange(query: URLSearchParams): ChosenRange {
  const [fromMs, toMs] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  if (fromMs < toMs) return { kind: 'between', fromMs, toMs };
  const last = rangeNames.find((name) => name === query.get('range'));
  if (last !== undefined) return { kind: 'last', name: last };
  const calendar = calendarNames.find((name) => name === query.get('range'));
  return calendar === undefined ? rangeDefault : { kind: 'calendar', name: calendar };
}

/** The words of the query that say it; the usual range needs none. */
export function rangeWords(range: ChosenRange): Readonly<Record<'range' | 'from' | 'to', string | undefined>> {
  if (range.kind === 'between') {
    return { range: undefined, from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() };
  }
  const isUsual = rangeDefault.kind === range.kind && rangeDefault.name === range.name;
  return { range: isUsual ? undefined : range.name, from: undefined, to: undefined };
}

/** Does it end now? Only such a range gets new requests. */
export function isUpToNow(range: ChosenRange): boolean {
  return range.kind === 'last' || (range.kind === 'calendar' && !endedNames.includes(range.name));
}

const endedNames: readonly CalendarName[] = ['yesterday', 'last-month'];

/** Built from the fields of a date, which a change of the clocks in between cannot shift. */
function calendarBounds(name: CalendarName, nowMs: number): Bounds {
  const now = new Date(nowMs);
  const day = (offset: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + offset).getTime();
  const month = (offset: number) => new Date(now.getFullYear(), now.getMonth() + offset, 1).getTime();
  const bounds: Readonly<Record<CalendarName, () => Bounds>> = {
    today: () => ({ fromMs: day(0), toMs: nowMs }),
    yesterday: () => ({ fromMs: day(-1), toMs: day(0) }),
    'this-month': () => ({ fromMs: month(0), toMs: nowMs }),
    'last-month': () => ({ fromMs: month(-1), toMs: month(0) }),
  };
  return bounds[name]();
}

export function boundsOf(range: ChosenRange, nowMs: number): Bounds {
  if (range.kind === 'between') return { fromMs: range.fromMs, toMs: range.toMs };
  if (range.kind === 'calendar') return calendarBounds(range.name, nowMs);
  return { fromMs: nowMs - spansMs[range.name], toMs: nowMs };
}

/** The same for the same range, however much time has gone by: under it answers are kept between visits. Another day is another "today". */
export function rangeKey(range: ChosenRange, nowMs: number): string {
  if (range.kind === 'last') return range.name;
  if (range.kind === 'between') return `${range.fromMs}-${range.toMs}`;
  return `${range.name} ${calendarBounds(range.name, nowMs).fromMs}`;
}

/** What the admin interface is asked for. A range up to now names no end: the server's clock decides what now is. */
export function rangeQuery(range: ChosenRange, nowMs: number): readonly (readonly [string, string])[] {
  const { fromMs, toMs } = boundsOf(range, nowMs);
  const from = ['from', `${fromMs}`] as const;
  // In the first moment of a day or month the server's clock may still be before it.
  const isStarting = isUpToNow(range) && toMs - fromMs < minuteMs;
  if (isUpToNow(range) && !isStarting) return [from];
  return [from, ['to', `${isStarting ? fromMs + minuteMs : toMs}`]];
}

/** How often a page asks again while it is seen: what is a minute wide changes by the second, what is a week wide does not. */
export function refreshEveryMs(range: ChosenRange, nowMs: number): number | undefined {
  if (!isUpToNow(range)) return undefined;
  const { fromMs, toMs } = boundsOf(range, nowMs);
  return toMs - fromMs <= dayMs ? 15_000 : minuteMs;
}

/** Hours of several days are many and mostly noise; whole days of two or fewer say nothing. */
export function isShownByDay(range: ChosenRange, nowMs: number): boolean {
  const { fromMs, toMs } = boundsOf(range, nowMs);
  return toMs - fromMs > 3 * dayMs && toMs - fromMs <= 8 * dayMs;
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

/** One word that says a range, and how it is read again: the range that a zoom goes back to. */
export function rangeText(range: ChosenRange): string {
  if (range.kind !== 'between') return range.name;
  return [range.fromMs, range.toMs].map((atMs) => new Date(atMs).toISOString()).join('/');
}

export function rangeOfText(text: string): ChosenRange {
  const [from = '', to = ''] = text.split('/');
  return readRange(new URLSearchParams(text.includes('/') ? { from, to } : { range: text }));
}
