/** The public explanation of a sample request, for a caller who may use everything. No provider is called, nothing is charged. */

import { callerOf } from '../../access/levels/caller-of.ts';
import { openAdmission } from '../../access/limits.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import type { Format } from '../../formats/format.ts';
import { geminiGenerate } from '../../formats/gemini-generate/format.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type JsonBody, readJsonBody } from '../../http/json/json-body.ts';
import type { Reply } from '../../http/reply.ts';
import { checkVideo, readVideo } from '../../operations/video/generations-client.ts';
import type { OperationName } from '../../operations/wire.ts';
import { clientWires } from '../../operations/wires.ts';
import { explainHeader } from '../../relay/explain/explain.ts';
import type { Operator } from '../../relay/operations/operation-request.ts';
import type { Relay } from '../../relay/relay.ts';
import type { OrderRequest } from '../../tasks/ordering/order-request.ts';
import { chat } from '../conversations/chat.ts';
import { cohereChatEndpoint } from '../conversations/cohere-chat.ts';
import { completions } from '../conversations/completions.ts';
import { generateEndpoint } from '../conversations/generate-content.ts';
import { messages } from '../conversations/messages.ts';
import { responses } from '../conversations/responses.ts';
import { videosEndpoint } from '../videos.ts';

interface ExplainParts {
  readonly relay: Relay;
  readonly operator: Operator;
  order(request: OrderRequest): Promise<Reply>;
  readonly limits: { readonly jsonDepthMax: number };
}

/** The public explanation, as the body of the reply. */
export type Explain = (exchange: Exchange, input: unknown) => Promise<Reply>;

const textFormats: Readonly<Record<string, Format>> = Object.fromEntries(
  [chat, completions, responses, messages, cohereChatEndpoint].map(({ name, format }) => [name, format]),
);

/** Only operations with JSON bodies. */
const operations: Readonly<Record<string, OperationName>> = {
  embeddings: 'embed',
  moderations: 'moderate',
  rerank: 'rerank',
  images: 'make-image',
  speech: 'speak',
};

/** A caller who may set routing options and use everything. */
const unlimited = callerOf({
  id: 'console',
  hint: '',
  createdAtMs: 0,
  terms: { name: 'console', mayExplain: true, maySteer: true },
});

export function createExplain(parts: ExplainParts): Explain {
  return (exchange, input) => {
    const { endpoint, body } = questionOf(input);
    const json = readJsonBody(new TextEncoder().encode(JSON.stringify(body)), parts.limits.jsonDepthMax);
    const asked = {
      requestId: exchange.requestId,
      endpoint,
      caller: unlimited,
      admission: openAdmission,
      startedAtMs: exchange.startedAtMs,
      hasLeft: () => exchange.hasLeft(),
      headers: new Headers({ [explainHeader]: '1' }),
    };
    const format = Object.hasOwn(textFormats, endpoint) ? textFormats[endpoint] : undefined;
    if (format !== undefined) return parts.relay.handle({ ...asked, format, body: json });
    if (endpoint === generateEndpoint) return explainGenerate(parts, asked, body);
    if (endpoint === videosEndpoint) {
      // Nothing is submitted, so no task is ever written.
      const wire = { name: 'video-generations', check: checkVideo, read: readVideo, write: () => '' };
      return parts.order({ ...asked, wire, body: { kind: 'json', json } });
    }
    return explainOperation(parts, asked, endpoint, json);
  };
}

type Asked = Pick<OrderRequest, 'requestId' | 'endpoint' | 'caller' | 'admission' | 'startedAtMs' | 'headers'> & {
  hasLeft(): boolean;
};

/** In this format the path names the model; here the body does. */
function explainGenerate(parts: ExplainParts, asked: Asked, body: Readonly<Record<string, unknown>>): Promise<Reply> {
  const { model, ...rest } = body;
  if (typeof model !== 'string') {
    throw new GatewayError('field_missing', 'body.model: is required', { param: 'body.model' });
  }
  const json = readJsonBody(new TextEncoder().encode(JSON.stringify(rest)), parts.limits.jsonDepthMax);
  return parts.relay.handle({ ...asked, format: geminiGenerate, body: json, named: { model, stream: false } });
}

function explainOperation(parts: ExplainParts, asked: Asked, endpoint: string, json: JsonBody): Promise<Reply> {
  const operation = Object.hasOwn(operations, endpoint) ? operations[endpoint] : undefined;
  if (operation === undefined) {
    const known = [...Object.keys(textFormats), generateEndpoint, ...Object.keys(operations), videosEndpoint];
    throw new GatewayError('field_invalid', `endpoint: must be one of ${known.join(', ')}`, { param: 'endpoint' });
  }
  return operate(parts, asked, operation, json);
}

function operate<Name extends OperationName>(
  { operator }: ExplainParts,
  asked: Asked,
  operation: Name,
  json: JsonBody,
): Promise<Reply> {
  const wire = clientWires[operation];
  const body = { kind: 'json' as const, json };
  return operator.handle({ ...asked, operation, wire, format: openaiChat, body, pathModel: undefined });
}

function questionOf(input: unknown): { readonly endpoint: string; readonly body: Readonly<Record<string, unknown>> } {
  const { endpoint, body } = isObject(input) ? input : {};
  if (typeof endpoint !== 'string') {
    throw new GatewayError('field_missing', 'endpoint: is required', { param: 'endpoint' });
  }
  if (!isObject(body)) throw new GatewayError('field_invalid', 'body: must be an object', { param: 'body' });
  return { endpoint, body };
}
