/**
 * One of several scripted targets: serves all four wire formats by their paths, plays the fault that the request names
 * for it, keeps an invoice.
 */

import { createServer, type Server, type Socket } from 'node:net';
import type { InvoiceEntry } from '../invoice.ts';
import { Connection, ReplyWriter } from '../reply-writer.ts';
import { RequestReader, type WireRequest } from '../request-reader.ts';
import type { Asked, WireProvider } from '../wire/provider.ts';
import type { Json } from '../wire/seen.ts';
import { type ProviderName, providerNames, wireProviders } from '../wire/start-all.ts';
import { directiveIn } from './directive.ts';
import { playFault } from './play-fault.ts';

export interface TargetEntry extends InvoiceEntry {
  readonly target: string;
  readonly fault: string;
}

export class FaultyTarget {
  readonly name: string;
  readonly invoice: TargetEntry[] = [];
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;

  private constructor(name: string) {
    this.name = name;
    this.#server = this.#createServer();
  }

  static async start(name: string): Promise<FaultyTarget> {
    const target = new FaultyTarget(name);
    await target.open();
    return target;
  }

  get port(): number {
    return this.#port;
  }

  /** As `base_url` in `weir.yaml`, for one of its formats. */
  base(wire: ProviderName): string {
    return `http://127.0.0.1:${this.#port}${wireProviders[wire].version}`;
  }

  /** Listens, on the same port as before. */
  async open(): Promise<void> {
    this.#server = this.#createServer();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(this.#port, '127.0.0.1', 4096, resolve);
    await promise;
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the scripted target has no port');
    this.#port = address.port;
  }

  /** From now on connections are refused. Open ones continue until they are `dropped`. */
  async refuse(drop: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    if (drop) for (const socket of this.#sockets) socket.destroy();
    if (drop) await promise;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #createServer(): Server {
    return createServer((socket) => this.#accept(socket));
  }

  #accept(socket: Socket): void {
    const reader = new RequestReader();
    const connection = new Connection(socket);
    let busy: Promise<void> = Promise.resolve();
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      for (const request of reader.push(bytes)) busy = busy.then(() => this.#answer(connection, request));
    });
  }

  async #answer(connection: Connection, request: WireRequest): Promise<void> {
    if (connection.isGone) return;
    if (request.method === 'GET') {
      // The list of models, which needs a key: every key is valid here, whatever the directive of one request is.
      const hasKey = request.headers.some(([name]) => /^(authorization|x-(goog-)?api-key)$/i.test(name));
      connection.socket.write(`HTTP/1.1 ${hasKey ? '200 OK' : '401 Unauthorized'}\r\ncontent-length: 2\r\n\r\n{}`);
      return;
    }
    const text = request.body.toString('utf8');
    const body = JSON.parse(text === '' ? '{}' : text) as Json;
    const found = wireOf(request, body);
    const directive = directiveIn(text);
    if (found === undefined || directive === undefined) throw new Error(`no directive for ${request.path}`);
    const isOver = directive.firstOnly === true && this.invoice.some(({ nonce }) => nonce === directive.nonce);
    const fault = (isOver ? undefined : directive.faults[this.name]) ?? 'ok';
    const entry = this.#enter(request, directive.nonce, found.asked, fault);
    const writer = new ReplyWriter(connection, entry);
    await writer.wait(directive.workMs ?? 0);
    const { nonce, retryAfterSeconds } = directive;
    await playFault(writer, entry, { ...found, body, fault, nonce, retryAfterSeconds });
    entry.endedAtMs = performance.now();
  }

  #enter(request: WireRequest, nonce: string, asked: Asked, fault: string): TargetEntry {
    const entry: TargetEntry = {
      id: `${this.invoice.length + 1}`,
      target: this.name,
      fault,
      atMs: performance.now(),
      method: request.method,
      path: request.path,
      headers: request.headers,
      bodyBase64: '',
      nonce,
      model: asked.model,
      stream: asked.stream,
      promptTokens: 0,
      tokensSent: 0,
      bytesSent: 0,
      status: 0,
      outcome: 'open',
    };
    this.invoice.push(entry);
    return entry;
  }
}

/** The real provider's reader decides; where two share the beginning of a path, only one accepts the rest of it. */
function wireOf(
  request: WireRequest,
  body: Json,
): { wire: WireProvider; name: ProviderName; asked: Asked } | undefined {
  const headers = new Headers(request.headers.map(([key, value]): [string, string] => [key, value]));
  for (const name of providerNames) {
    const wire = wireProviders[name];
    const asked = wire.route(request.path, headers, body);
    if (asked !== undefined) return { wire, name, asked };
  }
  return undefined;
}
