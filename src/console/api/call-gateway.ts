/** How the playground and the API reference call the public interface: as every client would, with a token and without the browser's cookies. */

import { AskError, noteUnanswered } from './ask.ts';

interface GatewayCall {
  readonly method: string;
  readonly path: string;
  /** Empty: the call needs none. */
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  readonly signal?: AbortSignal;
}

/** The reply as it comes, whatever its status. Fails only where nobody answered, or where the signal said stop. */
export async function callGateway({ method, path, token, headers, body, signal }: GatewayCall): Promise<Response> {
  const request: RequestInit = {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
    // A session must not help a token that does not work by itself.
    credentials: 'omit',
    cache: 'no-store',
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  };
  return fetch(path, request).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    noteUnanswered();
    throw new AskError('', { status: 0, code: 'unreachable' });
  });
}

/** What a refusal says, in any of the formats' envelopes. */
export function refusalOf(text: string, { status, statusText, headers }: Response): AskError {
  const error = errorFields(text);
  const word = (value: unknown): string => (typeof value === 'string' ? value : '');
  return new AskError(word(error['message']) || `${status} ${statusText}`.trim(), {
    status,
    code: word(error['reason']) || word(error['code']) || `http_${status}`,
    param: word(error['param']),
    requestId: headers.get('x-request-id') ?? '',
  });
}

function errorFields(text: string): Record<string, unknown> {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
