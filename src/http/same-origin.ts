/** Does a request come from one of Weir's own pages? The question that keeps other sites from acting with a visitor's session. */

/**
 * Browsers say it themselves in `Sec-Fetch-Site`, which no page can forge, where the address is TLS or this machine. Elsewhere `Origin`
 * must name the host that was asked, or the public address. A request with neither comes from no page of ours.
 */
export function isSameOrigin(request: { readonly headers: Headers }, publicUrl: string | undefined): boolean {
  const { headers } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  const { host, origin: plain } = new URL(origin);
  if (publicUrl !== undefined && new URL(publicUrl).origin === plain) return true;
  return host !== '' && host === headers.get('host')?.toLowerCase();
}
