/** Where the person is and how they get elsewhere: the address holds the whole state, and the browser's history keeps it. */

export type Params = Readonly<Record<string, string>>;

export interface Navigation {
  /** Path and query, as a link would hold them. */
  address(): string;
  go(to: string, how?: { readonly replace?: boolean }): void;
  subscribe(listener: () => void): () => void;
}

/** What of a window a navigation needs; tests hand in one of their own. */
export interface HistoryWindow {
  readonly location: { readonly pathname: string; readonly search: string };
  readonly history: Pick<History, 'pushState' | 'replaceState'>;
  addEventListener(type: 'popstate', listener: () => void): void;
  scrollTo(left: number, top: number): void;
}

export function createNavigation(window: HistoryWindow): Navigation {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  window.addEventListener('popstate', tell);
  const address = () => window.location.pathname + window.location.search;
  return {
    address,
    go(to, { replace = false } = {}) {
      if (to === address()) return;
      const pathBefore = window.location.pathname;
      if (replace) window.history.replaceState(null, '', to);
      else window.history.pushState(null, '', to);
      // A filter or an open row is the same page: it stays where it was scrolled to.
      if (window.location.pathname !== pathBefore) window.scrollTo(0, 0);
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
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
