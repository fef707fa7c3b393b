/** Fetches a price table from a URL that the operator configured, within limits of size, time and redirects. */

import type { Transport } from './transport.ts';

interface TableFetch {
  /** For the configured URL itself, which may be at any address. */
  readonly transport: Transport;
  /** For redirects: refuses the addresses of cloud metadata services, which hand out a machine's credentials. */
  readonly guarded: Transport;
  readonly bytesMax?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export const tableBytesMax = 16_777_216;
const tableTimeoutMs = 30_000;
const redirectsMax = 5;
const redirecting = new Set([301, 302, 303, 307, 308]);

export async function fetchTable(address: string, parts: TableFetch): Promise<Uint8Array<ArrayBuffer>> {
  const { bytesMax = tableBytesMax, timeoutMs = tableTimeoutMs } = parts;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = parts.signal === undefined ? timeout : AbortSignal.any([timeout, parts.signal]);
  const { url: first, authorization } = withoutCredentials(address);
  let url = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const transport = redirects === 0 ? parts.transport : parts.guarded;
    // The URL's user name and password are for that URL only, not for its redirects.
    const credentials = redirects === 0 && authorization !== undefined ? { authorization } : {};
    const headers = { accept: 'application/json', 'accept-encoding': 'identity', ...credentials };
    const reply = await transport({ url, method: 'GET', headers, signal });
    if (!redirecting.has(reply.status)) {
      if (reply.status === 200) return reply.whole(bytesMax);
      reply.cancel();
      throw new Error(`The answer was ${reply.status}.`);
    }
    reply.cancel();
    url = redirected(url, reply.header('location'));
  }
  throw new Error(`There were more than ${redirectsMax} redirects.`);
}

function withoutCredentials(address: string): { readonly url: string; readonly authorization?: string } {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return { url: url.href };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function redirected(from: string, location: string | undefined): string {
  const to = location === undefined ? null : URL.parse(location, from);
  if (to === null || !['http:', 'https:'].includes(to.protocol)) throw new Error('It redirects to no http address.');
  if (from.startsWith('https:') && to.protocol === 'http:') {
    throw new Error('It redirects from https to http, where others on the network path could change a price.');
  }
  return to.href;
}
