/** Answers operations other than conversations: reads the request in the client's wire format, runs the engine, writes the reply in that format. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { ClientWireOf } from '../../operations/types.ts';
import type { OperationName, ReplyMaking, WireBody, WrittenReply } from '../../operations/wire.ts';
import { clientWires } from '../../operations/wires.ts';
import { findModel } from '../models.ts';
import type { SandboxOptions, SandboxRequest } from '../options.ts';
import { readBody } from '../read-body.ts';

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
    return new Response(openaiChat.errorBody(error, { requestId: '', ownLibrary: false }), {
      status: error.status,
      headers: { 'content-type': 'application/json' },
    });
  }
}

export function responseOf({ contentType, body }: WrittenReply): Response {
  return new Response(body, { headers: { 'content-type': contentType } });
}

function unknownModel(name: string): GatewayError {
  const message = `The sandbox has no model '${name.slice(0, 100)}' for this.`;
  return new GatewayError('model_not_found', message, { param: 'model' });
}
