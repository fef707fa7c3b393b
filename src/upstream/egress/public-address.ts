/**
 * Which addresses lie in the public network. It names what is public rather than what is not where that is possible: an
 * address of a kind that nobody thought of is refused.
 */

/** IPv4 networks that are not public, after the registry of special-purpose addresses, with what they are for. */
const ownIpv4: readonly (readonly [network: string, prefixBits: number])[] = [
  ['0.0.0.0', 8], // this network, and "unspecified"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers' translators
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // looks public, but in one cloud it is the machine's own host
  ['169.254.0.0', 16], // link-local, with the clouds' metadata services
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
];

/** Parts of 2000::/3, outside which nothing is public, that are not public themselves. Groups of the prefix and its length. */
const ownIpv6: readonly (readonly [groups: readonly number[], prefixBits: number])[] = [
  [[0x2001, 0x0000], 23], // protocol assignments: tunnels that hold an IPv4 address, benchmarks, identifiers
  [[0x2001, 0x0db8], 32], // documentation
  [[0x2002], 16], // tunnels that hold an IPv4 address
  [[0x3fff, 0x0000], 20], // documentation
];

/** Without leading zeros: to some readers they mean octal. */
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const ipv4Shape = new RegExp(`^${octet}\\.${octet}\\.${octet}\\.${octet}$`);

const ownIpv4Words = ownIpv4.map(([network, prefixBits]) => ({ word: ipv4Word(network) ?? 0, prefixBits }));

/**
 * Is it the address of a machine that anybody may reach? False for what is no address in its usual spelling: a leading zero,
 * a number for the whole, a zone. Also false for every IPv6 form that holds an IPv4 address, whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  const word = ipv4Word(address);
  if (word !== undefined) return !ownIpv4Words.some((own) => sharesPrefix(own.word, word, own.prefixBits));
  const groups = ipv6Groups(address);
  if (groups === undefined || ((groups[0] ?? 0) & 0xe000) !== 0x2000) return false;
  return !ownIpv6.some(([network, prefixBits]) => within(groups, network, prefixBits));
}

function sharesPrefix(one: number, other: number, bits: number): boolean {
  const shift = 32 - bits;
  return one >>> shift === other >>> shift;
}

function within(groups: readonly number[], network: readonly number[], prefixBits: number): boolean {
  const wordAt = (from: readonly number[]): number => (((from[0] ?? 0) << 16) | (from[1] ?? 0)) >>> 0;
  return sharesPrefix(wordAt(groups), wordAt(network), prefixBits);
}

function ipv4Word(text: string): number | undefined {
  const octets = ipv4Shape.exec(text)?.slice(1).map(Number);
  return octets?.reduce((word, each) => word * 256 + each, 0);
}

/** The eight groups of an address; one that ends in IPv4 spelling is refused with all that hold an IPv4 address. */
function ipv6Groups(text: string): readonly number[] | undefined {
  if (!/^[0-9a-f:]{2,39}$/i.test(text)) return undefined;
  const sides = text.split('::').map((side) => (side === '' ? [] : side.split(':')));
  const [head, tail] = sides;
  if (head === undefined || sides.length > 2) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}
