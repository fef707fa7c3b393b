/** The parts of a URL: the server whose connections it shares, and the target of its request line. */

export interface Origin {
  /** Scheme, host and port in one string: equal for all URLs that may share a connection. */
  readonly key: string;
  readonly secure: boolean;
  /** A name or an address; an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
}

export interface Route {
  readonly origin: Origin;
  /** The value of the `host` header. */
  readonly authority: string;
  /** Path and query, as the request line spells them. */
  readonly target: string;
}

export function readRoute(url: string): Route {
  const parsed = new URL(url);
  const secure = parsed.protocol === 'https:';
  if (!secure && parsed.protocol !== 'http:') {
    throw new TypeError(`${parsed.protocol} is not a scheme of HTTP.`);
  }
  // Credentials would become a header that the caller may have set as well.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`The URL of ${parsed.host} holds a user name or password; send them as a header.`);
  }
  const { hostname } = parsed;
  return {
    origin: {
      key: `${parsed.protocol}//${parsed.host}`,
      secure,
      host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: parsed.port === '' ? (secure ? 443 : 80) : Number(parsed.port),
    },
    authority: parsed.host,
    target: parsed.pathname + parsed.search,
  };
}
