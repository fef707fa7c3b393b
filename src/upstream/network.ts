/** The network as a transport: Bun's fetch with the settings every outgoing request shares. */

import { replyFromResponse } from './from-response.ts';
import type { Transport } from './transport.ts';

export const network: Transport = async (request) =>
  replyFromResponse(
    await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      signal: request.signal,
      // A provider's redirect is not followed: the key would travel to an address nobody configured.
      redirect: 'manual',
    }),
  );
