/**
 * A provider of the responses format that keeps its replies, as small as one can be: it answers with the
 * number of turns it has seen.
 */

import { messageItem, responseEvents, responseReply, responseUsage } from './response-replies.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface KeepingProvider {
  readonly base: string;
  readonly seen: SeenRequest[];
  stop(): void;
}

/** The list of a response's input items, with ids that mark it as the provider's. */
const inputItems = { object: 'list', data: [], first_id: 'from_the_provider', last_id: '', has_more: false };

export function startKeepingProvider(): KeepingProvider {
  const seen: SeenRequest[] = [];
  const kept = new Map<
    string,
    { readonly turns: number; readonly reply: Readonly<Record<string, unknown>>; readonly input: unknown }
  >();
  let made = 0;

  function answer(body: Readonly<Record<string, unknown>>): Response {
    const previous = body['previous_response_id'];
    const earlier = typeof previous === 'string' ? kept.get(previous) : undefined;
    if (typeof previous === 'string' && earlier === undefined) {
      const error = { message: `no ${previous}`, type: 'invalid_request_error', code: 'previous_response_not_found' };
      return Response.json({ error }, { status: 400 });
    }
    const turns = (earlier?.turns ?? 0) + (Array.isArray(body['input']) ? body['input'].length : 1);
    const id = `resp_kept${++made}`;
    const reply = replyOf(id, `turns: ${turns}`, body);
    if (body['store'] !== false) kept.set(id, { turns: turns + 1, reply, input: body['input'] });
    if (body['stream'] !== true) return Response.json(reply);
    const events = responseEvents(reply);
    const text = events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  }

  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
      const authorization = request.headers.get('authorization') ?? '';
      seen.push({ method: request.method, path: pathname, query: search, authorization, body });
      if (request.method === 'POST' && pathname === '/v1/responses' && body !== undefined) return answer(body);
      const [, id = '', tail] = /^\/v1\/responses\/([^/]+)(\/input_items)?$/.exec(pathname) ?? [];
      const found = kept.get(id);
      if (found === undefined) return Response.json({ error: { message: 'no such response' } }, { status: 404 });
      if (request.method === 'DELETE') kept.delete(id);
      if (request.method === 'DELETE') return Response.json({ id, object: 'response', deleted: true });
      return Response.json(tail === undefined ? found.reply : inputItems);
    },
  });
  return { base: `http://127.0.0.1:${server.port}/v1`, seen, stop: () => void server.stop(true) };
}

function replyOf(id: string, text: string, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return responseReply({
    id,
    created_at: 1_750_000_000,
    model: body['model'],
    output: [messageItem(text, `msg_${id}`)],
    previous_response_id: body['previous_response_id'] ?? null,
    store: body['store'] !== false,
    usage: responseUsage(10, 5),
  });
}
