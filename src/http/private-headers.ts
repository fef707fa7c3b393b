/** Default headers of every reply for caches and browsers: for the caller only, and with the declared content type. */

import type { Reply } from './reply.ts';

export const privateHeaders = {
  'cache-control': 'no-store',
  /** For caches that store it nevertheless: one entry per credential. */
  vary: 'authorization, x-api-key, api-key, x-goog-api-key, cookie',
  'x-content-type-options': 'nosniff',
} as const;

/** Adds the headers that a handler did not set itself. */
export function keepPrivate(headers: Reply['headers']): void {
  for (const name of names) if (headers.get(name) === null) headers.set(name, privateHeaders[name]);
}

const names = Object.keys(privateHeaders) as (keyof typeof privateHeaders)[];
