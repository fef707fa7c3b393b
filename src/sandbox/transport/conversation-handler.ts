/** Answers a conversation request as the named sandbox model, with its faults. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { specialTools, withKnownTools } from '../../conversation/tools/special-tools.ts';
import { formats } from '../../formats/all.ts';
import type { NamedRequest, ReplyContext } from '../../formats/codec.ts';
import type { Format, FormatName } from '../../formats/format.ts';
import { converse } from '../chat/converse.ts';
import { findModel, type SandboxModel } from '../models.ts';
import type { SandboxOptions, SandboxRequest } from '../options.ts';
import { aborted, streamBody } from './stream-body.ts';

const slowReplyMsMax = 30_000;
/** A larger request is read, answered and written in a turn of the event loop each. */
const onceBytesMax = 32_768;

/** The client's format, and what the URL adds to the body. */
export interface ClientFormat {
  readonly format: FormatName;
  readonly named: NamedRequest | undefined;
}

export async function handleConversation(
  request: SandboxRequest,
  client: ClientFormat,
  options: SandboxOptions,
): Promise<Response> {
  const format = formats[client.format];
  try {
    return await answer(request, format, client.named, options);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return refuse(format, error);
  }
}

/** Throws errors of the request and the faults of the model. */
async function answer(
  request: SandboxRequest,
  format: Format,
  named: NamedRequest | undefined,
  options: SandboxOptions,
): Promise<Response> {
  const body = readBody(request);
  format.check(body, sizeOf(request), named);
  const read = format.codec.readRequest(body, named).value;
  const asked = withKnownTools(read, { freeform: false, namespaces: false });
  const model = findModel(asked.model);
  if (model === undefined) throw unknownModel(asked.model);
  checkSupported(asked);
  const failure = failureOf(model);
  if (failure !== undefined) throw failure;

  const isLarge = sizeOf(request) > onceBytesMax;
  if (isLarge) await nextTurn();
  const origin = { format: format.name, provider: 'sandbox', model: model.id };
  const reply = converse(asked, { id: options.newId(), createdAtMs: options.nowMs(), origin });
  if (isLarge) await nextTurn();
  const reader: ReplyContext = {
    request: body,
    tools: specialTools(read.tools),
    nowMs: options.nowMs(),
    newId: (prefix) => prefix + options.newId(),
  };
  if (asked.stream) {
    const writer = format.codec.streamWriter(reader);
    const stream = streamBody({ reply, model, writer, options, signal: request.signal });
    return new Response(stream, { headers: streamHeaders });
  }
  await delayWhole(reply, model, options, request.signal);
  const written = format.codec.writeReply(reply, reader).value;
  return new Response(corrupted(JSON.stringify(written), model), { headers: jsonHeaders });
}

const jsonHeaders = { 'content-type': 'application/json' } as const;
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function sizeOf({ body }: SandboxRequest): number {
  return typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;
}

function readBody({ body }: SandboxRequest): Tree {
  try {
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
    const tree: unknown = JSON.parse(text);
    if (isObject(tree)) return tree;
  } catch {
    // Reported below, as for any other body that is not an object.
  }
  throw new GatewayError('json_malformed', 'The body is not a JSON object.');
}

/** Written for the format's own client library. */
const errorReader = { requestId: '', ownLibrary: true } as const;

function refuse(format: Format, error: GatewayError): Response {
  const headers = { ...jsonHeaders, ...error.headers };
  return new Response(format.errorBody(error, errorReader), { status: error.status, headers });
}

function unknownModel(name: string): GatewayError {
  return new GatewayError('model_not_found', `The sandbox has no model '${name.slice(0, 100)}'.`, { param: 'model' });
}

/** Clients read the code and repeat the request without the field. */
function checkSupported({ unsupported, previousReplyId }: TextRequest): void {
  if (unsupported !== undefined) {
    const details = { error_code: `${unsupported}_unsupported_request` };
    const message = `The sandbox does not know \`${unsupported}\` in this form. Leave it out.`;
    throw new GatewayError('operation_unsupported', message, { param: unsupported, details });
  }
  if (previousReplyId !== undefined) {
    const message = `The sandbox keeps no replies, so it has none called '${previousReplyId.slice(0, 100)}'.`;
    throw new GatewayError('not_found', message, {
      status: 400,
      providerType: 'invalid_request_error',
      providerCode: 'previous_response_not_found',
    });
  }
}

function failureOf(model: SandboxModel): GatewayError | undefined {
  if (model.fault === 'rate-limit') {
    const message = `${model.id} refuses every request. Please retry after 1 second.`;
    return new GatewayError('rate_limited', message, { headers: { 'retry-after': '1' } });
  }
  if (model.fault === 'server-error') return new GatewayError('internal_error', `${model.id} fails every request.`);
  return undefined;
}

/** Without streaming a slow model delays by all its deltas at once, and a stalled one never answers. */
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

function corrupted(json: string, model: SandboxModel): string {
  if (model.fault === 'cut') return json.slice(0, Math.floor(json.length / 2));
  return model.fault === 'malformed' ? `${json.slice(0, -1)},}` : json;
}
