/** Errors of Cohere's chat format: an id and a message, and the event that ends a broken stream. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { ErrorReader } from '../format.ts';
import { failureEvent } from './stream-writer.ts';

/** The code is added beside the original service's message; its libraries pass the whole body on. */
export function errorBody(error: GatewayError, { requestId }: ErrorReader): string {
  return JSON.stringify({ id: requestId, message: error.message, code: error.code, param: error.param });
}

export function errorEvent(error: GatewayError): string {
  return failureEvent(error.message);
}
