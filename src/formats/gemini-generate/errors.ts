/** The content-generation format's two envelopes: its library's own shape, and the specification's object for everybody else. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { ErrorReader } from '../format.ts';

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function errorBody(error: GatewayError, reader: ErrorReader): string {
  const { message, param, status } = error;
  const type = error.providerType ?? error.row.type;
  const code = error.providerCode ?? error.code;
  if (!reader.ownLibrary) return JSON.stringify({ error: { message, type, param, code } });
  const name = statusNames[status] ?? (status < 500 ? 'FAILED_PRECONDITION' : 'UNKNOWN');
  return JSON.stringify({ error: { code: status, message, status: name, type, param, reason: code } });
}
