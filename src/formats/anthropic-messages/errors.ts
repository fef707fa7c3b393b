/**
 * Errors of the messages format: the envelope, the event that ends a broken stream, and a provider's error in this
 * shape.
 */

import { overflowOf } from '../../conversation/context-overflow.ts';
import type { ErrorType } from '../../conversation/error-table.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import type { ErrorReader, ProviderFault } from '../format.ts';

/**
 * The format's whole list, https://docs.claude.com/en/api/errors (read 2026-11-15): clients handle these words and no
 * others.
 */
const types: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
]);

const typeNames: Partial<Record<ErrorType, string>> = {
  insufficient_quota: 'billing_error',
  upstream_error: 'api_error',
  server_error: 'api_error',
};

const typesByStatus: Readonly<Record<number, string>> = {
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
};

/** The provider's word where it is one of the list; its other words become `code`. */
function typeOf(error: GatewayError): string {
  const { providerType, status, row } = error;
  if (overflowOf(error) !== undefined) return 'invalid_request_error';
  if (providerType !== undefined && types.has(providerType)) return providerType;
  const byStatus = row.type === 'invalid_request_error' || row.type === 'upstream_error';
  return (byStatus ? typesByStatus[status] : undefined) ?? typeNames[row.type] ?? row.type;
}

const overflowWords = /^prompt is too long\b/i;

/** Agents shorten the conversation if the message opens as the service's own does, and by how much its numbers say. */
function messageOf(error: GatewayError): string {
  const overflow = overflowOf(error);
  if (overflow === undefined || overflowWords.test(error.message)) return error.message;
  const { counted } = overflow;
  const amounts = counted === undefined ? '' : `: ${counted.tokens} tokens > ${counted.tokensMax} maximum`;
  return `prompt is too long${amounts} (${error.message})`;
}

export function errorBody(error: GatewayError, reader: Pick<ErrorReader, 'requestId'>): string {
  const details = detailsOf(error);
  return JSON.stringify({
    type: 'error',
    error: {
      type: typeOf(error),
      message: messageOf(error),
      param: error.param,
      code: error.providerCode ?? error.code,
      ...(details !== undefined && { details }),
    },
    ...(reader.requestId !== '' && { request_id: reader.requestId }),
  });
}

/**
 * Agents decide by `details.error_code` whether to resend the whole conversation, so it carries a provider's code too.
 */
function detailsOf(error: GatewayError): Readonly<Record<string, unknown>> | undefined {
  if (error.details !== undefined) return error.details;
  return error.providerCode === undefined ? undefined : { error_code: error.providerCode };
}

/** No `message_stop` follows: the libraries of this format treat the event as a failure. */
export function errorEvent(error: GatewayError, reader: Pick<ErrorReader, 'requestId'>): string {
  return `event: error\ndata: ${errorBody(error, reader)}\n\n`;
}

export function faultOf(error: unknown): ProviderFault {
  if (typeof error === 'string') return { message: error, type: undefined, code: undefined, param: undefined };
  if (!isObject(error)) return { message: '', type: undefined, code: undefined, param: undefined };
  const details = isObject(error.details) ? error.details : undefined;
  return {
    message: word(error.message) ?? '',
    type: word(error.type),
    code: word(details?.error_code) ?? word(error.code),
    param: word(error.param),
  };
}

function word(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Providers of this format put the error under `error`; hosts in front of them write `message` at the top. */
export function readFault(body: string): ProviderFault | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(tree)) tree = tree[0];
  if (!isObject(tree)) return undefined;
  if (tree.error !== undefined && tree.error !== null) return faultOf(tree.error);
  return faultOf({ message: tree.message ?? tree.detail, type: tree.type, code: tree.code });
}
