/** The head of a reply: what the provider's says of the body, and what Weir has to say. Nothing else of it is passed on. */

import type { Attempt } from './attempt.ts';

export function replyHeaders(attempt: Attempt, contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'x-request-id': attempt.call.requestId,
    'x-weir-provider': attempt.target.provider.name,
    'x-weir-attempts': String(attempt.ordinal),
    ...attempt.call.admission.headers,
  };
}

export function streamHeaders(attempt: Attempt): Record<string, string> {
  const headers = replyHeaders(attempt, 'text/event-stream; charset=utf-8');
  headers['cache-control'] = 'no-cache, no-transform';
  headers['x-accel-buffering'] = 'no';
  return headers;
}
