/** Which proxy a URL is requested through, if any: loopback and the operator's exceptions are requested directly. */

import { BlockList, isIP } from 'node:net';

export interface ProxyTerms {
  /** By the scheme of the requested URL. */
  readonly proxy: { readonly http: string | undefined; readonly https: string | undefined };
  /** Hosts (`a.example`, with all below it), hosts with a port, networks, or `*`. */
  readonly noProxy: readonly string[];
}

/** Returns the proxy for a URL, or undefined for a direct request. `ownProxy` is one provider's: a URL, or `none`. */
export type ProxyRule = (url: string) => string | undefined;

export function createProxyRule(terms: ProxyTerms, ownProxy: string | undefined): ProxyRule {
  if (ownProxy === 'none') return noProxy;
  const { http, https } = terms.proxy;
  if (ownProxy === undefined && http === undefined && https === undefined) return noProxy;
  const isExcepted = compileExceptions(terms.noProxy);
  return (url) => {
    const { protocol, hostname, port } = new URL(url);
    const isSecure = protocol === 'https:' || protocol === 'wss:';
    const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
    if (isExcepted(host, port === '' ? (isSecure ? '443' : '80') : port)) return undefined;
    if (ownProxy !== undefined) return ownProxy;
    // The proxy's loopback is another machine's.
    if (isThisMachine(host)) return undefined;
    return isSecure ? https : http;
  };
}

/** The rule without any proxy, so that callers can skip the check of each URL. */
export const noProxy: ProxyRule = () => undefined;

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host);
}

function compileExceptions(entries: readonly string[]): (host: string, port: string) => boolean {
  const networks = new BlockList();
  const names: { readonly name: string; readonly port: string | undefined }[] = [];
  for (const entry of entries) {
    if (entry === '*') return () => true;
    const [address = '', bits] = entry.split('/');
    const version = isIP(address);
    if (version !== 0) {
      const family = version === 4 ? 'ipv4' : 'ipv6';
      const whole = version === 4 ? 32 : 128;
      const length = bits === undefined ? whole : Number(bits);
      if (Number.isInteger(length) && length >= 0 && length <= whole) networks.addSubnet(address, length, family);
      continue;
    }
    const [, name = '', port] = /^(?:\*?\.)?\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name !== '') names.push({ name, port });
  }
  return (host, port) => {
    const version = isIP(host);
    if (version !== 0 && networks.check(host, version === 4 ? 'ipv4' : 'ipv6')) return true;
    return names.some(
      (entry) => (host === entry.name || host.endsWith(`.${entry.name}`)) && (entry.port ?? port) === port,
    );
  };
}
