/**
 * A WebSocket as a test sees it: events in the order in which they came, each checked by its oracle, and how it ended.
 */

import { socketOracleFor, socketOrderFor } from '../oracles/index.ts';
import { schemaFault } from '../oracles/oracle.ts';
import { isObserved, reportFault } from './observe-replies.ts';

export interface SocketEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

export interface SocketOptions {
  readonly token?: string;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export class SocketClient {
  readonly socket: WebSocket;
  readonly events: SocketEvent[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<SocketEnd>;
  #waiting: (() => void)[] = [];
  #read = 0;
  #ended = false;

  constructor(url: string, { token, protocols, headers = {} }: SocketOptions = {}) {
    const sent = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers };
    // The runtime's own socket takes headers, which the standard's does not.
    const options = { headers: sent, ...(protocols === undefined ? {} : { protocols: [...protocols] }) };
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), options as unknown as string[]);
    const opening = Promise.withResolvers<void>();
    const closing = Promise.withResolvers<SocketEnd>();
    this.opened = opening.promise;
    this.closed = closing.promise;
    this.socket.onopen = () => opening.resolve();
    const { pathname } = new URL(url);
    const [oracle, order] = isObserved(url) ? [socketOracleFor(pathname), socketOrderFor(pathname)] : [];
    this.socket.onmessage = ({ data }) => {
      const event = JSON.parse(String(data)) as SocketEvent;
      this.events.push(event);
      const fault = (oracle === undefined ? undefined : schemaFault(oracle, event)) ?? order?.fault(event);
      if (fault !== undefined) reportFault(`socket ${url}: ${fault}`);
      this.#wake();
    };
    this.socket.onerror = () => undefined;
    this.socket.onclose = ({ code, reason }) => {
      this.#ended = true;
      opening.reject(new Error(`not opened: ${code} ${reason}`));
      closing.resolve({ code, reason });
      this.#wake();
    };
    this.opened.catch(() => undefined);
  }

  async send(frame: object | string): Promise<void> {
    await this.opened;
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The events from where the last call stopped up to the first that ends a request. */
  async reply(lane?: string): Promise<SocketEvent[]> {
    const ends = /^(error|response\.(completed|incomplete|failed|steer\.failed))$/;
    const collected: SocketEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (lane !== undefined && event['stream_id'] !== lane) continue;
      collected.push(event);
      if (ends.test(event.type)) return collected;
    }
  }

  async next(): Promise<SocketEvent> {
    for (;;) {
      const event = this.events[this.#read];
      if (event !== undefined) {
        this.#read++;
        return event;
      }
      if (this.#ended) throw new Error('the socket closed before the event came');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Sends a request and waits for the event that ends it. */
  async create(fields: object): Promise<SocketEvent> {
    await this.send({ type: 'response.create', ...fields });
    const last = (await this.reply()).at(-1);
    if (last === undefined) throw new Error('no event came');
    return last;
  }

  close(code = 1000): void {
    this.socket.close(code);
  }

  /** Ends it as a killed process does. */
  die(): void {
    (this.socket as WebSocket & { terminate(): void }).terminate();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
