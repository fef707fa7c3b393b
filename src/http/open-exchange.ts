/** An exchange of the listener: a request that was received, and what is found out about it on demand. */

import type { Exchange } from './exchange.ts';
import { properHost } from './host-names.ts';
import { plainPath, type Route } from './route-table.ts';
import type { IncomingRequest } from './server/incoming-request.ts';

/** What an exchange needs to know of its listener. */
export interface ExchangeOptions {
  /** Where Weir listens. */
  readonly address: { readonly host: string; readonly port: number };
  newRequestId(): string;
  nowMs(): number;
  clientAddress(peer: string, forwardedFor: string | null): string;
  /** Whether the peer is a trusted proxy. */
  isTrustedProxy(peer: string): boolean;
}

export class OpenExchange implements Exchange {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly path: string;
  readonly query: string;
  readonly startedAtMs: number;
  params: Readonly<Record<string, string>> = noParams;
  stamped = false;
  tokenId = '';
  endpoint = '';
  recorded = false;
  /** Set once a path was found; it determines the format of errors. */
  route: Route | undefined;
  readonly #options: ExchangeOptions;

  constructor(request: IncomingRequest, options: ExchangeOptions) {
    this.request = request;
    this.requestId = options.newRequestId();
    this.startedAtMs = options.nowMs();
    this.#options = options;
    const { target } = request.head;
    const mark = target.indexOf('?');
    this.path = plainPath(mark === -1 ? target : target.slice(0, mark));
    this.query = mark === -1 ? '' : target.slice(mark + 1);
  }

  origin(): string {
    const { host, port } = this.#options.address;
    const own = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    return `http://${properHost(this.request.headers.get('host')) ?? own}`;
  }

  isLocal(): boolean {
    const { headers } = this.request;
    if (forwardingHeaders.some((name) => headers.get(name) !== null)) return false;
    return isLoopback(this.request.remoteAddress);
  }

  address(): string {
    return this.#options.clientAddress(this.request.remoteAddress, this.request.headers.get('x-forwarded-for'));
  }

  isSecure(): boolean {
    const said = this.request.headers.get('x-forwarded-proto');
    // The last value is from the nearest proxy.
    if (said?.split(',').at(-1)?.trim().toLowerCase() !== 'https') return false;
    return this.#options.isTrustedProxy(this.request.remoteAddress);
  }

  hasLeft(): boolean {
    return this.request.left;
  }
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
/** What proxies add. */
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'];

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}
