/**
 * Bun's fetch as a transport, for proxies that Weir's own client does not support: reached over TLS, or for plain HTTP
 * URLs.
 */

import { abortSignalOf } from './cancellation.ts';
import { replyFromResponse } from './from-response.ts';
import { codeOf } from './http1/errors.ts';
import { isStreamed, type StreamedBody, type Transport, UnsentError } from './transport.ts';
import { withRootCertificates } from './trusted-certificates.ts';

interface NetworkOptions {
  /** With user and password if the proxy requires them. */
  readonly proxy: string;
  /** Certificates, in PEM, that are trusted besides the usual ones: the provider's and the proxy's. */
  readonly ca?: string | undefined;
}

export function createNetwork({ proxy, ca }: NetworkOptions): Transport {
  const tls = ca === undefined ? {} : { tls: { ca: withRootCertificates(ca) } };
  return async ({ url, method, headers: given, ownHeaders, body, signal }) => {
    const headers = ownHeaders === undefined ? given : { ...given, ...ownHeaders };
    const init = {
      method,
      ...(isStreamed(body) ? streamedParts(body, headers) : { headers, ...(body !== undefined && { body }) }),
      signal: abortSignalOf(signal),
      // A provider's redirect is not followed: the key would go to a URL that is not configured.
      redirect: 'manual' as const,
      // On a kept connection fetch takes stray bytes for the next request's reply (Bun 1.4.4, seen by the fuzzer).
      keepalive: false,
      proxy,
      ...tls,
    };
    // The runtime does not report when sending begins.
    if (!signal.aborted) signal.markSent?.();
    try {
      const response = await fetch(url, init);
      // This status comes from the proxy only, which then did not forward the request.
      if (response.status === 407) {
        void response.body?.cancel();
        throw new UnsentError('ERR_PROXY_AUTH', 'it wants another user or password');
      }
      return replyFromResponse(response);
    } catch (error) {
      throw signal.aborted ? error : asUnsent(error, url);
    }
  };
}

/** The runtime's error codes when no connection to the provider could be opened. */
const unconnected =
  /^(ERR_PROXY|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)/;

/** Without a tunnel or with a wrong certificate nothing of the request was sent, so another target may be tried. */
function asUnsent(error: unknown, url: string): unknown {
  const code = codeOf(error);
  if (code === undefined || !unconnected.test(code)) return error;
  const detail = error instanceof Error ? error.message : 'no connection';
  return new UnsentError(code, `No connection to ${URL.parse(url)?.host} through the proxy: ${detail}.`, error);
}

/** With a content length the body is sent as is; otherwise it would be chunked, which not every server accepts. */
function streamedParts(body: StreamedBody, headers: Readonly<Record<string, string>>) {
  return {
    headers: { ...headers, 'content-length': String(body.bytes) },
    body: streamOf(body),
  };
}

function streamOf(body: StreamedBody): ReadableStream<Uint8Array> {
  const iterator = body.open()[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void iterator.return?.(),
    },
    { highWaterMark: 0 },
  );
}
