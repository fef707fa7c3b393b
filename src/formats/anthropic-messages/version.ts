/** The header in which clients of the messages format name their version; any date is accepted, none is required. */

import { GatewayError } from '../../conversation/gateway-error.ts';

export const versionHeaders = ['anthropic-version', 'vendor-version'] as const;

interface HeaderReader {
  get(name: string): string | null;
}

/** Does the client name a version, and thereby show which family it belongs to? */
export function namesVersion(headers: HeaderReader): boolean {
  return versionHeaders.some((name) => headers.get(name) !== null);
}

export function checkVersion(headers: HeaderReader): void {
  for (const name of versionHeaders) {
    const value = headers.get(name);
    if (value === null || /^\d{4}-\d{2}-\d{2}$/.test(value.trim())) continue;
    throw new GatewayError('header_invalid', `The header \`${name}\` must be a date such as 2023-06-01.`, {
      param: name,
    });
  }
}
