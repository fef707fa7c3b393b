/** Which network an address belongs to, and which address a request came from behind proxies; bad input never throws. */

/** 32-bit words: one for IPv4, four for IPv6. An IPv4 address inside IPv6 (`::ffff:1.2.3.4`) is read as IPv4. */
type Words = readonly number[];

interface Network {
  readonly words: Words;
  readonly masks: Words;
}

export type AddressMatcher = (address: string) => boolean;

const addressLengthMax = 64;

function parseIpv4(text: string): number | undefined {
  let word = 0;
  let octets = 0;
  let start = 0;
  while (octets < 4) {
    let end = start;
    let octet = 0;
    while (end < text.length && text.charCodeAt(end) !== 0x2e) {
      const digit = text.charCodeAt(end) - 0x30;
      if (digit < 0 || digit > 9 || end - start > 2) return undefined;
      octet = octet * 10 + digit;
      end++;
    }
    // A leading zero is octal to some parsers and decimal to others, so it is refused.
    if (end === start || octet > 255 || (end - start > 1 && text.charCodeAt(start) === 0x30)) return undefined;
    word = word * 256 + octet;
    octets++;
    if (octets === 4) return end === text.length ? word : undefined;
    if (end === text.length) return undefined;
    start = end + 1;
  }
  return undefined;
}

/** The 16-bit groups of one side of `::`, or `undefined`. */
function parseGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1 && part.includes('.')) {
      const word = parseIpv4(part);
      if (word === undefined) return undefined;
      groups.push(Math.floor(word / 65536), word % 65536);
      continue;
    }
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined;
    groups.push(Number.parseInt(part, 16));
  }
  return groups;
}

function parseIpv6(text: string): Words | undefined {
  const gap = text.indexOf('::');
  const head = parseGroups(gap === -1 ? text : text.slice(0, gap));
  const tail = parseGroups(gap === -1 ? '' : text.slice(gap + 2));
  if (head === undefined || tail === undefined) return undefined;
  // An IPv4 ending belongs at the very end, never before the gap.
  if (gap !== -1 && text.slice(0, gap).includes('.')) return undefined;
  const missing = 8 - head.length - tail.length;
  if (gap === -1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const words: number[] = [];
  for (let index = 0; index < 8; index += 2) words.push((groups[index] ?? 0) * 65536 + (groups[index + 1] ?? 0));
  return words;
}

const isMapped = (words: Words): boolean => words[0] === 0 && words[1] === 0 && words[2] === 0xffff;

function parseWords(text: string): Words | undefined {
  if (text.length > addressLengthMax) return undefined;
  if (!text.includes(':')) {
    const word = parseIpv4(text);
    return word === undefined ? undefined : [word];
  }
  const zone = text.indexOf('%');
  return parseIpv6(zone === -1 ? text : text.slice(0, zone));
}

function parseAddress(text: string): Words | undefined {
  const words = parseWords(text);
  return words?.length === 4 && isMapped(words) ? words.slice(3) : words;
}

function masksFor(prefixBits: number, wordCount: number): Words {
  return Array.from({ length: wordCount }, (_, index) => {
    const bits = Math.min(32, Math.max(0, prefixBits - index * 32));
    return bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0;
  });
}

/** A network in CIDR form; a bare address is a network of one. */
function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf('/');
  let words = parseWords(slash === -1 ? text : text.slice(0, slash));
  if (words === undefined) return undefined;
  const prefixText = slash === -1 ? String(words.length * 32) : text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(prefixText)) return undefined;
  let prefixBits = Number(prefixText);
  if (prefixBits > words.length * 32) return undefined;
  if (words.length === 4 && isMapped(words) && prefixBits >= 96) {
    words = words.slice(3);
    prefixBits -= 96;
  }
  const masks = masksFor(prefixBits, words.length);
  return { masks, words: words.map((word, index) => (word & (masks[index] ?? 0)) >>> 0) };
}

export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined;
export const isAddress = (text: string): boolean => parseAddress(text) !== undefined;

/**
 * What counts as one client: an IPv4 address, or the network of an IPv6 address, in which one client has many
 * addresses.
 */
export function networkOf(address: string): string {
  const words = parseAddress(address);
  if (words === undefined) return address.slice(0, addressLengthMax);
  return words
    .slice(0, 2)
    .map((word) => word.toString(16))
    .join(':');
}

function contains(network: Network, words: Words): boolean {
  if (network.words.length !== words.length) return false;
  for (let index = 0; index < words.length; index++) {
    if (((words[index] ?? 0) & (network.masks[index] ?? 0)) >>> 0 !== network.words[index]) return false;
  }
  return true;
}

/** True if the address is in any of the networks. A text that is no network matches nothing. */
export function compileNetworks(texts: readonly string[]): AddressMatcher {
  const networks: Network[] = [];
  for (const text of texts) {
    const network = parseNetwork(text);
    if (network !== undefined) networks.push(network);
  }
  return (address) => {
    if (networks.length === 0) return false;
    const words = parseAddress(address);
    return words !== undefined && networks.some((network) => contains(network, words));
  };
}

/** One entry of `x-forwarded-for`, without the port that some proxies add. */
function withoutPort(entry: string): string {
  const text = entry.trim();
  if (text.startsWith('[')) return text.slice(1, text.indexOf(']'));
  const colon = text.indexOf(':');
  return colon !== -1 && colon === text.lastIndexOf(':') ? text.slice(0, colon) : text;
}

/**
 * The caller's own address. The header is read from its end, where trusted proxies wrote, and only as far as they
 * reach: entries further left come from the client, which can write anything.
 */
export function clientAddress(
  peer: string,
  xForwardedFor: string | null | undefined,
  isTrustedProxy: AddressMatcher,
): string {
  if (!xForwardedFor || !isTrustedProxy(peer)) return peer;
  let address = peer;
  let end = xForwardedFor.length;
  while (end >= 0) {
    const comma = end === 0 ? -1 : xForwardedFor.lastIndexOf(',', end - 1);
    const entry = withoutPort(xForwardedFor.slice(comma + 1, end));
    // A zone has no meaning outside the machine that wrote it, and it could hold any text.
    if (entry.includes('%') || !isAddress(entry)) return address;
    address = entry;
    if (!isTrustedProxy(address)) return address;
    end = comma;
  }
  return address;
}
