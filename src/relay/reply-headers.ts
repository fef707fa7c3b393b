/** The head of a reply: what the provider's says of the body, and what Weir has to say. Nothing else of it is passed on. */

import type { Attempt } from './attempt.ts';

export function replyHeaders(attempt: Attempt, contentType: string): Record<string, string> {
  const { requestId, admission } = attempt.call;
  const headers: Record<string, string> = {
    'content-type': contentType,
    'x-request-id': requestId,
    'x-weir-provider': attempt.target.provider.name,
    'x-weir-attempts': String(attempt.ordinal),
  };
  // Most tokens have no limits to speak of.
  for (const name in admission.headers) headers[name] = admission.headers[name] ?? '';
  return headers;
}

export function eventStreamHeaders(requestId: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': requestId,
  };
}

export function streamHeaders(attempt: Attempt): Record<string, string> {
  return { ...replyHeaders(attempt, ''), ...eventStreamHeaders(attempt.call.requestId) };
}
