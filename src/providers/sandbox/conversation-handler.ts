/** Answers a conversation request as the named sandbox model does, misbehaving where that is the model's purpose. */

import type { TextReply } from '../../conversation/text-reply.ts';

import type { Body, ConversationCodec, SandboxError } from './conversation-codec.ts';
import { converse } from './converse.ts';
import { findModel, type SandboxModel } from './models.ts';
import { aborted, streamBody } from './stream-body.ts';
import type { SandboxOptions, SandboxRequest } from './transport.ts';

const slowReplyMsMax = 30_000;

export async function handleConversation(
  request: SandboxRequest,
  codec: ConversationCodec,
  options: SandboxOptions,
): Promise<Response> {
  const body = readBody(request);
  if (body === undefined) return refuse(codec, invalid('The body is not a JSON object.'));
  const fault = codec.fault(body);
  if (fault !== undefined) return refuse(codec, { ...invalid(`'${fault}' is missing or not valid.`), param: fault });
  const asked = codec.read(body);
  const model = findModel(asked.model);
  if (model === undefined) return refuse(codec, unknownModel(asked.model));
  const failure = failureOf(model);
  if (failure !== undefined) return refuse(codec, failure);

  const reply = converse(asked, { id: codec.replyId(options.newId()), createdAtMs: options.nowMs(), model: model.id });
  if (asked.stream) {
    const stream = streamBody({
      reply,
      model,
      codec,
      writer: codec.streamWriter(body),
      options,
      signal: request.signal,
    });
    return new Response(stream, { headers: streamHeaders });
  }
  await delayWhole(reply, model, options, request.signal);
  return new Response(spoil(JSON.stringify(codec.write(reply, body)), model), { headers: jsonHeaders });
}

const jsonHeaders = { 'content-type': 'application/json' } as const;
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

function readBody(request: SandboxRequest): Body | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  try {
    const tree: unknown = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
    return typeof tree === 'object' && tree !== null && !Array.isArray(tree) ? (tree as Body) : undefined;
  } catch {
    return undefined;
  }
}

function refuse(codec: ConversationCodec, error: SandboxError): Response {
  const headers = { ...jsonHeaders, ...error.headers };
  return new Response(JSON.stringify(codec.writeError(error)), { status: error.status, headers });
}

function invalid(message: string): SandboxError {
  return { status: 400, message, type: 'invalid_request_error' };
}

function unknownModel(name: string): SandboxError {
  const message = `The sandbox has no model '${name.slice(0, 100)}'.`;
  return { status: 404, message, type: 'invalid_request_error', code: 'model_not_found', param: 'model' };
}

function failureOf(model: SandboxModel): SandboxError | undefined {
  if (model.fault === 'rate-limit') {
    const message = `${model.id} refuses every request. Please retry after 1 second.`;
    return { status: 429, message, type: 'requests', code: 'rate_limit_exceeded', headers: { 'retry-after': '1' } };
  }
  if (model.fault === 'server-error') {
    return { status: 500, message: `${model.id} fails every request.`, type: 'server_error' };
  }
  return undefined;
}

/** Without streaming a slow model is late by all its deltas at once, and a stalled one never answers. */
async function delayWhole(
  reply: TextReply,
  model: SandboxModel,
  options: SandboxOptions,
  signal: AbortSignal,
): Promise<void> {
  if (model.fault === 'stall') await aborted(signal);
  const deltas = reply.usage.output.total ?? 0;
  const ms = (model.firstEventMs ?? 0) + (model.paceMsMin ?? 0) * deltas;
  if (ms > 0) await options.wait(Math.min(ms, slowReplyMsMax), signal);
}

function spoil(json: string, model: SandboxModel): string {
  if (model.fault === 'cut') return json.slice(0, Math.floor(json.length / 2));
  return model.fault === 'malformed' ? json.replace('"choices":[', '"choices":[[,') : json;
}
