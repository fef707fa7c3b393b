/** Bun's fetch as a transport, for machines whose way out is an HTTP proxy: it knows how to use one. */

import { abortSignalOf } from './cancellation.ts';
import { replyFromResponse } from './from-response.ts';
import { isStreamed, type StreamedBody, type Transport } from './transport.ts';

export const network: Transport = async ({ url, method, headers, body, signal }) =>
  replyFromResponse(
    await fetch(url, {
      method,
      ...(isStreamed(body) ? streamedParts(body, headers) : { headers, ...(body !== undefined && { body }) }),
      signal: abortSignalOf(signal),
      // A provider's redirect is not followed: the key would travel to an address nobody configured.
      redirect: 'manual',
    }),
  );

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
