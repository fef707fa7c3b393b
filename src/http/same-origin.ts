/** Whether a request comes from one of Weir's own pages, so that other sites cannot act with a visitor's session. */

import type { RequestHeaders } from './request-headers.ts';

/**
 * Over TLS and on this machine, browsers send `Sec-Fetch-Site`, which no page can forge. Elsewhere `Origin`
 * must name the requested host, or the public URL. A request with neither does not come from one of Weir's pages.
 */
export function isSameOrigin(request: { readonly headers: RequestHeaders }, publicUrl: string | undefined): boolean {
  const { headers } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  const { host, origin: plain } = new URL(origin);
  if (publicUrl !== undefined && new URL(publicUrl).origin === plain) return true;
  return host !== '' && host === headers.get('host')?.toLowerCase();
}
