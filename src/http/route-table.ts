/** Routes as data, and the function that finds one by path and method. */

import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';
import type { Upgrade } from './websocket/socket-handler.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** `{name}` matches one segment, `{name...}` the rest of the path. */
  readonly path: string;
  /** Answers also while Weir is shutting down. */
  readonly whileDraining?: boolean;
  /**
   * Other sites' pages may neither call it nor read its replies: it uses a session, not a token that the page holds.
   */
  readonly ownPagesOnly?: boolean;
  /** A page or monitoring: its refusals are no part of the usage. */
  readonly unrecorded?: boolean;
  handle(exchange: Exchange): Reply | Promise<Reply>;
  /** Present if the path is a WebSocket too; throws if the caller may not open one. `handle` answers other requests. */
  upgrade?(exchange: Exchange): Promise<Upgrade>;
  /** Writes an error in this path's format. */
  writeError(error: unknown, exchange: Exchange): Reply;
}

type Match =
  | { readonly found: 'route'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly found: 'path'; readonly allow: readonly Method[]; readonly route: Route }
  | { readonly found: 'nothing' };

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/** The path that an alias means, and the parameters that it carries. */
export type ReadOtherPath = (
  path: string,
) => { readonly path: string; readonly params: Readonly<Record<string, string>> } | undefined;

interface Pattern {
  readonly segments: readonly string[];
  readonly routes: Map<string, Route>;
}

/** Of an overlong path, only the end is compared with known paths. */
const knownSegmentsMax = 6;

export class RouteTable {
  readonly #exact = new Map<string, Map<string, Route>>();
  readonly #patterns: Pattern[] = [];
  readonly #otherPath: ReadOtherPath;

  constructor(routes: readonly Route[], otherPath: ReadOtherPath = () => undefined) {
    for (const route of routes) this.#methodsOf(route.path).set(route.method, route);
    this.#otherPath = otherPath;
  }

  find(method: string, path: string): Match {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return choose(exact, method, noParams);
    // Checked before the patterns, since some of them match any rest of a path.
    const other = this.#otherPath(path);
    if (other === undefined) return this.#findUnversioned(method, path);
    const match = this.#findPlain(method, other.path);
    return match.found === 'route' ? { ...match, params: { ...match.params, ...other.params } } : match;
  }

  /** The known path that an unknown one ends with: the client's base URL has a path too many. */
  endOf(path: string): string | undefined {
    const segments = path.split('/').slice(-knownSegmentsMax);
    for (let from = 0; from < segments.length; from++) {
      const end = `/${segments.slice(from).join('/')}`;
      if (end === '/') return undefined;
      if (this.#exact.has(end)) return end;
      if (this.#exact.has(`/v1${end}`)) return `/v1${end}`;
    }
    return undefined;
  }

  /** No path has two meanings with and without the version, so a base URL without it works too. */
  #findUnversioned(method: string, path: string): Match {
    const match = this.#findPlain(method, path);
    return match.found !== 'nothing' || path.startsWith('/v1') ? match : this.#findPlain(method, `/v1${path}`);
  }

  #findPlain(method: string, path: string): Match {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return choose(exact, method, noParams);
    const segments = path.split('/');
    for (const pattern of this.#patterns) {
      const params = matchSegments(pattern.segments, segments);
      if (params !== undefined) return choose(pattern.routes, method, params);
    }
    return { found: 'nothing' };
  }

  #methodsOf(path: string): Map<string, Route> {
    if (!path.includes('{')) {
      const known = this.#exact.get(path) ?? new Map<string, Route>();
      this.#exact.set(path, known);
      return known;
    }
    const segments = path.split('/');
    const known = this.#patterns.find((pattern) => pattern.segments.join('/') === path);
    if (known !== undefined) return known.routes;
    const routes = new Map<string, Route>();
    this.#patterns.push({ segments, routes });
    return routes;
  }
}

function choose(routes: Map<string, Route>, method: string, params: Readonly<Record<string, string>>): Match {
  const route = routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined);
  if (route !== undefined) return { found: 'route', route, params };
  const [first] = routes.values();
  if (first === undefined) return { found: 'nothing' };
  return { found: 'path', allow: [...routes.keys()] as Method[], route: first };
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (let index = 0; index < pattern.length; index++) {
    const part = pattern[index] ?? '';
    const given = segments[index];
    if (given === undefined) return undefined;
    if (part.endsWith('...}')) {
      const rest = decodePath(segments.slice(index).join('/'));
      if (rest === undefined || rest === '') return undefined;
      params[part.slice(1, -4)] = rest;
      return params;
    }
    if (part.startsWith('{')) {
      const value = decodePath(given);
      if (value === undefined || value === '') return undefined;
      params[part.slice(1, -1)] = value;
    } else if (part !== given) return undefined;
  }
  return pattern.length === segments.length ? params : undefined;
}

function decodePath(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The base URL that people paste ends in `/v1` or `/v1beta`. Libraries that add their own version path then request
 * `/v1/v1/messages`, `/v1/v1beta/models` or `/v1/v2/rerank`, and one socket client doubles a slash: all of these mean
 * the plain path.
 */
export function plainPath(path: string): string {
  if (path.includes('//')) path = path.replace(/\/{2,}/g, '/');
  const maybeDoubled = path.startsWith('/v1/v') || path.startsWith('/v1beta/v') || path.startsWith('/v1alpha/v');
  if (maybeDoubled && doubledVersion.test(path)) path = path.slice(path.indexOf('/', 1));
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1);
  return path;
}

const doubledVersion = /^\/v1(?:beta|alpha)?\/v(?:1|1beta|1alpha|2)(?:\/|$)/;
