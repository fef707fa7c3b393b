/** Tells a server of the operator's own network from one on the internet: only the latter surely needs a key. */

import { isIP } from 'node:net';

export function isPrivateAddress(url: string): boolean {
  const host = (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '').toLowerCase();
  const version = isIP(host);
  if (version === 4) return isPrivateIpv4(host);
  if (version === 6) return host === '::1' || /^f[cd]|^fe[89ab]/.test(host);
  // A name without a dot exists only in the operator's own resolver, as in a compose file.
  return host !== '' && (!host.includes('.') || /\.(local|internal|localhost|lan|home\.arpa)$/.test(host));
}

function isPrivateIpv4(host: string): boolean {
  const [a = 0, b = 0] = host.split('.').map(Number);
  if (a === 10 || a === 127) return true;
  return (
    (a === 192 && b === 168) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b <= 127)
  );
}
