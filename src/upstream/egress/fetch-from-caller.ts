/**
 * Fetches a URL that the caller sent, but nothing that the caller could not reach directly: only public addresses,
 * checked when connecting and again after each redirect, without credentials, within limits of size, type and time.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { createHttpTransport, type HttpTransportOptions } from '../http1/http-transport.ts';
import {
  type CancelSignal,
  ReplyTooLargeError,
  type Transport,
  UnsentError,
  type UpstreamReply,
} from '../transport.ts';
import { readCallerUrl, UrlRefusal } from './caller-url.ts';
import { isPublicAddress } from './public-address.ts';

export interface FetchLimits {
  readonly bytesMax: number;
  /** For the whole fetch: DNS, connections, redirects and the last byte. */
  readonly timeoutMs: number;
  /** Accepted types, in lower case: `image/png`, `image/*`. */
  readonly mediaTypes: readonly string[];
  /** The request's field that holds the URL, for the error. */
  readonly param?: string;
  /** Aborted when the request has ended. */
  readonly signal?: AbortSignal;
}

interface FetchedMedia {
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

/** A request to a URL that Weir's operator did not choose. */
export interface EgressRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Never a credential: it would follow the redirects. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** 0 takes the first answer as it is. */
  readonly redirectsMax: number;
  readonly signal: CancelSignal;
}

export interface Egress {
  /** Every failure rejects with a GatewayError of status 400: the URL is the caller's choice. */
  fetchFromCaller(url: string, limits: FetchLimits): Promise<FetchedMedia>;
  /**
   * The head of a reply of any status; its body as it is read. Rejects if the address is not allowed or does not
   * answer.
   */
  open(request: EgressRequest): Promise<UpstreamReply>;
  close(): void;
}

const redirectsMax = 3;
const connectionsPerOriginMax = 16;
/** Also the error for names that do not exist: otherwise callers could list the names of a private network. */
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
    open: (request) => openWithin(transport, request, portsAllowed),
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
  const headers = { accept: limits.mediaTypes.join(', ') };
  const reply = await openWithin(transport, { url: text, method: 'GET', headers, redirectsMax, signal }, portsAllowed);
  return takeMedia(reply, limits);
}

async function openWithin(
  transport: Transport,
  request: EgressRequest,
  portsAllowed: readonly number[] | undefined,
): Promise<UpstreamReply> {
  const { method, body, signal } = request;
  const headers = { ...request.headers, 'user-agent': 'weir' };
  let url = readCallerUrl(request.url, portsAllowed);
  for (let redirects = 0; ; redirects++) {
    const reply = await transport({ url: url.href, method, headers, signal, ...(body !== undefined && { body }) });
    const location = request.redirectsMax === 0 ? undefined : redirectOf(reply);
    if (location === undefined) return reply;
    // The body of a redirect is not needed.
    reply.cancel();
    if (redirects === request.redirectsMax) throw new UrlRefusal(`redirects more than ${redirects} times`);
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
    new GatewayError('field_invalid', `The URL ${what}, so it was not fetched.`, { param, cause: error });
  if (error instanceof UrlRefusal) return tell(error.message);
  if (late) return tell(`did not answer in full within ${timeoutMs / 1000} s`);
  if (error instanceof ReplyTooLargeError) return tell(`holds more than ${bytesMax} bytes`);
  if (error instanceof UnsentError && error.code === 'ENOTFOUND') return tell(unreachable);
  return tell('could not be read');
}
