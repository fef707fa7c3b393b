/** The HTTP server with one handler, for tests of it alone. */

import { HeadTooLargeError } from '../../src/framing/framing-error.ts';
import { type Reply, WholeReply } from '../../src/http/reply.ts';
import type { ClientConnection } from '../../src/http/server/client-connection.ts';
import type { IncomingRequest } from '../../src/http/server/incoming-request.ts';
import { VersionError } from '../../src/http/server/request-head.ts';
import { Server } from '../../src/http/server/server.ts';

export type Handle = (request: IncomingRequest, connection: ClientConnection) => Reply | Promise<Reply>;

interface HttpServer {
  readonly port: number;
  readonly server: Server;
  /** What failed outside the handler. */
  readonly reported: unknown[];
  /** Also connections that are in use. */
  stop(): void;
}

export function startHttpServer(handle: Handle): HttpServer {
  const reported: unknown[] = [];
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    reusePort: false,
    silentMs: 600_000,
    handle,
    refuse: refusal,
    report: (error) => void reported.push(error),
    replaceUnsendable(error) {
      reported.push(error);
      return new WholeReply('unsendable', {}, undefined, 500);
    },
  });
  const stop = (): void => {
    server.close();
    server.terminateAll();
  };
  return { port: server.port, server, reported, stop };
}

export function refusal(error: Error): Reply {
  const status = error instanceof VersionError ? 505 : error instanceof HeadTooLargeError ? 431 : 400;
  const body = JSON.stringify({ error: { message: error.message } });
  return new WholeReply(body, { 'content-type': 'application/json' }, undefined, status);
}

/** What the server read, as the body of its reply. */
export async function echo(request: IncomingRequest): Promise<Reply> {
  let body: string;
  try {
    body = Buffer.from(await request.bytes()).toString('latin1');
  } catch (error) {
    return refusal(error as Error);
  }
  const json = JSON.stringify([request.method, request.head.target, body]);
  return new WholeReply(Buffer.from(json, 'latin1'), {});
}
