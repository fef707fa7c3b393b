/** Answers what is no conversation: reads the request on the wire of the callers, has the engine do it, and writes the reply on that wire. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject } from '../conversation/json-tree.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { ClientWireOf } from '../operations/types.ts';
import type { OperationName, ReplyMaking, WireBody } from '../operations/wire.ts';
import { clientWires } from '../operations/wires.ts';
import type { StreamedBody } from '../upstream/transport.ts';
import { findModel } from './models.ts';
import type { SandboxOptions, SandboxRequest } from './transport.ts';

/** Does the work of one operation. */
export type Engine<Name extends OperationName> = (
  body: WireBody,
  wire: ClientWireOf<Name>,
  context: EngineContext,
) => Promise<Response>;

export interface EngineContext {
  readonly making: ReplyMaking;
  readonly model: string;
  readonly signal: AbortSignal;
}

export async function handleOperation<Name extends OperationName>(
  request: SandboxRequest,
  operation: Name,
  engine: Engine<Name>,
  options: SandboxOptions,
): Promise<Response> {
  try {
    const body = await readBody(request);
    const wire = clientWires[operation];
    const { model } = wire.check(body, 0);
    if (model === undefined || findModel(model)?.operations?.includes(operation) !== true)
      throw unknownModel(model ?? '');
    const making: ReplyMaking = { nowMs: options.nowMs(), newId: (prefix) => prefix + options.newId() };
    return await engine(body, wire, { making, model, signal: request.signal });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const reader = { requestId: '', ownLibrary: false };
    return new Response(openaiChat.errorBody(error, reader), {
      status: error.status,
      headers: { 'content-type': 'application/json' },
    });
  }
}

/** The body on the callers' wire, a form or JSON. */
export async function readBody({ body, headers }: SandboxRequest): Promise<WireBody> {
  const contentType = headers['content-type'] ?? '';
  const bytes = await bytesOf(body);
  if (contentType.startsWith('multipart/')) return readForm(bytes, contentType);
  let tree: unknown;
  try {
    tree = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new GatewayError('json_malformed', 'The body is not valid JSON.');
  }
  if (!isObject(tree)) throw new GatewayError('json_malformed', 'The body is not a JSON object.');
  return { kind: 'json', tree };
}

async function bytesOf(body: SandboxRequest['body']): Promise<Uint8Array<ArrayBuffer>> {
  if (body === undefined) return new Uint8Array(0);
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  return wholeOf(body);
}

async function wholeOf(body: StreamedBody): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(body.bytes);
  let at = 0;
  for await (const piece of body.open()) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<WireBody> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData().catch(badForm);
  const fields = await Promise.all(
    Array.from(form as Iterable<[string, string | File]>, async ([name, value]) => {
      if (typeof value === 'string') return { name, value };
      const content = new Uint8Array(await value.arrayBuffer());
      const file = {
        field: name,
        filename: value.name,
        mediaType: value.type,
        bytes: content.length,
        async *open() {
          yield content;
        },
      };
      return { name, value: file };
    }),
  );
  return { kind: 'form', fields };
}

function badForm(): never {
  throw new GatewayError('field_invalid', 'The form cannot be read.');
}

function unknownModel(name: string): GatewayError {
  const message = `The sandbox has no model '${name.slice(0, 100)}' for this.`;
  return new GatewayError('model_not_found', message, { param: 'model' });
}
