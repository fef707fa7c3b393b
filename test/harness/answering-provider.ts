/** A provider that answers each request in the format of its path with a given neutral reply, whole or as a stream, with ids or without any. */

import type { TextReply } from '../../src/conversation/text-reply.ts';
import { formats } from '../../src/formats/all.ts';
import type { FormatName } from '../../src/formats/format.ts';
import { unfold } from './unfold.ts';

type Json = Record<string, unknown>;

export interface AnsweringProvider {
  readonly origin: string;
  readonly bodies: Json[];
  /** From now on. Without `ids` it writes none, as older servers do. */
  answer(reply: TextReply, ids: boolean): void;
  stop(): Promise<void>;
}

/** What every id that this provider makes begins with, after its prefix. */
export const givenMark = 'given';

const paths: readonly (readonly [path: RegExp, format: FormatName])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses$/, 'openai-responses'],
  [/\/messages$/, 'anthropic-messages'],
  [/enerateContent$/, 'gemini-generate'],
  [/\/chat$/, 'cohere-chat'],
];

export function startAnsweringProvider(): AnsweringProvider {
  const bodies: Json[] = [];
  let answer: { readonly reply: TextReply; readonly ids: boolean } | undefined;
  let made = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const name = paths.find(([path]) => path.test(pathname))?.[1];
      if (name === undefined || answer === undefined) return new Response('no such path', { status: 404 });
      const body = (await request.json()) as Json;
      bodies.push(body);
      const { codec } = formats[name];
      const { reply, ids } = answer;
      const context = { request: body, nowMs: 1_000, newId: (prefix: string) => `${prefix}${givenMark}${++made}` };
      if (body['stream'] !== true && !pathname.endsWith(':streamGenerateContent')) {
        const { value } = codec.writeReply(reply, context);
        return Response.json(ids ? value : withoutIds(value));
      }
      const writer = codec.streamWriter(context);
      const text = Array.from(unfold(reply), (event) => writer.write(event)).join('');
      return new Response(ids ? text : text.replace(/^data: (\{.*\})$/gm, withoutIdsIn), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    bodies,
    answer(reply, ids) {
      answer = { reply, ids };
    },
    stop: () => server.stop(true),
  };
}

const withoutIdsIn = (_: string, data: string): string => `data: ${JSON.stringify(withoutIds(JSON.parse(data)))}`;

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      name === 'id' || name === 'responseId' ? [] : [[name, withoutIds(each)]],
    ),
  );
}
