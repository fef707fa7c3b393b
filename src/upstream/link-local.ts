/** The addresses of a machine's own neighbourhood, where clouds put the service that hands out its credentials: no provider is there. */

import { isIP } from 'node:net';
import { UnsentError } from './transport.ts';

export const addressRefused = 'ERR_ADDRESS_REFUSED';

/** Some clouds put the same service at an address of another kind. */
const metadataAddresses: ReadonlySet<string> = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254']);

export function isLinkLocal(address: string): boolean {
  const text = address.replace(/^\[|\]$/g, '').toLowerCase();
  const version = isIP(text.split('%', 1)[0] ?? '');
  if (version === 4) return text.startsWith('169.254.') || metadataAddresses.has(text);
  if (version !== 6) return false;
  // The parser of addresses writes every IPv6 address in one way, also those that hold an IPv4 address.
  const plain = URL.parse(`http://[${text.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) ?? text;
  const [, high = '', low = ''] = /^::(?:ffff:)?(?:0:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain) ?? [];
  if (high !== '') {
    const word = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
    return isLinkLocal([word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255].join('.'));
  }
  return /^fe[89ab]/.test(plain) || metadataAddresses.has(plain);
}

/** For a connection: the address that is then connected to. */
export function refuseLinkLocal(host: string, address: string): void {
  if (!isLinkLocal(address)) return;
  throw new UnsentError(addressRefused, `${host} leads to ${address}, where a machine asks for its own credentials.`);
}
