/**
 * Fetches what a token holder points at, and nothing that the token holder could not reach alone: only public addresses,
 * checked where the connection is made, again after each redirect, without credentials, within caps of size, type and time.
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
  /** For everything: names, connections, redirects, the last byte. */
  readonly timeoutMs: number;
  /** Types that are taken, in lower case: `image/png`, `image/*`. */
  readonly mediaTypes: readonly string[];
  /** The request's field that holds the address, for the error. */
  readonly param?: string;
  /** Aborted when nobody waits any more. */
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

/** Something to be sent to, or streamed from, an address that Weir's operator did not choose. */
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
  /** Rejects with a GatewayError of status 400 whatever goes wrong: the address is the caller's choice. */
  fetchFromCaller(url: string, limits: FetchLimits): Promise<FetchedMedia>;
  /** The head of an answer, whatever its status; its body as it is read. Rejects where the address may not be asked or does not answer. */
  open(request: EgressRequest): Promise<UpstreamReply>;
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
    // Its body is worth nothing, and reading it would cost time.
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
    new GatewayError('field_invalid', `The address ${what}, so it was not fetched.`, { param, cause: error });
  if (error instanceof UrlRefusal) return tell(error.message);
  if (late) return tell(`did not answer in full within ${timeoutMs / 1000} s`);
  if (error instanceof ReplyTooLargeError) return tell(`holds more than ${bytesMax} bytes`);
  if (error instanceof UnsentError && error.code === 'ENOTFOUND') return tell(unreachable);
  return tell('could not be read');
}
