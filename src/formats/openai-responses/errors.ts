/**
 * Errors of the responses format: the envelope, the event that ends a broken stream, and a provider's error in this
 * shape.
 */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ErrorReader, ProviderFault } from '../format.ts';
import { errorWords } from '../openai-error-words.ts';
import { writeEcho, writeEnvelope, writeReplyError } from './envelope.ts';
import { usageAtStart } from './usage.ts';
import { promptField } from './wire.ts';

/** All four members are always strings: the specification says so, and strict clients check it. */
export function errorBody(error: GatewayError): string {
  const { type, param, code } = errorWords(error, promptField);
  return JSON.stringify({ error: { message: error.message, type, param, code } });
}

/**
 * The announced reply ends as a failed one. If none was announced yet, one is: the official library accepts no
 * event before it.
 */
export function errorEvent(error: GatewayError, reader: ErrorReader): string {
  if (reader.reply !== undefined) return failedEvent(reader.reply, error, (reader.sequence ?? -1) + 1);
  const head = { id: `resp_${reader.requestId}`, createdAt: 0, model: '', tier: 'default' };
  const ending = {
    status: 'in_progress',
    completedAt: null,
    error: null,
    incompleteReason: undefined,
    usage: usageAtStart,
  } as const;
  const announced = writeEnvelope(head, writeEcho({}), ending, []);
  const first = (reader.sequence ?? -1) + 1;
  return event('response.created', announced, first) + failedEvent(announced, error, first + 1);
}

function failedEvent(announced: Tree, error: GatewayError, sequence: number): string {
  const { usage: _usage, user, ...kept } = announced;
  const failed = { ...kept, ...(user === null ? {} : { user }), status: 'failed', error: writeReplyError(error) };
  return event('response.failed', failed, sequence);
}

function event(type: string, response: Tree, sequence: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, response, sequence_number: sequence })}\n\n`;
}

export function faultOf(error: unknown): ProviderFault {
  if (typeof error === 'string') return { message: error, type: undefined, code: undefined, param: undefined };
  if (!isObject(error)) return { message: '', type: undefined, code: undefined, param: undefined };
  const said = (name: string): string | undefined => {
    const value = error[name];
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { message: said('message') ?? '', type: said('type'), code: said('code'), param: said('param') };
}

/** An `error` event carries the error beside its type or, as the service itself sends it, inside. */
export function faultOfEvent(event: Tree): ProviderFault {
  if (event['error'] !== undefined && event['error'] !== null) return faultOf(event['error']);
  return faultOf({ message: event['message'], code: event['code'], param: event['param'] });
}

/** Providers of this format put the error under `error`, some at the top, one in an array. */
export function readFault(body: string): ProviderFault | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(tree)) tree = tree[0];
  if (!isObject(tree)) return undefined;
  if (tree['error'] !== undefined && tree['error'] !== null) return faultOf(tree['error']);
  return faultOf({ message: tree['message'] ?? tree['detail'], type: tree['type'], code: tree['code'] });
}
