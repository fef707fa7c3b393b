/** Addresses as numbers, so that networks can be compared: IPv4 as one word, IPv6 as eight groups. */

/** A network: its first address as text, and how many bits of it count. */
export type Network = readonly [address: string, prefixBits: number];

/** Without leading zeros: some parsers read them as octal. */
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const ipv4Shape = new RegExp(`^${octet}\\.${octet}\\.${octet}\\.${octet}$`);

export function ipv4Word(text: string): number | undefined {
  const octets = ipv4Shape.exec(text)?.slice(1).map(Number);
  return octets?.reduce((word, each) => word * 256 + each, 0);
}

/** The eight groups of an address in hexadecimal spelling; undefined for one that ends in IPv4 spelling. */
export function ipv6Groups(text: string): readonly number[] | undefined {
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

export function isInIpv4(word: number, [address, prefixBits]: Network): boolean {
  const shift = 32 - prefixBits;
  return word >>> shift === (ipv4Word(address) ?? 0) >>> shift;
}

export function isInIpv6(groups: readonly number[], [address, prefixBits]: Network): boolean {
  const network = ipv6Groups(address) ?? [];
  return groups.every((group, index) => {
    const bits = Math.min(16, Math.max(0, prefixBits - index * 16));
    return group >>> (16 - bits) === (network[index] ?? 0) >>> (16 - bits);
  });
}

/** The IPv4 addresses that an IPv6 address may lead to, by every known embedding. */
export function ipv4Inside(groups: readonly number[]): readonly number[] {
  const found: number[] = [];
  const word = (high: number | undefined, low: number | undefined): number => (high ?? 0) * 65_536 + (low ?? 0);
  const [, first, second, third, fourth, fifth, sixth, seventh] = groups;
  const last = word(sixth, seventh);
  if (endsInIpv4.some((network) => isInIpv6(groups, network))) found.push(last);
  if (isInIpv6(groups, ['64:ff9b:1::', 48])) {
    // Translators of a network's own: after 48, 56 or 64 bits, around an octet that is always 0 (RFC 6052).
    const bytes = groups.flatMap((group) => [group >> 8, group & 255]).filter((_byte, index) => index !== 8);
    for (const at of [6, 7, 8])
      found.push(
        word((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0), (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0)),
      );
  }
  if (isInIpv6(groups, ['2002::', 16])) found.push(word(first, second));
  // Tunnels that name their server, and their client with every bit turned.
  if (isInIpv6(groups, ['2001::', 32])) found.push(word(second, third), ~last >>> 0);
  if (fifth === 0x5efe && (fourth === 0 || fourth === 0x200)) found.push(last);
  return found;
}

/** Compatible, mapped, translated, and the two networks of translators. */
const endsInIpv4: readonly Network[] = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
];
