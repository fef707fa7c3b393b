/**
 * A provider that answers each model with its scripted reply and writes its own invoice, in nano-USD, at
 * prices of its own.
 */

import { isObject, type Tree } from '../../src/conversation/json-tree.ts';
import { eventStream } from './canned-provider.ts';

export interface InvoicedReply {
  /** The whole reply; a function makes one of the request's body. */
  readonly whole?: Tree | ((body: Tree) => Tree);
  /** A reply that is audio. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** The events of a stream, each its data. */
  readonly events?: readonly object[];
  /** What the provider asks for it. */
  readonly nano: bigint;
}

export interface InvoicingProvider {
  /** Without the version that clients of the format add. */
  readonly origin: string;
  /** One amount for each request that was answered, by model. */
  readonly invoice: ReadonlyMap<string, readonly bigint[]>;
  readonly totalNano: bigint;
  put(model: string, reply: InvoicedReply): void;
  stop(): Promise<void>;
}

export function startInvoicingProvider(): InvoicingProvider {
  const replies = new Map<string, InvoicedReply>();
  const invoice = new Map<string, bigint[]>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = await bodyOf(request);
      // One of the formats names the model and the manner in its path.
      const [, inPath, action] = /\/models\/([^:]+):(\w+)$/.exec(pathname) ?? [];
      const model = inPath ?? String(body['model']);
      const reply = replies.get(model);
      if (reply === undefined) return Response.json({ error: { message: `no model ${model}` } }, { status: 404 });
      invoice.set(model, [...(invoice.get(model) ?? []), reply.nano]);
      if (reply.bytes !== undefined) return new Response(reply.bytes, { headers: { 'content-type': 'audio/mpeg' } });
      const streams = action === undefined ? body['stream'] === true : action.startsWith('stream');
      if (streams)
        return new Response(eventsOf(reply.events ?? []), { headers: { 'content-type': 'text/event-stream' } });
      return Response.json(typeof reply.whole === 'function' ? reply.whole(body) : (reply.whole ?? {}));
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    invoice,
    get totalNano() {
      return [...invoice.values()].flat().reduce((sum, nano) => sum + nano, 0n);
    },
    put: (model, reply) => void replies.set(model, reply),
    stop: () => server.stop(true),
  };
}

async function bodyOf(request: Request): Promise<Tree> {
  if (request.headers.get('content-type')?.startsWith('multipart/') === true) {
    const form = await request.formData();
    return Object.fromEntries([...form.entries()].filter(([, value]) => typeof value === 'string'));
  }
  const body: unknown = await request.json();
  return isObject(body) ? body : {};
}

function eventsOf(events: readonly object[]): string {
  const text = eventStream(events, true);
  return events.some((event) => 'choices' in event) ? `${text}data: [DONE]\n\n` : text;
}
