/**
 * How each provider is reached: directly over Weir's own connections or through a proxy, and which certificates are
 * trusted.
 */

import { createHttpTransport, type HttpTransport } from './http1/http-transport.ts';
import { ReadPace } from './http1/read-pace.ts';
import { refuseLinkLocal } from './link-local.ts';
import { createNetwork } from './network.ts';
import { createProxyRule, noProxy, type ProxyRule, type ProxyTerms } from './proxy-rules.ts';
import type { SocketTransport } from './socket-transport.ts';
import type { Transport } from './transport.ts';
import { createSocketTransport } from './websocket/websocket-transport.ts';

interface EgressRoutesOptions {
  readonly connectTimeoutMs: number;
  /** What is read of a reply ahead of who takes it; the transport's own default where it is absent. */
  readonly aheadBytesMax?: number;
  /** Called with the bytes of each read. */
  readonly onRead?: (bytes: number) => void;
  readonly egress: ProxyTerms & { readonly ca: string | undefined };
}

/** One provider's overrides of the egress settings. */
export interface EgressRouteTerms {
  readonly proxy?: string | undefined;
  readonly ca?: string | undefined;
  /** Refuses the addresses of cloud metadata services, which hand out a machine's credentials. */
  readonly guarded?: boolean;
}

interface EgressRoute {
  readonly transport: Transport;
  readonly sockets: SocketTransport;
}

export interface EgressRoutes {
  /** Providers with the same terms share their connections. */
  of(terms: EgressRouteTerms): EgressRoute;
  close(): void;
}

/** Limit of the cache from URL to transport; URLs can contain model names. */
const urlsMax = 1_024;

export function createEgressRoutes(options: EgressRoutesOptions): EgressRoutes {
  const { connectTimeoutMs, egress, aheadBytesMax, onRead } = options;
  const own = {
    connectTimeoutMs,
    ...(aheadBytesMax !== undefined && { highWaterBytes: aheadBytesMax }),
    pace: new ReadPace(onRead),
  };
  const routes = new Map<string, EgressRoute>();
  const opened: HttpTransport[] = [];

  const make = (terms: EgressRouteTerms): EgressRoute => {
    const ca = joined(egress.ca, terms.ca);
    // A proxy resolves host names itself, so requests through one are checked by name only, when the provider is
    // configured.
    const checkAddress = terms.guarded === true ? refuseLinkLocal : undefined;
    const direct = createHttpTransport({ ...own, ca, checkAddress });
    opened.push(direct);
    const rule = createProxyRule(egress, terms.proxy);
    if (rule === noProxy) {
      return { transport: direct, sockets: createSocketTransport({ connectTimeoutMs, ca, checkAddress }) };
    }
    const proxyFor = ({ key }: { readonly key: string }): string | undefined => rule(key);
    const tunneled = createHttpTransport({ ...own, ca, proxyFor });
    opened.push(tunneled);
    return {
      transport: choosing({ rule, direct, tunneled, ca }),
      sockets: createSocketTransport({ connectTimeoutMs, ca, proxyFor }),
    };
  };

  return {
    of(terms) {
      const name = JSON.stringify([terms.proxy, terms.ca, terms.guarded === true]);
      const known = routes.get(name) ?? make(terms);
      routes.set(name, known);
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
  /** Over Weir's own connections, through a tunnel that an `http` proxy opens. */
  readonly tunneled: Transport;
  readonly ca: string | undefined;
}

/** Chooses by the URL of each request: a provider may have several hosts, and some of them may need no proxy. */
function choosing({ rule, direct, tunneled, ca }: Paths): Transport {
  const networks = new Map<string, Transport>();
  let chosen = new Map<string, Transport>();
  const choose = (url: string): Transport => {
    const proxy = rule(url);
    if (proxy === undefined) return direct;
    if (url.startsWith('https:') && proxy.startsWith('http:')) return tunneled;
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
