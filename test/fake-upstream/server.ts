/** The scripted provider itself: raw sockets, so that it can break the protocol at any byte, and an invoice of all it served. */

import { createServer, type Server, type Socket } from 'node:net';
import type { InvoiceEntry } from './invoice.ts';
import { play } from './play.ts';
import { Connection, ReplyWriter } from './reply-writer.ts';
import { RequestReader, type WireRequest } from './request-reader.ts';
import { type ChatBody, promptTokensOf, type Script, scriptOf } from './script.ts';

export interface UpstreamOptions {
  /** What `GET /v1/models` lists. */
  readonly models?: readonly string[];
  readonly port?: number;
}

export class FakeUpstream {
  readonly invoice: InvoiceEntry[] = [];
  /** Scripts for the next requests that carry none, first come first served. */
  readonly queue: Script[] = [];
  readonly #models: readonly string[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #requests = 0;
  #port = 0;

  private constructor(models: readonly string[]) {
    this.#models = models;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async start(options: UpstreamOptions = {}): Promise<FakeUpstream> {
    const upstream = new FakeUpstream(options.models ?? ['gpt-4.1']);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    upstream.#server.once('error', reject);
    upstream.#server.listen(options.port ?? 0, '127.0.0.1', 4096, resolve);
    await promise;
    const address = upstream.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the scripted provider has no port');
    upstream.#port = address.port;
    return upstream;
  }

  get port(): number {
    return this.#port;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
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
    if (request.path.startsWith('/__control/')) return this.#control(connection, request);
    const entry = this.#enter(request);
    const writer = new ReplyWriter(connection, entry);
    const reply = async (status: number, value: unknown) => {
      entry.status = status;
      const body = Buffer.from(JSON.stringify(value));
      await writer.whole(status, { 'content-type': 'application/json' }, body, false);
      entry.outcome = status === 200 ? 'completed' : 'refused';
      entry.endedAtMs = Date.now();
    };
    if (request.method === 'GET' && request.path === '/v1/models') {
      const data = this.#models.map((id) => ({ id, object: 'model', created: 1_744_316_542, owned_by: 'scripted' }));
      return reply(200, { object: 'list', data });
    }
    if (request.method !== 'POST' || request.path !== '/v1/chat/completions')
      return reply(404, { error: { message: 'no such path', type: 'invalid_request_error', param: null, code: null } });
    const body = parsed(request.body);
    if (body === undefined)
      return reply(400, { error: { message: 'not JSON', type: 'invalid_request_error', param: null, code: null } });
    const script = scriptOf(body) ?? this.queue.shift() ?? {};
    entry.model = String(body.model);
    entry.stream = body.stream === true;
    entry.nonce = script.nonce ?? '';
    entry.promptTokens = promptTokensOf(body);
    await play(writer, entry, body, script);
  }

  #enter(request: WireRequest): InvoiceEntry {
    const entry: InvoiceEntry = {
      id: `${++this.#requests}`,
      atMs: Date.now(),
      method: request.method,
      path: request.path,
      headers: request.headers,
      bodyBase64: request.body.toString('base64'),
      nonce: '',
      model: '',
      stream: false,
      promptTokens: 0,
      tokensSent: 0,
      bytesSent: 0,
      status: 0,
      outcome: 'open',
    };
    this.invoice.push(entry);
    return entry;
  }

  /** The same state for a test in another process: read the invoice, empty it, queue scripts. */
  async #control(connection: Connection, request: WireRequest): Promise<void> {
    const entry = { bytesSent: 0 } as InvoiceEntry;
    const reply = new ReplyWriter(connection, entry);
    if (request.path === '/__control/reset') {
      this.invoice.length = 0;
      this.queue.length = 0;
    }
    if (request.path === '/__control/queue')
      this.queue.push(...(JSON.parse(request.body.toString('utf8')) as Script[]));
    const shown = request.path === '/__control/invoice' ? this.invoice : { ok: true };
    await reply.whole(200, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(shown)), false);
  }
}

function parsed(bytes: Buffer): ChatBody | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as ChatBody) : undefined;
  } catch {
    return undefined;
  }
}
