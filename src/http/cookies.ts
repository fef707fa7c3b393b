/** Reads one cookie of a request and writes the header that sets it. */

import type { RequestHeaders } from './request-headers.ts';

/** The first of that name; browsers send the most specific one first. */
export function readCookie(header: string | null, name: string): string | undefined {
  if (header === null) return undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

export interface CookieJar {
  read(headers: RequestHeaders): string | undefined;
  /** `set-cookie` for a value with this lifetime; 0 deletes it. */
  write(value: string, lifetimeMs: number): string;
}

/**
 * A cookie that no script can read and no other site's page can send. Under TLS its name begins with `__Host-`: then the browser
 * itself refuses one that came without TLS, or from another host of the domain.
 */
export function sessionCookie(name: string, isSecure: boolean, sameSite: 'Strict' | 'Lax' = 'Strict'): CookieJar {
  const fullName = isSecure ? `__Host-${name}` : name;
  const terms = `HttpOnly; SameSite=${sameSite}; Path=/${isSecure ? '; Secure' : ''}`;
  return {
    read: (headers) => readCookie(headers.get('cookie'), fullName),
    write: (value, lifetimeMs) => `${fullName}=${value}; ${terms}; Max-Age=${Math.floor(lifetimeMs / 1000)}`,
  };
}
