/**
 * Link-local addresses and those of cloud metadata services, which hand out a machine's credentials: no provider is
 * there.
 */

import { ipv4Inside, ipv4Word, ipv6Groups, isInIpv4, isInIpv6, type Network } from './ip-address.ts';
import { UnsentError } from './transport.ts';

export const addressRefused = 'ERR_ADDRESS_REFUSED';

/** Link-local networks, and metadata services at other addresses. */
export const metadataIpv4: readonly Network[] = [
  ['169.254.0.0', 16], // link-local, with most clouds' metadata services
  ['100.100.100.200', 32], // one cloud's own
  ['168.63.129.16', 32], // looks public, but is the machine's own host
  ['192.0.0.192', 32], // another cloud's own
];

const metadataIpv6: readonly Network[] = [
  ['fe80::', 10], // link-local
  ['fd00:ec2::', 32], // clouds' own
  ['fd20:ce::', 32],
];

/** Also where an IPv6 address leads to one of them by a translator or a tunnel. */
export function isLinkLocal(address: string): boolean {
  const text = address.replace(/^\[|\]$/g, '').split('%', 1)[0] ?? '';
  const word = ipv4Word(text);
  if (word !== undefined) return isMetadata(word);
  // The URL parser normalizes every IPv6 address, also one that ends in IPv4 notation.
  const groups = ipv6Groups(URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? '');
  if (groups === undefined) return false;
  return metadataIpv6.some((network) => isInIpv6(groups, network)) || ipv4Inside(groups).some(isMetadata);
}

function isMetadata(word: number): boolean {
  return metadataIpv4.some((network) => isInIpv4(word, network));
}

/** For a connection: checks the very address that is then connected to. */
export function refuseLinkLocal(host: string, address: string): void {
  if (!isLinkLocal(address)) return;
  throw new UnsentError(addressRefused, `${host} leads to ${address}, where a machine asks for its own credentials.`);
}
