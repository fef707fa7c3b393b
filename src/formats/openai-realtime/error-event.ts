/** The events that report an error in a realtime session, and why it ends. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { errorWords } from '../openai-error-words.ts';

/** `about` is the client's own name of the frame at fault. */
export function errorEvent(error: GatewayError, eventId: string, about?: string): string {
  const { type, code, param } = errorWords(error, '');
  return written(eventId, {
    type,
    code,
    message: error.message,
    param: param === '' ? null : param,
    event_id: about ?? null,
  });
}

/** The last event of a session that was idle or lasted too long. */
export function expiryEvent(why: 'idle' | 'lifetime', afterMs: number, eventId: string): string {
  const minutes = Math.max(1, Math.round(afterMs / 60_000));
  const message =
    why === 'idle'
      ? `Nothing was said for ${minutes} minutes. Open a new session.`
      : `A session lasts ${minutes} minutes at most. Open a new one.`;
  const code = why === 'idle' ? 'session_idle' : 'session_expired';
  return written(eventId, { type: 'invalid_request_error', code, message, param: null, event_id: null });
}

function written(eventId: string, error: Readonly<Record<string, string | null>>): string {
  return JSON.stringify({ type: 'error', event_id: eventId, error });
}
