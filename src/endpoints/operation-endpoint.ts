/** Creates the route of an operation: everything such an endpoint does apart from its path and its wire. */

import type { Carrier } from '../access/credential.ts';
import type { Admission } from '../access/limits.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Format } from '../formats/format.ts';
import { deploymentParameter } from '../formats/other-paths.ts';
import type { Exchange } from '../http/exchange.ts';
import { isForm } from '../http/multipart/boundary.ts';
import type { Form } from '../http/multipart/form.ts';
import type { SpoolOptions } from '../http/multipart/kept-bytes.ts';
import { readRequestForm } from '../http/multipart/read-form.ts';
import type { Reply } from '../http/reply.ts';
import type { Route } from '../http/route-table.ts';
import type { ClientWireOf } from '../operations/types.ts';
import type { OperationName } from '../operations/wire.ts';
import type { OperationBody } from '../relay/operations/operation-body.ts';
import type { Operator } from '../relay/operations/operation-request.ts';
import type { EndpointName } from '../snippets/endpoints.ts';
import type { Entry, EntryRule } from './admit.ts';
import type { TextParts } from './conversations/text-endpoint.ts';
import { errorReply } from './error-reply.ts';
import { takeBody, withPathModel } from './take-body.ts';

export interface OperationEndpoint<Name extends OperationName> {
  /** Its name in a token's list of allowed endpoints. */
  readonly name: EndpointName;
  readonly operation: Name;
  readonly wire: ClientWireOf<Name>;
  readonly carriers: readonly Carrier[];
  readonly format: Format;
  /** Which bodies it accepts. */
  readonly takes: readonly ('json' | 'form')[];
}

export interface OperationParts extends TextParts {
  readonly operator: Operator;
  readonly formBytesMax: number;
  readonly spool: SpoolOptions;
}

type OperationHandler = (exchange: Exchange, pathModel?: string) => Promise<Reply>;

export function operationRoutes<Name extends OperationName>(
  endpoint: OperationEndpoint<Name>,
  paths: readonly string[],
  parts: OperationParts,
): readonly Route[] {
  const handle = operationHandler(endpoint, parts);
  return paths.map((path) => ({
    method: 'POST',
    path,
    writeError: (error, exchange) => errorReply(error, endpoint.format, exchange, parts.report),
    handle: (exchange) => handle(exchange),
  }));
}

export function operationHandler<Name extends OperationName>(
  endpoint: OperationEndpoint<Name>,
  parts: OperationParts,
): OperationHandler {
  const rule: EntryRule = { endpoint: endpoint.name, carriers: endpoint.carriers, counted: 'requests', reserves: true };
  return async (exchange, pathModel) => {
    const entry = await parts.admit(exchange, rule, exchange.requestId);
    const { body, admission } = await takeOperationBody(exchange, endpoint.takes, parts, entry);
    const admitted = { caller: entry.caller, admission };
    return letGo(body, () => operate(endpoint, exchange, admitted, body, pathModel, parts));
  };
}

function operate<Name extends OperationName>(
  { name, operation, wire, format }: OperationEndpoint<Name>,
  exchange: Exchange,
  { caller, admission }: Entry,
  body: OperationBody,
  pathModel: string | undefined,
  parts: OperationParts,
): Promise<Reply> {
  const { request } = exchange;
  exchange.stamped = true;
  exchange.recorded = true;
  return parts.operator.handle({
    requestId: exchange.requestId,
    endpoint: name,
    operation,
    wire,
    format,
    caller,
    admission,
    body,
    pathModel,
    startedAtMs: exchange.startedAtMs,
    hasLeft: () => exchange.hasLeft(),
    headers: request.headers,
  });
}

/**
 * The upload is disposed when the reply begins: the head of a stream comes only after the provider has the whole
 * upload.
 */
export async function letGo(body: OperationBody, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } finally {
    if (body.kind === 'form') await body.form.dispose();
  }
}

/** Single-value fields that Weir checks; some servers read `model[]` as `model`. */
const singleFields: ReadonlySet<string> = new Set([
  'model',
  'n',
  'prompt',
  'quality',
  'response_format',
  'seconds',
  'size',
  'stream',
]);

async function checkForm(form: Form): Promise<void> {
  try {
    refuseAliases(form);
  } catch (error) {
    await form.dispose();
    throw error;
  }
}

/** A second spelling would reach the provider together with the checked one. */
function refuseAliases(form: Form): void {
  for (const name of [...form.fields.keys(), ...form.files.map(({ field }) => field)]) {
    const base = name.split(/[[.]/, 1)[0] ?? '';
    if (base === name || !singleFields.has(base)) continue;
    throw new GatewayError('field_invalid', `The field \`${base}\` has one value; send it under this name.`, {
      param: name,
    });
  }
}

interface TakenOperation {
  readonly body: OperationBody;
  /** The admission of the request; ending it frees the body's memory too. */
  readonly admission: Admission;
}

/** The slot is released if the body does not arrive or is invalid. */
export async function takeOperationBody(
  exchange: Exchange,
  takes: readonly ('json' | 'form')[],
  parts: OperationParts,
  entry: Entry,
): Promise<TakenOperation> {
  const { request } = exchange;
  const { admission } = entry;
  if (takes.includes('form') && isForm(request.headers.get('content-type'))) {
    const limits = { totalBytesMax: parts.formBytesMax, fileBytesMax: parts.formBytesMax };
    const { spool, deadlines } = parts;
    try {
      const form = await readRequestForm(request, { limits, spool, deadlines, signal: request.signal });
      await checkForm(form);
      return { body: { kind: 'form', form: ofPathModel(exchange, form) }, admission };
    } catch (error) {
      admission.leave(0);
      throw error;
    }
  }
  if (!takes.includes('json')) {
    admission.leave(0);
    throw new GatewayError('content_type_unsupported', 'Send a form: `content-type: multipart/form-data`.');
  }
  const taken = await takeBody(parts.bodies, request, entry);
  return { body: { kind: 'json', json: withPathModel(exchange, taken.body) }, admission: taken.admission };
}

/** The form as if it named the path's model; its own bytes do not, so it is rebuilt for the provider. */
function ofPathModel({ params }: Exchange, form: Form): Form {
  const model = params[deploymentParameter];
  const named = form.fields.get('model');
  if (model === undefined || (named?.length === 1 && named[0] === model)) return form;
  return { ...form, fields: new Map([...form.fields, ['model', [model]]]), raw: undefined };
}
