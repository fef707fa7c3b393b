/** Where the person is and how they get elsewhere: the address holds the whole state, and the browser's history keeps it. */

type Params = Readonly<Record<string, string>>;

export interface Navigation {
  /** Path and query, as a link would hold them. */
  address(): string;
  go(to: string, how?: { readonly replace?: boolean }): void;
  subscribe(listener: () => void): () => void;
  /** Asked before every step away from here, the browser's own too; whoever keeps the person here may let them go later. */
  guard(keeper: Keeper): () => void;
}

export interface Departure {
  readonly from: string;
  readonly to: string;
  /** Takes them where they wanted to. */
  leave(): void;
}

/** True: they stay for now. */
type Keeper = (departure: Departure) => boolean;

/** What of a window a navigation needs; tests hand in one of their own. */
export interface HistoryWindow {
  readonly location: { readonly pathname: string; readonly search: string };
  readonly history: Pick<History, 'pushState' | 'replaceState' | 'state' | 'go'>;
  addEventListener(type: 'popstate', listener: () => void): void;
  scrollTo(left: number, top: number): void;
}

export function createNavigation(window: HistoryWindow): Navigation {
  const { history } = window;
  const listeners = new Set<() => void>();
  const keepers = new Set<Keeper>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const here = () => window.location.pathname + window.location.search;
  const isKept = (departure: Departure) => [...keepers].some((keeper) => keeper(departure));
  const trail = createTrail(window);
  // Not the browser's own: while it is taken back, nothing on the page may see where it was for a moment.
  let shown = here();
  window.addEventListener('popstate', () => {
    const steps = trail.arrive();
    const to = here();
    // The browser has gone already: it is taken back, and goes again once it may.
    const leave = () => trail.step(steps);
    if (steps !== 0 && to !== shown && isKept({ from: shown, to, leave })) return trail.step(-steps);
    shown = to;
    tell();
  });
  const move = (to: string, replace: boolean) => {
    const pathBefore = window.location.pathname;
    if (replace) history.replaceState(history.state, '', to);
    else trail.push(to);
    shown = here();
    // A filter or an open row is the same page: it stays where it was scrolled to.
    if (window.location.pathname !== pathBefore) window.scrollTo(0, 0);
    tell();
  };
  return {
    address: () => shown,
    go(to, { replace = false } = {}) {
      if (to === shown || isKept({ from: shown, to, leave: () => move(to, replace) })) return;
      move(to, replace);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    guard(keeper) {
      keepers.add(keeper);
      return () => keepers.delete(keeper);
    },
  };
}

interface Trail {
  push(to: string): void;
  /** How many entries the browser has gone, forward or back; 0 where it was sent by `step`. */
  arrive(): number;
  step(entries: number): void;
}

/** Numbers the entries of the history: only so can be told which way the browser went, and how far. */
function createTrail({ history }: HistoryWindow): Trail {
  const numberOf = (state: unknown): number | undefined =>
    typeof state === 'object' && state !== null && 'entry' in state && typeof state.entry === 'number'
      ? state.entry
      : undefined;
  let entry = numberOf(history.state) ?? 0;
  let isSent = false;
  history.replaceState({ entry }, '');
  return {
    push(to) {
      entry += 1;
      history.pushState({ entry }, '', to);
    },
    arrive() {
      const before = entry;
      const found = numberOf(history.state);
      // A link to a part of the page makes an entry without asking anybody.
      entry = found ?? before + 1;
      if (found === undefined) history.replaceState({ entry }, '');
      const steps = isSent ? 0 : entry - before;
      isSent = false;
      return steps;
    },
    step(entries) {
      isSent = true;
      history.go(entries);
    },
  };
}

export function pathOf(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? '';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

export function queryOf(address: string): URLSearchParams {
  return new URLSearchParams(address.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '');
}

/** `{name}` matches one segment. Nothing where the path is another. */
export function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith('{') && part.endsWith('}')) {
      const decoded = decode(value);
      if (decoded === undefined || decoded === '') return undefined;
      params[part.slice(1, -1)] = decoded;
    } else if (part !== value) return undefined;
  }
  return params;
}

/** The address with some words of its query set, or taken away where they are undefined or empty. Their order stays. */
export function withQuery(address: string, changes: Readonly<Record<string, string | undefined>>): string {
  const query = queryOf(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? pathOf(address) : `${pathOf(address)}?${text}`;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
