/**
 * A provider that returns the scripted replies of its models, whole or as events, and keeps the bodies
 * that it was sent.
 */

import { isObject, type Tree } from '../../src/conversation/json-tree.ts';

export interface CannedReply {
  readonly whole?: object;
  /** The event stream as it goes over the wire. */
  readonly stream?: string;
}

export interface CannedProvider {
  /** Without the version that clients of the format add. */
  readonly base: string;
  /** By model, the last body that asked for it. */
  readonly asked: Map<string, Tree>;
  stop(): Promise<void>;
}

export function startCannedProvider(replies: Readonly<Record<string, CannedReply>>): CannedProvider {
  const asked = new Map<string, Tree>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body: unknown = await request.json();
      const tree = isObject(body) ? body : {};
      // One of the formats names the model and the manner in its path.
      const [, inPath, action] = /\/models\/([^:]+):(\w+)$/.exec(pathname) ?? [];
      const model = inPath ?? String(tree['model']);
      asked.set(model, tree);
      const streams = action === undefined ? tree['stream'] === true : action.startsWith('stream');
      const { whole, stream } = replies[model] ?? {};
      if (streams && stream !== undefined) {
        return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
      }
      if (!streams && whole !== undefined) return Response.json(whole);
      return Response.json({ error: { message: `nothing was put down for ${model}` } }, { status: 404 });
    },
  });
  return { base: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) };
}

/** Events as data alone, or with their types as names. */
export function eventStream(events: readonly object[], named = false): string {
  return events
    .map((event) => {
      const type = named && 'type' in event ? `event: ${String(event.type)}\n` : '';
      return `${type}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}
