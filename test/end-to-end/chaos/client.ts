/** A client of each wire format that reads replies strictly: text, end of the reply, and reported failures. */

import { type Directive, directiveText } from '../../fake-upstream/faults/directive.ts';
import { callers } from '../../harness/callers.ts';
import type { RunningWeir } from '../../harness/weir.ts';

export const formats = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'openai-responses'] as const;
export type ClientFormat = (typeof formats)[number];

export interface Asking {
  readonly format: ClientFormat;
  readonly model: string;
  readonly stream: boolean;
  readonly directive: Directive;
}

export interface Reading {
  readonly status: number;
  readonly requestId: string;
  readonly attempts: string | null;
  readonly retryAfter: string | null;
  readonly shouldRetry: string | null;
  readonly text: string;
  /** The format's own terminal markers, all of them. */
  readonly ended: boolean;
  /** Any of them. */
  readonly marked: boolean;
  /** The error's code, from the envelope or from the stream's own event; `?` where that has no room for one. */
  readonly failure: string | undefined;
  /** What a strict reader of the format would reject. */
  readonly oddities: readonly string[];
}

type Json = Record<string, unknown>;
type ParsedReply = Pick<Reading, 'text' | 'ended' | 'marked' | 'failure' | 'oddities'>;

export async function ask(weir: Pick<RunningWeir, 'url' | 'token'>, asking: Asking): Promise<Reading> {
  const { format, model, stream, directive } = asking;
  const caller = callers.find((each) => each.format === format);
  if (caller === undefined) throw new Error(`no client for ${format}`);
  const options = { model, stream };
  const version = format === 'gemini-generate' ? '/v1beta' : '/v1';
  const reply = await fetch(`${weir.url}${version}${caller.path(options)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(caller.body([`Say it. ${directiveText(directive)}`], options)),
  });
  const { headers, status } = reply;
  const body = await reply.text();
  const type = headers.get('content-type') ?? '';
  const streamed = stream && status === 200;
  const parsed = streamed ? parseStream(format, body) : parseWhole(format, status, body);
  const oddities = [...parsed.oddities];
  if (!type.startsWith(streamed ? 'text/event-stream' : 'application/json')) oddities.push(`content type ${type}`);
  return {
    status,
    requestId: headers.get('x-request-id') ?? '',
    attempts: headers.get('x-weir-attempts'),
    retryAfter: headers.get('retry-after'),
    shouldRetry: headers.get('x-should-retry'),
    ...parsed,
    oddities,
  };
}

function parseWhole(format: ClientFormat, status: number, body: string): ParsedReply {
  let reply: Json;
  try {
    reply = JSON.parse(body) as Json;
  } catch {
    return { text: '', ended: false, marked: false, failure: undefined, oddities: [`no JSON: ${body.slice(0, 80)}`] };
  }
  if (status !== 200 || (reply.error !== undefined && reply.error !== null)) {
    return { text: '', ended: false, marked: false, ...parseEnvelope(format, reply) };
  }
  const { text, finish } = wholeReaders[format](reply);
  return { text, ended: finish, marked: finish, failure: undefined, oddities: [] };
}

function parseEnvelope(format: ClientFormat, reply: Json): Pick<ParsedReply, 'failure' | 'oddities'> {
  const oddities: string[] = [];
  const error = (reply.error ?? {}) as Json;
  for (const field of ['message', 'type', 'param', 'code']) {
    if (typeof error[field] !== 'string') oddities.push(`error.${field} is no string`);
  }
  if (format === 'anthropic-messages' && (reply.type !== 'error' || typeof reply.request_id !== 'string'))
    oddities.push('not the envelope of the messages format');
  return { failure: String(error.code), oddities };
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []) as Json[];
const textsIn = (parts: unknown): string =>
  list(parts)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');

const wholeReaders: Readonly<Record<ClientFormat, (reply: Json) => { text: string; finish: boolean }>> = {
  'openai-chat'(reply) {
    const [choice = {}] = list(reply.choices);
    return { text: String((choice.message as Json | undefined)?.content), finish: choice.finish_reason === 'stop' };
  },
  'anthropic-messages': (reply) => ({ text: textsIn(reply.content), finish: reply.stop_reason === 'end_turn' }),
  'gemini-generate'(reply) {
    const [candidate = {}] = list(reply.candidates);
    return {
      text: textsIn((candidate.content as Json | undefined)?.parts),
      finish: candidate.finishReason === 'STOP',
    };
  },
  'openai-responses': (reply) => ({
    text: list(reply.output)
      .map(({ content }) => textsIn(content))
      .join(''),
    finish: reply.status === 'completed',
  }),
};

interface Event {
  readonly name: string | undefined;
  readonly data: string;
}

function eventsOf(body: string, oddities: string[]): Event[] {
  if (!/\r?\n\r?\n$/.test(body)) oddities.push('the last event is not closed');
  return body.split(/\r?\n\r?\n/).flatMap((block) => {
    const lines = block.split(/\r?\n/);
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
    const name = lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim();
    return data.length === 0 ? [] : [{ name, data: data.join('\n') }];
  });
}

/** What one event adds: some text, one of the `marks` that together end a reply, or a failure. */
interface EventContent {
  readonly text?: string;
  readonly mark?: string;
  readonly failure?: string;
}

const streamReaders: Readonly<
  Record<ClientFormat, { readonly marks: readonly string[]; read(event: Event, value: Json): EventContent }>
> = {
  'openai-chat': {
    marks: ['finish', '[DONE]'],
    read(_event, value) {
      if (value.error !== undefined) return { failure: String((value.error as Json).code) };
      const [choice = {}] = list(value.choices);
      const { content } = (choice.delta ?? {}) as Json;
      return {
        text: typeof content === 'string' ? content : '',
        ...(typeof choice.finish_reason === 'string' && { mark: 'finish' }),
      };
    },
  },
  'anthropic-messages': {
    marks: ['message_stop'],
    read(event, value) {
      if (event.name === 'error') return { failure: String((value.error as Json | undefined)?.code ?? '?') };
      if (value.type === 'content_block_delta') return { text: String((value.delta as Json).text) };
      return value.type === 'message_stop' ? { mark: 'message_stop' } : {};
    },
  },
  'gemini-generate': {
    marks: ['finishReason'],
    read(_event, value) {
      if (value.error !== undefined) return { failure: '?' };
      const [candidate = {}] = list(value.candidates);
      return {
        text: textsIn((candidate.content as Json | undefined)?.parts),
        ...(candidate.finishReason !== undefined && { mark: 'finishReason' }),
      };
    },
  },
  'openai-responses': {
    marks: ['response.completed'],
    read(event, value) {
      if (event.name === 'response.failed') {
        const error = (value.response as Json | undefined)?.error as Json | undefined;
        return { failure: String(error?.code) };
      }
      if (value.type === 'response.output_text.delta') return { text: String(value.delta) };
      return value.type === 'response.completed' ? { mark: 'response.completed' } : {};
    },
  },
};

function parseStream(format: ClientFormat, body: string): ParsedReply {
  const oddities: string[] = [];
  const { marks, read } = streamReaders[format];
  const seen = new Set<string>();
  let text = '';
  let failure: string | undefined;
  let sequence = 0;
  for (const event of eventsOf(body, oddities)) {
    if (failure !== undefined) oddities.push(`an event after the failure: ${event.data.slice(0, 80)}`);
    if (event.data === '[DONE]') {
      seen.add('[DONE]');
      continue;
    }
    const value = JSON.parse(event.data) as Json;
    if (format === 'openai-responses' && value.sequence_number !== sequence++) oddities.push('a gap in the sequence');
    const content = read(event, value);
    text += content.text ?? '';
    failure ??= content.failure;
    if (content.mark !== undefined) seen.add(content.mark);
  }
  return { text, ended: marks.every((mark) => seen.has(mark)), marked: seen.size > 0, failure, oddities };
}
