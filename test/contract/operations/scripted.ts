/**
 * A provider as strict as the real one: it checks every request before it answers, and reports what is wrong with it.
 */

export type Tree = Readonly<Record<string, unknown>>;

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export type Answer = (seen: Seen) => Response | Promise<Response>;

export interface Scripted {
  readonly url: string;
  /** Every request since the last `forget`, except those for its list of models. */
  readonly seen: Seen[];
  forget(): void;
  /** These answer the next requests instead, one each. */
  next(...answers: readonly Answer[]): void;
  stop(): void;
}

class Unmet extends Error {}

/** What the provider's documentation demands; a request that falls short is refused with these words. */
export function demand(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Unmet(what);
}

export function startScripted(answer: Answer): Scripted {
  const seen: Seen[] = [];
  const queue: Answer[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const bytes = Buffer.from(await request.arrayBuffer());
      const one = { method: request.method, path: pathname, query: searchParams, headers: request.headers, bytes };
      if (pathname.endsWith('/models')) return Response.json({ object: 'list', data: [] });
      seen.push(one);
      try {
        return await (queue.shift() ?? answer)(one);
      } catch (error) {
        if (!(error instanceof Unmet)) throw error;
        return Response.json({ error: { message: `the provider demands: ${error.message}` } }, { status: 422 });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    forget: () => void seen.splice(0),
    next: (...answers) => void queue.push(...answers),
    stop: () => void server.stop(true),
  };
}

/** The body, which must be a JSON object with no other fields than these. */
export function jsonOf({ method, headers, bytes }: Seen, fields?: readonly string[]): Tree {
  demand(method === 'POST', 'POST');
  demand(headers.get('content-type') === 'application/json', 'content-type: application/json');
  demand(Number(headers.get('content-length')) === bytes.length, 'a content-length');
  const tree = JSON.parse(bytes.toString('utf8')) as Tree;
  for (const name of Object.keys(tree)) demand(fields === undefined || fields.includes(name), `no field ${name}`);
  return tree;
}

export async function formOf({ method, headers, bytes }: Seen, fields?: readonly string[]): Promise<FormData> {
  demand(method === 'POST', 'POST');
  const type = headers.get('content-type') ?? '';
  demand(type.startsWith('multipart/form-data; boundary='), 'a form');
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  for (const name of form.keys()) demand(fields === undefined || fields.includes(name), `no field ${name}`);
  return form;
}

export function bearerIs({ headers }: Seen, key: string): void {
  demand(headers.get('authorization') === `Bearer ${key}`, 'the key as a bearer');
}

export function headerIs({ headers }: Seen, name: string, value: string): void {
  demand(headers.get(name) === value, `${name}: ${value}`);
  if (name !== 'authorization') demand(headers.get('authorization') === null, `no authorization beside ${name}`);
}

export function listOf(value: unknown, most: number, what: string): readonly unknown[] {
  demand(Array.isArray(value) && value.length > 0 && value.length <= most, `${what}: a list of 1 to ${most}`);
  return value as readonly unknown[];
}

export function textsOf(value: unknown, most: number, what: string): readonly string[] {
  const list = listOf(value, most, what);
  demand(
    list.every((one) => typeof one === 'string' && one !== ''),
    `${what}: texts`,
  );
  return list as readonly string[];
}

/** Events as a provider streams them. */
export function eventReply(events: readonly string[]): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const event of events) {
        controller.enqueue(encoder.encode(event));
        await Bun.sleep(1);
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
