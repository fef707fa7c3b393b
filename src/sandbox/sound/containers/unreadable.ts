/** The one way to say that a sound file cannot be read: the caller's fault, named by its field. */

import { GatewayError } from '../../../conversation/gateway-error.ts';

export function unreadable(message: string): GatewayError {
  return new GatewayError('field_invalid', message, { param: 'file' });
}
