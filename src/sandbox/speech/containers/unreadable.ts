/** The error for an audio file that cannot be read. */

import { GatewayError } from '../../../conversation/gateway-error.ts';

export function unreadable(message: string): GatewayError {
  return new GatewayError('field_invalid', message, { param: 'file' });
}
