/** A caller for the tests of this folder that records everything it receives. */

import type { SocketListener, SocketRequest, UpstreamSocket } from '../../src/upstream/socket-transport.ts';
import {
  createSocketTransport,
  type SocketTransportOptions,
} from '../../src/upstream/websocket/websocket-transport.ts';

export interface Recorded extends SocketListener {
  readonly messages: (string | Uint8Array)[];
  drains: number;
  /** The code and reason of every reported end: one, if all is well. */
  readonly ends: (readonly [code: number, reason: string])[];
}

export function recorder(onMessage?: (message: string | Uint8Array) => void): Recorded {
  const recorded: Recorded = {
    messages: [],
    drains: 0,
    ends: [],
    message(message) {
      if (recorded.ends.length > 0) throw new Error('a message after the end');
      recorded.messages.push(message);
      onMessage?.(message);
    },
    drained() {
      if (recorded.ends.length > 0) throw new Error('drained after the end');
      recorded.drains += 1;
    },
    closed: (code, reason) => void recorded.ends.push([code, reason]),
  };
  return recorded;
}

export interface SocketOptions extends Partial<SocketTransportOptions>, Partial<Omit<SocketRequest, 'url'>> {
  readonly onMessage?: (message: string | Uint8Array) => void;
}

/** Every socket that a test opened, so that none outlives it. */
const opened: UpstreamSocket[] = [];

export function endAll(): void {
  for (const socket of opened.splice(0)) socket.terminate();
}

/** Opens a socket, still paused. */
export async function open(url: string, given: SocketOptions = {}) {
  const { headers = {}, protocols = [], messageBytesMax = 33_554_432, signal, onMessage, ...options } = given;
  const recorded = recorder(onMessage);
  const transport = createSocketTransport({ connectTimeoutMs: 60_000, closeTimeoutMs: 200, ...options });
  const request = { url, headers, protocols, messageBytesMax, signal: signal ?? new AbortController().signal };
  const socket = await transport(request, recorded);
  opened.push(socket);
  return { socket, recorded };
}

/** Opens a socket and listens to it. */
export async function openAndListen(url: string, given?: SocketOptions) {
  const both = await open(url, given);
  both.socket.resume();
  return both;
}

/** The error that a promise rejects with. */
export const failureOf = (promise: Promise<unknown>): Promise<Error & Record<string, unknown>> =>
  promise.then(
    () => Object.assign(new Error('it did not fail'), {}),
    (error) => error,
  );
