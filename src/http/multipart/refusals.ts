/** The errors of an upload, with the messages that its sender reads. */

import { GatewayError } from '../../conversation/gateway-error.ts';

/**
 * A refusal does not close the connection: the server discards the rest of the body, and a sender that reads only when
 * all is sent sees why it was refused instead of a broken pipe. Only an endless sender is cut off.
 */
const headers = { connection: 'close' } as const;

export function malformed(message: string, param = '', cause?: unknown): GatewayError {
  return new GatewayError('field_invalid', message, { param, ...(cause !== undefined && { cause }) });
}

export function tooLarge(what: string, bytesMax: number, param = ''): GatewayError {
  return new GatewayError('body_too_large', `${what} is larger than ${bytesMax} bytes.`, { param });
}

export function tooSlow(timeoutMs: number): GatewayError {
  return new GatewayError('body_timeout', `The form did not arrive within ${timeoutMs / 1000} s.`, { headers });
}

export function brokenOff(cause?: unknown): GatewayError {
  return malformed('The form broke off before its end.', '', cause);
}

export function senderLeft(reason: unknown): GatewayError {
  if (reason instanceof GatewayError) return reason;
  return new GatewayError('client_left', 'The client closed the connection before its form had arrived.', {
    cause: reason,
  });
}

/** A full or read-only disk is no fault of the sender, and it may pass. */
export function notKept(cause: unknown): GatewayError {
  return new GatewayError('gateway_overloaded', 'Weir has no room to keep this upload. Try again in a moment.', {
    cause,
  });
}
