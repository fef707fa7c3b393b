/** Errors of the messages format: the envelope, the event that ends a broken stream, and what a provider said in this shape. */

import type { ErrorType } from '../../conversation/error-table.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import type { ErrorReader, ProviderFault } from '../format.ts';

const typeNames: Partial<Record<ErrorType, string>> = {
  insufficient_quota: 'billing_error',
  upstream_error: 'api_error',
  server_error: 'api_error',
};

export function errorBody(error: GatewayError, reader: Pick<ErrorReader, 'requestId'>): string {
  const details = detailsOf(error);
  return JSON.stringify({
    type: 'error',
    error: {
      type: error.providerType ?? typeNames[error.row.type] ?? error.row.type,
      message: error.message,
      param: error.param,
      code: error.providerCode ?? error.code,
      ...(details !== undefined && { details }),
    },
    ...(reader.requestId !== '' && { request_id: reader.requestId }),
  });
}

/** Agents decide by `details.error_code` whether to resend the whole conversation, so a provider's code stands there too. */
function detailsOf(error: GatewayError): Readonly<Record<string, unknown>> | undefined {
  if (error.details !== undefined) return error.details;
  return error.providerCode === undefined ? undefined : { error_code: error.providerCode };
}

/** No `message_stop` follows: the libraries of this format take the event for the failure that it is. */
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
