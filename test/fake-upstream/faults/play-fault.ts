/** Plays one fault, or a good reply, in the wire format of the request. */

import type { InvoiceEntry } from '../invoice.ts';
import type { ReplyWriter } from '../reply-writer.ts';
import type { Said } from '../wire/issued.ts';
import type { Asked, WireProvider } from '../wire/provider.ts';
import { usage } from '../wire/scenes.ts';
import type { Json, Seen } from '../wire/seen.ts';
import type { ProviderName } from '../wire/start-all.ts';
import { piecesOf } from './directive.ts';
import type { TargetEntry } from './target.ts';

export interface Play {
  readonly wire: WireProvider;
  readonly name: ProviderName;
  readonly asked: Asked;
  readonly body: Json;
  readonly fault: string;
  readonly nonce: string;
  readonly retryAfterSeconds: number | undefined;
}

const json = 'application/json';
const eventStream = 'text/event-stream; charset=utf-8';
const page = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';

/**
 * In each provider's words: type and code of the two formats that share a shape, the type of the third,
 * the status of the fourth.
 */
const words: Readonly<Record<number, readonly [string, string | null, string, string]>> = {
  400: ['invalid_request_error', 'invalid_value', 'invalid_request_error', 'INVALID_ARGUMENT'],
  401: ['invalid_request_error', 'invalid_api_key', 'authentication_error', 'UNAUTHENTICATED'],
  429: ['requests', 'rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  500: ['server_error', null, 'api_error', 'INTERNAL'],
  503: ['server_error', 'server_overloaded', 'overloaded_error', 'UNAVAILABLE'],
  529: ['server_error', 'server_overloaded', 'overloaded_error', 'UNAVAILABLE'],
};

/** The code that a provider names in its error, where its format has one. */
export function codeSaid(name: ProviderName, status: number): string | undefined {
  // Their values differ from the codes that clients match.
  if (name === 'messages' || name === 'generate') return undefined;
  return words[status]?.[1] ?? undefined;
}

const statuses: Readonly<Record<string, number>> = {
  rate: 429,
  'rate-until': 429,
  'status-400': 400,
  'status-401': 401,
  'status-500': 500,
  'status-503': 503,
  'status-529': 529,
};

/** The `retry-after` of `rate-until` where the directive has none. */
const retryAfterSeconds = 7;

export async function playFault(writer: ReplyWriter, entry: TargetEntry, play: Play): Promise<void> {
  const status = statuses[play.fault];
  entry.status = status ?? 200;
  if (status !== undefined) {
    const seconds = `${play.retryAfterSeconds ?? retryAfterSeconds}`;
    const wait: Record<string, string> = play.fault === 'rate-until' ? { 'retry-after': seconds } : {};
    await writer.whole(status, { 'content-type': json, ...wait }, errorBody(play, status), false);
    entry.outcome = 'refused';
    return;
  }
  if (play.fault === 'slow-head') return waitUntilLeft(writer, entry);
  if (play.fault === 'html') {
    await writer.whole(200, { 'content-type': 'text/html' }, Buffer.from(page), false);
    entry.outcome = 'refused';
    return;
  }
  return play.asked.stream ? playStream(writer, entry, play) : playWhole(writer, entry, play);
}

async function playWhole(writer: ReplyWriter, entry: TargetEntry, play: Play): Promise<void> {
  const { fault, nonce } = play;
  const said = saidBy(entry.target, nonce, play.asked.model);
  const headers = {
    'content-type': fault === 'wrong-type' ? 'text/plain' : json,
    // Otherwise another request may be on its way on the same connection.
    ...(fault === 'after-end' && { connection: 'close' }),
  };
  const good = Buffer.from(JSON.stringify(play.wire.whole(said, unseen, play.body)));
  const half = good.subarray(0, good.length / 2);
  switch (fault) {
    case 'stall-early':
    case 'stall-late':
      await writer.short(200, headers, fault === 'stall-late' ? half : Buffer.alloc(0), good.length);
      return waitUntilLeft(writer, entry);
    case 'overloaded-first':
    case 'failure-first': {
      await writer.whole(200, headers, errorBody(play, fault === 'failure-first' ? 500 : 503), false);
      entry.outcome = 'refused';
      return;
    }
    case 'empty':
      await writer.whole(200, headers, Buffer.alloc(0), false);
      return drop(writer, entry);
    case 'cut-early':
    case 'cut-late':
    case 'reset-late':
      await writer.short(200, headers, fault === 'cut-early' ? Buffer.alloc(0) : half, good.length);
      return drop(writer, entry, fault === 'reset-late' ? 'reset' : 'end');
    case 'end-late':
    case 'garbled-late':
      await writer.whole(200, headers, half, false);
      return drop(writer, entry);
    default:
      // Before the bytes, since the caller may compare the ledger as soon as it has them.
      report(entry);
      await writer.whole(200, headers, good, fault === 'gzip');
      entry.outcome = 'completed';
      if (fault === 'after-end') writer.drop('end');
  }
}

async function playStream(writer: ReplyWriter, entry: TargetEntry, play: Play): Promise<void> {
  const { fault, nonce, wire, body } = play;
  const said = saidBy(entry.target, nonce, play.asked.model);
  const wantsUsage = (body.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true;
  const frames = wire.frames(said, { ...unseen, wantsUsage }, body).map((frame) => Buffer.from(frame));
  await writer.startChunked(
    200,
    { 'content-type': fault === 'wrong-type' ? 'application/octet-stream' : eventStream },
    fault === 'gzip',
  );
  switch (fault) {
    case 'stall-early':
      return waitUntilLeft(writer, entry);
    case 'overloaded-first':
    case 'failure-first':
      await writer.chunk(Buffer.from(errorFrame(play, fault === 'failure-first' ? 500 : 503)));
      await writer.endChunked();
      entry.outcome = 'refused';
      return;
    case 'empty':
      await writer.endChunked();
      return drop(writer, entry);
    case 'cut-early':
      return drop(writer, entry, 'end');
    default:
  }
  const isLate = fault.endsWith('-late');
  const second = said.pieces[1] ?? '';
  const beginning = isLate ? frames.slice(0, frames.findIndex((frame) => frame.includes(second.trim())) + 1) : frames;
  if (!isLate) report(entry);
  for (const frame of beginning) await writer.chunk(frame);
  switch (fault) {
    case 'stall-late':
      return waitUntilLeft(writer, entry);
    case 'garbled-late':
      await writer.chunk(Buffer.from('data: {"half": \n\n'));
      await writer.endChunked();
      return drop(writer, entry);
    case 'end-late':
      await writer.endChunked();
      return drop(writer, entry);
    case 'cut-late':
    case 'after-end':
      return drop(writer, entry, 'end');
    case 'reset-late':
      // A reset throws away what the other side has not read yet.
      await writer.wait(50);
      return drop(writer, entry, 'reset');
    default:
      await writer.endChunked();
      entry.outcome = 'completed';
  }
}

async function waitUntilLeft(writer: ReplyWriter, entry: InvoiceEntry): Promise<void> {
  await writer.waitUntilGone();
  entry.outcome = 'left';
}

function drop(writer: ReplyWriter, entry: InvoiceEntry, how?: 'end' | 'reset'): void {
  entry.outcome = 'cut';
  if (how !== undefined) writer.drop(how);
}

function report(entry: InvoiceEntry): void {
  entry.reported = { promptTokens: usage.input, completionTokens: usage.output };
}

function errorBody({ name }: Play, status: number): Buffer {
  const [type, code, messagesType, state] = words[status] ?? words[500] ?? ['', null, '', ''];
  const message = `scripted ${status}`;
  const shapes: Readonly<Record<ProviderName, object>> = {
    chat: { error: { message, type, param: null, code } },
    responses: { error: { message, type, param: null, code } },
    messages: { type: 'error', error: { type: messagesType, message }, request_id: 'req_scripted' },
    generate: { error: { code: status, message, status: state } },
  };
  return Buffer.from(JSON.stringify(shapes[name]));
}

function errorFrame(play: Play, status: number): string {
  const body = errorBody(play, status).toString('utf8');
  if (play.name === 'messages') return `event: error\ndata: ${body}\n\n`;
  if (play.name !== 'responses') return `data: ${body}\n\n`;
  const { error } = JSON.parse(body) as { error: object };
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error, sequence_number: 0 })}\n\n`;
}

function saidBy(target: string, nonce: string, model: string): Said {
  return {
    id: `${nonce}${target}`,
    model,
    thought: undefined,
    shownThought: '',
    seal: '',
    pieces: piecesOf(nonce, target),
    calls: [],
    refusal: undefined,
  };
}

const unseen: Seen = {
  system: [],
  turns: [],
  tools: [],
  choice: 'auto',
  schema: undefined,
  thinks: false,
  showsThoughts: false,
  wantsSeals: false,
  maxTokens: undefined,
  temperature: undefined,
  stop: [],
  wantsUsage: false,
};
