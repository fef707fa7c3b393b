/** Converts an error to the event that ends a stream, and back. */

import { GatewayError } from './gateway-error.ts';
import type { StreamEvent } from './text-reply.ts';

export type Failure = Extract<StreamEvent, { type: 'failure' }>;

export function failureOf({
  code,
  message,
  providerType,
  providerCode,
  providerSpeaks,
  overflow,
}: GatewayError): Failure {
  return { type: 'failure', code, message, providerType, providerCode, providerSpeaks, overflow };
}

export function errorOf({
  code,
  message,
  providerType,
  providerCode,
  providerSpeaks,
  overflow,
}: Failure): GatewayError {
  return new GatewayError(code, message, { providerType, providerCode, providerSpeaks, overflow });
}
