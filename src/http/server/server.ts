/** The HTTP/1.1 server: its port, its open connections and their timeouts. */

import type { Socket, TCPSocketListener } from 'bun';
import type { FramingError } from '../../framing/framing-error.ts';
import type { Reply } from '../reply.ts';
import { ClientConnection } from './client-connection.ts';
import type { ConnectionOwner } from './connection-owner.ts';
import type { IncomingRequest } from './incoming-request.ts';

interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Other processes of the same gateway listen on the port too. */
  readonly reusePort: boolean;
  /** A connection that is idle, or whose client neither sends nor reads what is due, is closed after this time. */
  readonly silentMs: number;
  /** The same for a client that does not read its reply, asked each time; absent: the time above. */
  unreadMs?(): number;
  /** Never throws, and never rejects. Undefined if the request became a WebSocket. */
  handle(request: IncomingRequest, connection: ClientConnection): Reply | undefined | Promise<Reply | undefined>;
  /** The reply to bytes that are no request. */
  refuse(error: FramingError): Reply;
  /** The reply in place of one that cannot be sent; it is reported too. */
  replaceUnsendable(error: unknown): Reply;
  /** A failure outside every handler. */
  report(error: unknown): void;
}

const tickMs = 1_000;
const ticksOf = (ms: number): number => Math.max(1, Math.ceil(ms / tickMs));

export class Server implements ConnectionOwner<ClientConnection> {
  readonly handle: ServerOptions['handle'];
  readonly refuse: ServerOptions['refuse'];
  readonly replaceUnsendable: ServerOptions['replaceUnsendable'];
  readonly report: ServerOptions['report'];
  readonly silentTicksMax: number;
  readonly #unreadMs: (() => number) | undefined;
  dateLine = '';
  #isClosing = false;
  readonly #listener: TCPSocketListener<ClientConnection>;
  readonly #connections: ClientConnection[] = [];
  #ticker: Timer | undefined;
  #whenEmpty: (() => void)[] = [];

  constructor(options: ServerOptions) {
    this.handle = options.handle;
    this.refuse = options.refuse;
    this.replaceUnsendable = options.replaceUnsendable;
    this.report = options.report;
    this.silentTicksMax = ticksOf(options.silentMs);
    this.#unreadMs = options.unreadMs;
    const { report } = options;
    // The runtime knows `reusePort` here too; its types know it for connections only.
    const listening: Bun.TCPSocketListenOptions<ClientConnection> & { readonly reusePort: boolean } = {
      hostname: options.host,
      port: options.port,
      reusePort: options.reusePort,
      socket: {
        open: (socket) => this.#opened(socket),
        data: (socket, bytes) => socket.data.received(bytes),
        drain: (socket) => socket.data.drained(),
        close: (socket) => socket.data?.lost(),
        error(socket, error) {
          report(error);
          socket.data?.terminate();
        },
      },
    };
    this.#listener = Bun.listen(listening);
  }

  get port(): number {
    return this.#listener.port;
  }

  get unreadTicksMax(): number {
    return this.#unreadMs === undefined ? this.silentTicksMax : ticksOf(this.#unreadMs());
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Closes the port and idle connections; others after their reply. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#listener.stop(false);
    for (const connection of [...this.#connections]) connection.retire();
  }

  /** Resolves when the last connection is closed. */
  async ended(): Promise<void> {
    if (this.#connections.length === 0) return;
    await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  terminateAll(): void {
    for (const connection of [...this.#connections]) connection.terminate();
  }

  /** Ends the connections that hold the most for clients that are behind, until they held so much. Returns how many. */
  shed(bytes: number): number {
    const holding = this.#connections
      .map((connection) => ({ connection, held: connection.heldBytes }))
      .filter(({ held }) => held > 0)
      .sort((one, other) => other.held - one.held);
    let ended = 0;
    for (let freed = 0; freed < bytes && ended < holding.length; ended += 1) {
      freed += holding[ended]?.held ?? 0;
      holding[ended]?.connection.terminate();
    }
    return ended;
  }

  closed(connection: ClientConnection): void {
    const connections = this.#connections;
    const last = connections.pop();
    if (last !== undefined && last !== connection) {
      connections[connection.place] = last;
      last.place = connection.place;
    }
    if (connections.length > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #opened(socket: Socket<ClientConnection>): void {
    socket.setNoDelay(true);
    const connection = new ClientConnection(this, socket);
    socket.data = connection;
    connection.place = this.#connections.push(connection) - 1;
    if (this.#ticker !== undefined) return;
    this.#readDate();
    this.#ticker = setInterval(() => this.#tick(), tickMs);
  }

  #tick(): void {
    this.#readDate();
    for (const connection of [...this.#connections]) connection.tick();
  }

  #readDate(): void {
    this.dateLine = `date: ${new Date().toUTCString()}\r\n`;
  }
}
