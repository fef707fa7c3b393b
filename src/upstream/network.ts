/** Bun's fetch as a transport, for machines whose way out is an HTTP proxy: it knows how to use one. */

import { abortSignalOf } from './cancellation.ts';
import { replyFromResponse } from './from-response.ts';
import type { Transport } from './transport.ts';

export const network: Transport = async (request) =>
  replyFromResponse(
    await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      signal: abortSignalOf(request.signal),
      // A provider's redirect is not followed: the key would travel to an address nobody configured.
      redirect: 'manual',
    }),
  );
