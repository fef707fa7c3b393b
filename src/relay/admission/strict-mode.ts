/** Strict mode: a lane that would lose a part of the request is refused instead of taken. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import type { Call } from './call.ts';

/** The token's own setting, or the request's header. */
export function asksStrict({
  caller,
  headers,
}: {
  readonly caller: Caller;
  readonly headers: RequestHeaders;
}): boolean {
  return caller.strict || headers.get('x-weir-strict') === 'true';
}

/** The head of a stream is sent before its losses are known: a comment before its end names them for who asks. */
export function asksForLosses({ headers }: { readonly headers: RequestHeaders }): boolean {
  return headers.get('x-weir-losses') === 'true';
}

/** Throws `loss_refused`; another target may lose nothing. */
export function requireLossless(call: Pick<Call, 'isStrict'>, losses: readonly Loss[], provider: string): void {
  const [first] = losses;
  if (first === undefined || !call.isStrict()) return;
  const names = losses.map(({ what }) => what).join(', ');
  const message = `Strict mode: the provider ${provider} does not support ${names} (${first.why}). Leave it out, or send the request without strict mode.`;
  throw new GatewayError('loss_refused', message, { param: first.what });
}
