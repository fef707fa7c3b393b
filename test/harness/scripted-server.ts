/** A server for the tests of this folder that answers with the bytes of its script, and counts its connections. */

import type { Socket, TLSOptions } from 'bun';

export interface ServerConnection {
  /** Counts from 0 in the order of arrival. */
  readonly index: number;
  /** Requests seen on it so far. */
  requests: number;
  head: Buffer;
}

export type Answer = (socket: Socket<ServerConnection>, request: { head: string; body: Buffer }) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly accepted: number;
  readonly open: number;
  readonly requests: number;
  stop(): void;
}

/** Calls `answer` for every complete request; bodies have a content-length or are absent. */
export function startServer(answer: Answer, tls?: TLSOptions): ScriptedServer {
  let accepted = 0;
  let open = 0;
  let requests = 0;
  const listener = Bun.listen<ServerConnection>({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls !== undefined && { tls }),
    socket: {
      open(socket) {
        socket.data = { index: accepted, requests: 0, head: Buffer.alloc(0) };
        accepted += 1;
        open += 1;
      },
      data(socket, bytes) {
        const connection = socket.data;
        connection.head = Buffer.concat([connection.head, bytes]);
        for (;;) {
          const request = takeRequest(connection);
          if (request === undefined) return;
          requests += 1;
          connection.requests += 1;
          answer(socket, request);
        }
      },
      close() {
        open -= 1;
      },
      error() {},
    },
  });
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${listener.port}/v1/chat`,
    port: listener.port,
    get accepted() {
      return accepted;
    },
    get open() {
      return open;
    },
    get requests() {
      return requests;
    },
    stop: () => listener.stop(true),
  };
}

function takeRequest(connection: ServerConnection): { head: string; body: Buffer } | undefined {
  const end = connection.head.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = connection.head.toString('latin1', 0, end);
  const bodyEnd = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (connection.head.length < bodyEnd) return undefined;
  const body = Buffer.from(connection.head.subarray(end + 4, bodyEnd));
  connection.head = Buffer.from(connection.head.subarray(bodyEnd));
  return { head, body };
}

/** Waits for a condition that the event loop brings about, and fails clearly where it does not. */
export async function until(condition: () => boolean, withinMs = 240_000): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A whole reply with a length. */
export function reply(body: string, ...headers: string[]): string {
  const lines = [`content-length: ${Buffer.byteLength(body)}`, ...headers];
  return `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
