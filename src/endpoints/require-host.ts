/**
 * Refuses the console under a host name that is not Weir's own to callers on this machine: see `http/host-names.ts`.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { KnowsHost } from '../http/host-names.ts';

export function requireKnownHost(exchange: Exchange, knowsHost: KnowsHost): void {
  const host = exchange.request.headers.get('host');
  if (knowsHost(host) || !exchange.isLocal()) return;
  const message = `Weir does not answer to the name ${(host ?? '').slice(0, 200)} here. Set \`server.public_url\` or \`server.allowed_hosts\`.`;
  throw new GatewayError('host_not_allowed', message, { param: 'host' });
}
