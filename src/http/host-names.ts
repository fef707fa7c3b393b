/**
 * Names that Weir answers to. A page of another site whose name is made to lead here (DNS rebinding) reaches a Weir on the visitor's own
 * machine under that name; an address cannot be made to lead elsewhere, so addresses are always right.
 */

interface OwnNames {
  /** What Weir listens on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
}

export type KnowsHost = (host: string | null) => boolean;

const shape = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const isAddress = (name: string): boolean => name.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name);

/** The host as a URL may hold it; nothing where the header is absent or odd. */
export function properHost(host: string | null): string | undefined {
  return host !== null && shape.test(host) ? host : undefined;
}

/** No browser leaves the header out, so that a request without it is no page's. */
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
