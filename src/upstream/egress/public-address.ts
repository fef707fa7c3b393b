/**
 * Which IP addresses are public. Where possible it lists what is public rather than what is not, so that an
 * address of an unforeseen kind is refused.
 */

import { ipv4Word, ipv6Groups, isInIpv4, isInIpv6, type Network } from '../ip-address.ts';
import { metadataIpv4 } from '../link-local.ts';

/** IPv4 networks that are not public, after the registry of special-purpose addresses, with what they are for. */
const ownIpv4: readonly Network[] = [
  ['0.0.0.0', 8], // this network, and "unspecified"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays from IPv6, withdrawn
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
  ...metadataIpv4,
];

/** Parts of 2000::/3, outside which nothing is public, that are not public themselves. */
const ownIpv6: readonly Network[] = [
  ['2001::', 23], // protocol assignments: tunnels that hold an IPv4 address, benchmarks, identifiers
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // tunnels that hold an IPv4 address
  ['3fff::', 20], // documentation
];

/**
 * Whether this is a public address. False for anything but an address in its usual notation: a leading zero,
 * a number for the whole, a zone. Also false for every IPv6 form that holds an IPv4 address, whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  const word = ipv4Word(address);
  if (word !== undefined) return !ownIpv4.some((network) => isInIpv4(word, network));
  const groups = ipv6Groups(address);
  if (groups === undefined || ((groups[0] ?? 0) & 0xe000) !== 0x2000) return false;
  return !ownIpv6.some((network) => isInIpv6(groups, network));
}
