/** Plays one script: the chat format of a well or badly behaved provider. */

import type { InvoiceEntry } from './invoice.ts';
import type { ReplyWriter } from './reply-writer.ts';
import { type ChatBody, deltaText, type Script, type Usage } from './script.ts';

const json = { 'content-type': 'application/json' };
const createdAt = 1_760_000_000;

export async function play(writer: ReplyWriter, entry: InvoiceEntry, body: ChatBody, script: Script): Promise<void> {
  await writer.wait(script.headDelayMs ?? 0);
  if (script.head !== undefined) return playHead(writer, entry, script.head);
  entry.status = script.status ?? 200;
  if (script.piecesBase64 !== undefined) return playPieces(writer, entry, script, script.piecesBase64);
  if (script.body !== undefined) {
    const headers = { 'content-type': script.contentType ?? 'application/json', ...script.headers };
    await writer.whole(entry.status, headers, Buffer.from(script.body), script.gzip ?? false);
    return finish(writer, entry, entry.status < 400 ? 'completed' : 'refused');
  }
  if (body.stream === true) return playStream(writer, entry, body, script);
  return playWhole(writer, entry, body, script);
}

async function playHead(writer: ReplyWriter, entry: InvoiceEntry, head: 'never' | 'end' | 'reset'): Promise<void> {
  if (head === 'never') {
    await writer.waitUntilGone();
    return finish(writer, entry, 'left');
  }
  finish(writer, entry, 'cut');
  writer.drop(head);
}

async function playPieces(
  writer: ReplyWriter,
  entry: InvoiceEntry,
  script: Script,
  piecesBase64: readonly string[],
): Promise<void> {
  const pieces = piecesBase64.map((piece) => Buffer.from(piece, 'base64'));
  const headers = { 'content-type': script.contentType ?? 'text/event-stream', ...script.headers };
  if (script.whole === true) {
    await writer.whole(entry.status, headers, Buffer.concat(pieces), script.gzip ?? false);
    return finish(writer, entry, 'completed');
  }
  await writer.startChunked(entry.status, headers, script.gzip ?? false);
  for (const piece of pieces) {
    await writer.chunk(piece);
    await writer.wait(script.paceMs ?? 0);
  }
  await writer.endChunked();
  return finish(writer, entry, 'completed');
}

async function playWhole(writer: ReplyWriter, entry: InvoiceEntry, body: ChatBody, script: Script): Promise<void> {
  const callsTool = wantsTool(body, script);
  const tokens = script.deltas ?? 3;
  const text = script.text ?? Array.from({ length: tokens }, (_, index) => deltaText(script, index)).join('');
  entry.tokensSent = tokens;
  const usage = usageOf(entry, script);
  const reply = {
    ...envelope(entry, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: callsTool ? null : text,
          refusal: null,
          ...(callsTool ? { tool_calls: [toolCallOf(entry, script)] } : {}),
        },
        logprobs: null,
        finish_reason: callsTool ? 'tool_calls' : 'stop',
      },
    ],
    ...(usage === undefined ? {} : { usage: wireUsage(usage) }),
  };
  if (usage !== undefined) entry.reported = usage;
  await writer.whole(
    entry.status,
    { ...json, ...script.headers },
    Buffer.from(JSON.stringify(reply)),
    script.gzip ?? false,
  );
  return finish(writer, entry, 'completed');
}

async function playStream(writer: ReplyWriter, entry: InvoiceEntry, body: ChatBody, script: Script): Promise<void> {
  const asked = body.stream_options?.include_usage === true;
  const event = (fields: object) =>
    writer.chunk(
      Buffer.from(`data: ${JSON.stringify({ ...envelope(entry, 'chat.completion.chunk'), ...fields })}\n\n`),
    );
  const choice = (delta: object, finishReason: string | null) =>
    event({
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(asked ? { usage: null } : {}),
    });
  await writer.startChunked(
    200,
    { 'content-type': 'text/event-stream; charset=utf-8', ...script.headers },
    script.gzip ?? false,
  );
  await writer.wait(script.eventDelayMs ?? 0);
  if (script.errorFirst === true) {
    const error = { message: 'scripted error event', type: 'server_error', param: null, code: 'scripted' };
    await writer.chunk(Buffer.from(`data: ${JSON.stringify({ error })}\n\n`));
    await writer.endChunked();
    return finish(writer, entry, 'refused');
  }
  if (script.cut?.after === 0) return cutOff(writer, entry, script.cut.how);
  const callsTool = wantsTool(body, script);
  await choice({ role: 'assistant', content: callsTool ? null : '' }, null);
  if (callsTool) await choice({ tool_calls: [{ index: 0, ...toolCallOf(entry, script) }] }, null);
  const tokens = callsTool ? 0 : script.text === undefined ? (script.deltas ?? 3) : 1;
  for (let index = 0; index < tokens && !writer.isGone; index++) {
    await choice({ content: script.text ?? deltaText(script, index) }, null);
    if (writer.isGone) break;
    entry.tokensSent++;
    await writer.wait(script.paceMs ?? 0);
    if (script.cut?.after === entry.tokensSent) return cutOff(writer, entry, script.cut.how);
  }
  if (writer.isGone) return finish(writer, entry, 'left');
  await choice({}, callsTool ? 'tool_calls' : 'stop');
  const usage = usageOf(entry, script);
  if (usage !== undefined && (asked || (script.usage ?? 'asked') !== 'asked')) {
    const times = script.usage === 'doubled' ? 2 : 1;
    for (let time = 0; time < times; time++) await event({ choices: [], usage: wireUsage(usage) });
    if (!writer.isGone) entry.reported = usage;
  }
  await writer.chunk(Buffer.from('data: [DONE]\n\n'));
  await writer.endChunked();
  return finish(writer, entry, 'completed');
}

async function cutOff(
  writer: ReplyWriter,
  entry: InvoiceEntry,
  how: 'end' | 'truncate' | 'reset' | 'stall',
): Promise<void> {
  if (how === 'stall') await writer.waitUntilGone();
  else if (how === 'end') await writer.endChunked();
  finish(writer, entry, 'cut');
  if (how === 'truncate') writer.drop('end');
  if (how === 'reset') writer.drop('reset');
}

function finish(writer: ReplyWriter, entry: InvoiceEntry, outcome: InvoiceEntry['outcome']): void {
  entry.outcome = writer.isGone && outcome === 'completed' ? 'left' : outcome;
  entry.endedAtMs = Date.now();
}

function wantsTool(body: ChatBody, script: Script): boolean {
  return script.toolCall !== undefined && body.messages?.some((message) => message.role === 'tool') !== true;
}

function toolCallOf(entry: InvoiceEntry, script: Script) {
  const { name = '', arguments: text = '{}' } = script.toolCall ?? {};
  return { id: `call_${entry.id}`, type: 'function', function: { name, arguments: text } };
}

function envelope(entry: InvoiceEntry, object: string) {
  return { id: `chatcmpl-${entry.id}`, object, created: createdAt, model: entry.model };
}

function usageOf(entry: InvoiceEntry, script: Script): Usage | undefined {
  if (script.usage === 'absent') return undefined;
  if (script.usage === 'zero') return { promptTokens: 0, completionTokens: 0 };
  if (script.usage === 'negative') return { promptTokens: -50, completionTokens: -70 };
  return { promptTokens: entry.promptTokens, completionTokens: entry.tokensSent };
}

function wireUsage(usage: Usage) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}
