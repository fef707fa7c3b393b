/**
 * A proxy of a dozen lines with no features: what it costs is the runtime's share of Weir's cost, and the variants
 * compare methods of passing a reply on.
 */

import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    upstream: { type: 'string', default: 'http://127.0.0.1:9100' },
    variant: { type: 'string', default: 'mixed' },
  },
});

type PassOn = (reply: Response) => Response | Promise<Response>;

const variants: Record<string, PassOn> = {
  // What a gateway does: small replies whole, streams chunk by chunk through its own code.
  mixed: async (reply) => {
    const streams = reply.headers.get('content-type')?.startsWith('text/event-stream');
    return respond(reply, streams && reply.body ? chunksOf(reply.body) : await reply.bytes());
  },
  body: (reply) => respond(reply, reply.body),
  bytes: async (reply) => respond(reply, await reply.bytes()),
  generator: (reply) => respond(reply, reply.body && chunksOf(reply.body)),
  pull: (reply) => respond(reply, reply.body && pulled(reply.body)),
  'pull-bytes': (reply) => respond(reply, reply.body && pulled(reply.body, 'bytes')),
};
const passOn = variants[values.variant];
if (!passOn) throw new Error(`no variant ${values.variant}; there are: ${Object.keys(variants).join(', ')}`);

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const reply = await fetch(values.upstream + new URL(request.url).pathname, {
      method: request.method,
      headers: {
        authorization: request.headers.get('authorization') ?? '',
        'content-type': 'application/json',
      },
      body: await request.bytes(),
      signal: request.signal,
    });
    return passOn(reply);
  },
});

function respond(reply: Response, body: unknown): Response {
  return new Response(body as BodyInit, {
    status: reply.status,
    headers: { 'content-type': reply.headers.get('content-type') ?? '' },
  });
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function pulled(body: ReadableStream<Uint8Array>, type?: 'bytes'): ReadableStream {
  const reader = body.getReader();
  const source = {
    type,
    async pull(controller: { enqueue(chunk: Uint8Array): void; close(): void }) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  };
  return new ReadableStream(source as UnderlyingDefaultSource);
}

console.log(JSON.stringify({ port: server.port }));
