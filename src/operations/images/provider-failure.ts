/** A provider's message in place of an image, as an error that a caller can act upon. */

import { GatewayError } from '../../conversation/gateway-error.ts';

const messageCharactersMax = 500;

/** The provider refused the request; another provider would refuse it too. */
export function refused(reason: string): GatewayError {
  return new GatewayError('upstream_refused', shortened(`The provider made no image: ${reason}`));
}

/** The provider tried; it may have been billed. */
export function failed(reason: string): GatewayError {
  return new GatewayError('upstream_failed', shortened(`The provider could not make the image: ${reason}`));
}

function shortened(message: string): string {
  return message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}…` : message;
}

/** Services that report a refusal only by the message of a failure. */
export function isRefusal(reason: string): boolean {
  return /nsfw|sensitive|safety|moderat|flagged|content policy|prohibited/i.test(reason);
}
