/** Bun's fetch as a transport, for the proxies that our own client does not use: reached by TLS, or asked for plain HTTP. */

import { rootCertificates } from 'node:tls';
import { abortSignalOf } from './cancellation.ts';
import { replyFromResponse } from './from-response.ts';
import { codeOf } from './http1/errors.ts';
import { isStreamed, type StreamedBody, type Transport, UnsentError } from './transport.ts';

interface NetworkOptions {
  /** With user and password where it wants them. */
  readonly proxy: string;
  /** Certificates, in PEM, that are trusted besides the usual ones: the provider's and the proxy's. */
  readonly ca?: string | undefined;
}

export function createNetwork({ proxy, ca }: NetworkOptions): Transport {
  // The usual certificates are replaced, not extended, by those that are given: so all are given.
  const tls = ca === undefined ? {} : { tls: { ca: [...rootCertificates, ca] } };
  return async ({ url, method, headers, body, signal }) => {
    const init = {
      method,
      ...(isStreamed(body) ? streamedParts(body, headers) : { headers, ...(body !== undefined && { body }) }),
      signal: abortSignalOf(signal),
      // A provider's redirect is not followed: the key would travel to an address nobody configured.
      redirect: 'manual' as const,
      // On a kept connection fetch takes stray bytes for the next request's reply (Bun 1.4.4, seen by the fuzzer).
      keepalive: false,
      proxy,
      ...tls,
    };
    // The runtime does not say when the request leaves.
    if (!signal.aborted) signal.markSent?.();
    try {
      const response = await fetch(url, init);
      // No provider says this: it is the proxy that passes requests on, and it did not pass this one.
      if (response.status === 407) {
        void response.body?.cancel();
        throw new UnsentError('ERR_PROXY_AUTH', 'it wants another user or password');
      }
      return replyFromResponse(response);
    } catch (error) {
      throw signal.aborted ? error : told(error, url);
    }
  };
}

/** What the runtime says when the way to the provider could not be made. */
const unmade =
  /^(ERR_PROXY|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)/;

/** Without a tunnel or with a wrong certificate nothing of the request was sent, so somebody else may be asked. */
function told(error: unknown, url: string): unknown {
  const code = codeOf(error);
  if (code === undefined || !unmade.test(code)) return error;
  const detail = error instanceof Error ? error.message : 'no connection';
  return new UnsentError(code, `No connection to ${URL.parse(url)?.host} through the proxy: ${detail}.`, error);
}

/** With its length said the body goes out as it is; otherwise it would be cut in chunks, which not every server takes. */
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
