/**
 * What an oracle is, the documented shapes of one endpoint and the order of its events, and how a reply
 * is checked by it.
 */

import type { z } from 'zod';

/** The parts of a request that decide which shape its reply has. */
export interface OracleRequest {
  readonly method: string;
  /** As the client sent it, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
}

export interface StreamedEvent {
  /** The `event:` line. */
  readonly name: string | undefined;
  /** The JSON of the `data:` lines, or `[DONE]`. */
  readonly data: unknown;
}

export interface Oracle {
  readonly name: string;
  matches(request: OracleRequest): boolean;
  /** A whole reply of a status below 300. */
  readonly reply?: z.ZodType;
  /** One event of a stream, errors inside of a stream included. */
  readonly event?: z.ZodType;
  /** A reply of a status of 400 and above. */
  readonly error: z.ZodType;
  /** The first rule of order that a stream breaks; `complete` is false where its end was not read. */
  orderFault?(events: readonly StreamedEvent[], complete: boolean): string | undefined;
}

/** The order of the events of one WebSocket, checked one by one. */
export interface SocketOrder {
  /** The rule that this event breaks. */
  fault(event: Readonly<Record<string, unknown>>): string | undefined;
}

export interface ObservedReply {
  readonly request: OracleRequest;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The client read it to its end. */
  readonly complete: boolean;
}

/** Matches the path itself and whatever prefix a base URL puts before it. */
export function endsWithPath(method: string, ...paths: readonly string[]): (request: OracleRequest) => boolean {
  return (request) =>
    request.method === method && paths.some((path) => request.path === path || request.path.endsWith(`/${path}`));
}

/** What is wrong with the reply, or undefined. */
export function replyFault(oracle: Oracle, reply: ObservedReply): string | undefined {
  const fault = faultOf(oracle, reply);
  if (fault === undefined) return undefined;
  const { method, path } = reply.request;
  return `${oracle.name}: ${method} ${path} ${reply.status}: ${fault}`;
}

function faultOf(oracle: Oracle, { status, contentType, text, complete }: ObservedReply): string | undefined {
  if (status < 300 && contentType.startsWith('text/event-stream')) return streamFault(oracle, text, complete);
  const schema = status >= 400 ? oracle.error : oracle.reply;
  if (schema === undefined || !complete) return undefined;
  const value = parsed(text);
  return value === undefined ? `not JSON: ${text.slice(0, 300)}` : schemaFault(schema, value.json);
}

export function schemaFault(schema: z.ZodType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  if (error === undefined) return undefined;
  return `${JSON.stringify(error.issues.slice(0, 5))} in ${JSON.stringify(value)?.slice(0, 1_000)}`;
}

function streamFault(oracle: Oracle, text: string, complete: boolean): string | undefined {
  if (oracle.event === undefined) return 'the endpoint has no stream';
  const events: StreamedEvent[] = [];
  for (const { name, data } of serverSentEvents(text)) {
    if (data === '[DONE]') {
      events.push({ name, data });
      continue;
    }
    const value = parsed(data);
    if (value === undefined) return `not JSON: ${data.slice(0, 300)}`;
    const fault = schemaFault(oracle.event, value.json);
    if (fault !== undefined) return `event ${events.length}: ${fault}`;
    events.push({ name, data: value.json });
  }
  return oracle.orderFault?.(events, complete);
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The events that ended with a blank line, as the standard reads them; comments are no events. */
export function serverSentEvents(text: string): { readonly name: string | undefined; readonly data: string }[] {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const field = (name: string): string[] =>
      lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ''));
    const data = field('data');
    return data.length === 0 ? [] : [{ name: field('event').at(-1), data: data.join('\n') }];
  });
}
