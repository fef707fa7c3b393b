/**
 * Fetches what a token holder points at, and nothing that the token holder could not reach alone: only public addresses,
 * checked where the connection is made, again after each redirect, without credentials, within caps of size, type and time.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { createHttpTransport, type HttpTransportOptions } from '../http1/http-transport.ts';
import { ReplyTooLargeError, type Transport, UnsentError, type UpstreamReply } from '../transport.ts';
import { readCallerUrl, UrlRefusal } from './caller-url.ts';
import { isPublicAddress } from './public-address.ts';

export interface FetchLimits {
  readonly bytesMax: number;
  /** For everything: names, connections, redirects, the last byte. */
  readonly timeoutMs: number;
  /** Types that are taken, in lower case: `image/png`, `image/*`. */
  readonly mediaTypes: readonly string[];
  /** The request's field that holds the address, for the error. */
  readonly param?: string;
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
}

export interface FetchedMedia {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In lower case, without parameters. */
  readonly mediaType: string;
}

export interface EgressOptions extends Pick<HttpTransportOptions, 'ca' | 'resolveHost'> {
  readonly connectTimeoutMs?: number;
  /** Any port where absent. */
  readonly portsAllowed?: readonly number[];
  /** Which addresses may be connected to: the public ones, unless a test says otherwise. */
  readonly admitsAddress?: (address: string) => boolean;
}

export interface Egress {
  /** Rejects with a GatewayError of status 400 whatever goes wrong: the address is the caller's choice. */
  fetchFromCaller(url: string, limits: FetchLimits): Promise<FetchedMedia>;
  close(): void;
}

const redirectsMax = 3;
const connectionsPerOriginMax = 16;
/** Said of names that do not exist too: otherwise callers could list the names of a private network. */
const unreachable = 'leads to no public address';

export function createEgress(options: EgressOptions = {}): Egress {
  const { admitsAddress = isPublicAddress, connectTimeoutMs = 5_000, portsAllowed, ca, resolveHost } = options;
  const transport = createHttpTransport({
    connectTimeoutMs,
    connectionsPerOriginMax,
    ca,
    resolveHost,
    checkAddress(_host, address) {
      if (!admitsAddress(address)) throw new UrlRefusal(unreachable);
    },
  });
  return {
    async fetchFromCaller(url, limits) {
      const deadline = AbortSignal.timeout(limits.timeoutMs);
      const signal = limits.signal === undefined ? deadline : AbortSignal.any([deadline, limits.signal]);
      try {
        return await fetchWithin(transport, url, limits, portsAllowed, signal);
      } catch (error) {
        if (limits.signal?.aborted === true) throw limits.signal.reason;
        throw refusalOf(error, limits, deadline.aborted);
      }
    },
    close: () => transport.close(),
  };
}

async function fetchWithin(
  transport: Transport,
  text: string,
  limits: FetchLimits,
  portsAllowed: readonly number[] | undefined,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  let url = readCallerUrl(text, portsAllowed);
  for (let redirects = 0; ; redirects++) {
    const headers = { accept: limits.mediaTypes.join(', '), 'user-agent': 'weir' };
    const reply = await transport({ url: url.href, method: 'GET', headers, signal });
    const location = redirectOf(reply);
    if (location === undefined) return await takeMedia(reply, limits);
    // Its body is worth nothing, and reading it would cost time.
    reply.cancel();
    if (redirects === redirectsMax) throw new UrlRefusal(`redirects more than ${redirectsMax} times`);
    url = readCallerUrl(location, portsAllowed, url);
  }
}

function redirectOf(reply: UpstreamReply): string | undefined {
  return [301, 302, 303, 307, 308].includes(reply.status) ? reply.header('location') : undefined;
}

async function takeMedia(reply: UpstreamReply, limits: FetchLimits): Promise<FetchedMedia> {
  const mediaType = reply.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const refusal = replyRefusal(reply.status, mediaType, limits.mediaTypes);
  if (refusal === undefined) return { bytes: await reply.whole(limits.bytesMax), mediaType };
  reply.cancel();
  throw new UrlRefusal(refusal);
}

function replyRefusal(status: number, mediaType: string, mediaTypes: readonly string[]): string | undefined {
  if (status !== 200) return `answered with status ${status}`;
  const family = `${mediaType.split('/', 1)[0]}/*`;
  if (mediaTypes.some((type) => type === mediaType || type === family || type === '*/*')) return undefined;
  return `is ${/^[\x21-\x7e]{1,100}$/.test(mediaType) ? mediaType : 'of no known type'}, not ${mediaTypes.join(' or ')}`;
}

function refusalOf(error: unknown, { bytesMax, timeoutMs, param = '' }: FetchLimits, late: boolean): GatewayError {
  const tell = (what: string) =>
    new GatewayError('field_invalid', `The address ${what}, so it was not fetched.`, { param, cause: error });
  if (error instanceof UrlRefusal) return tell(error.message);
  if (late) return tell(`did not answer in full within ${timeoutMs / 1000} s`);
  if (error instanceof ReplyTooLargeError) return tell(`holds more than ${bytesMax} bytes`);
  if (error instanceof UnsentError && error.code === 'ENOTFOUND') return tell(unreachable);
  return tell('could not be read');
}
