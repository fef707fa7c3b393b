/** What every reply says to caches and browsers unless it says otherwise itself: it is for whoever asked, and is what it claims to be. */

export const privateHeaders = {
  'cache-control': 'no-store',
  /** For caches that store in spite of it: by everything that may carry a credential. */
  vary: 'authorization, x-api-key, api-key, x-goog-api-key, cookie',
  'x-content-type-options': 'nosniff',
} as const;

/** Adds what a handler did not say itself. */
export function keepPrivate(headers: Headers): void {
  for (const name of names) if (headers.get(name) === null) headers.set(name, privateHeaders[name]);
}

const names = Object.keys(privateHeaders) as (keyof typeof privateHeaders)[];
