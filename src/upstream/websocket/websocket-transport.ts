/**
 * WebSockets to providers over Weir's own sockets, plain, TLS or inside a proxy's tunnel, because the runtime's client
 * has no back-pressure.
 */

import { type ConnectOptions, createConnector } from '../http1/connect.ts';
import type { SocketListener, SocketRequest, SocketTransport, UpstreamSocket } from '../socket-transport.ts';
import { Dialing, type DialingOptions } from './dialing.ts';
import { beginHandshake } from './handshake.ts';

export interface SocketTransportOptions extends ConnectOptions {
  /** A connection that is silent for so long is pinged, and ended if it does not answer for twice as long. */
  readonly pingEveryMs?: number;
  /** How long the other side may take to answer a close. */
  readonly closeTimeoutMs?: number;
  /** How long a server that was reached may take to answer the handshake; the signal may end it sooner. */
  readonly handshakeTimeoutMs?: number;
}

export function createSocketTransport(options: SocketTransportOptions): SocketTransport {
  const connect = createConnector(options);
  const dialingOptions: DialingOptions = {
    pingEveryMs: options.pingEveryMs ?? 20_000,
    closeTimeoutMs: options.closeTimeoutMs ?? 2_000,
    handshakeTimeoutMs: options.handshakeTimeoutMs ?? 30_000,
  };
  return async (request: SocketRequest, listener: SocketListener): Promise<UpstreamSocket> => {
    if (request.signal.aborted) throw request.signal.reason;
    const handshake = beginHandshake(request);
    return new Promise((resolve, reject) => {
      connect(handshake.route.origin, new Dialing({ request, listener, resolve, reject }, handshake, dialingOptions));
    });
  };
}
