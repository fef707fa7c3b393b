/** How each provider is reached: directly over connections of our own, or through a proxy; and whose certificates are believed. */

import { createHttpTransport, type HttpTransport } from './http1/http-transport.ts';
import { refuseLinkLocal } from './link-local.ts';
import { createNetwork } from './network.ts';
import { createProxyRule, noProxy, type ProxyRule, type ProxyTerms } from './proxy-rules.ts';
import type { SocketTransport } from './socket-transport.ts';
import type { Transport } from './transport.ts';
import { createSocketTransport } from './websocket/websocket-transport.ts';

interface WaysOutOptions {
  readonly connectTimeoutMs: number;
  readonly egress: ProxyTerms & { readonly ca: string | undefined };
}

/** What one provider wants otherwise than all. */
export interface WayTerms {
  readonly proxy?: string | undefined;
  readonly ca?: string | undefined;
  /** Never to the addresses at which a machine of a cloud learns its own credentials. */
  readonly guarded?: boolean;
}

interface WayOut {
  readonly transport: Transport;
  readonly sockets: SocketTransport;
}

export interface WaysOut {
  /** Providers of the same terms share their connections. */
  of(terms: WayTerms): WayOut;
  close(): void;
}

/** Addresses whose way is remembered; they hold model names. */
const urlsMax = 1_024;

export function createWaysOut({ connectTimeoutMs, egress }: WaysOutOptions): WaysOut {
  const ways = new Map<string, WayOut>();
  const opened: HttpTransport[] = [];

  const make = (terms: WayTerms): WayOut => {
    const ca = joined(egress.ca, terms.ca);
    // A proxy finds the address of a name by itself; what is asked through one is checked by its name alone, where it is configured.
    const checkAddress = terms.guarded === true ? refuseLinkLocal : undefined;
    const direct = createHttpTransport({ connectTimeoutMs, ca, checkAddress });
    opened.push(direct);
    const rule = createProxyRule(egress, terms.proxy);
    if (rule === noProxy) {
      return { transport: direct, sockets: createSocketTransport({ connectTimeoutMs, ca, checkAddress }) };
    }
    const proxyFor = ({ key }: { readonly key: string }): string | undefined => rule(key);
    const tunnelled = createHttpTransport({ connectTimeoutMs, ca, proxyFor });
    opened.push(tunnelled);
    return {
      transport: choosing({ rule, direct, tunnelled, ca }),
      sockets: createSocketTransport({ connectTimeoutMs, ca, proxyFor }),
    };
  };

  return {
    of(terms) {
      const name = JSON.stringify([terms.proxy, terms.ca, terms.guarded === true]);
      const known = ways.get(name) ?? make(terms);
      ways.set(name, known);
      return known;
    },
    close() {
      for (const transport of opened) transport.close();
    },
  };
}

interface Paths {
  readonly rule: ProxyRule;
  readonly direct: Transport;
  /** Over connections of our own, through a tunnel that an `http` proxy opens. */
  readonly tunnelled: Transport;
  readonly ca: string | undefined;
}

/** By the URL of each request: a provider may have several hosts, and some of them may need no proxy. */
function choosing({ rule, direct, tunnelled, ca }: Paths): Transport {
  const networks = new Map<string, Transport>();
  let chosen = new Map<string, Transport>();
  const choose = (url: string): Transport => {
    const proxy = rule(url);
    if (proxy === undefined) return direct;
    if (url.startsWith('https:') && proxy.startsWith('http:')) return tunnelled;
    const network = networks.get(proxy) ?? createNetwork({ proxy, ca });
    networks.set(proxy, network);
    return network;
  };
  return async (request) => {
    let transport = chosen.get(request.url);
    if (transport === undefined) {
      transport = choose(request.url);
      if (chosen.size >= urlsMax) chosen = new Map();
      chosen.set(request.url, transport);
    }
    return transport(request);
  };
}

function joined(...texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? undefined : given.join('\n');
}
