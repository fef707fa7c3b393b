/**
 * Host names that Weir accepts. With DNS rebinding, a page of another site reaches a Weir on the visitor's own
 * machine under that site's name; an IP address cannot be rebound, so IP addresses are always accepted.
 */

interface OwnNames {
  /** The address that Weir listens on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
}

export type KnowsHost = (host: string | null) => boolean;

const shape = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const isAddress = (name: string): boolean => name.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name);

/** The host as a URL may hold it; undefined if the header is absent or malformed. */
export function properHost(host: string | null): string | undefined {
  return host !== null && shape.test(host) ? host : undefined;
}

/** Every browser sends the header, so a request without it does not come from a page. */
export function knownHosts({ host, publicUrl, allowedHosts }: OwnNames): KnowsHost {
  const names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  if (publicUrl !== undefined) names.add(new URL(publicUrl).hostname.toLowerCase());
  return (given) => {
    if (given === null || given === '') return true;
    const name = shape.exec(given)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    return isAddress(name) || name === 'localhost' || name.endsWith('.localhost') || names.has(name);
  };
}
