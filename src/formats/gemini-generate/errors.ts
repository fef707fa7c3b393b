/** The content-generation format's two envelopes (its library's own shape, and the specification's object) and what its providers say. */

import type { ErrorCode } from '../../conversation/error-table.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import type { ErrorReader, ProviderFault } from '../format.ts';

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

/** Inside a stream every library looks for a number as `code`; a gateway's 502 is `UNAVAILABLE`, which is 503 on this wire. */
export function errorEvent(error: GatewayError): string {
  const { message, param } = error;
  const code = error.status === 502 ? 503 : error.status;
  const status = statusNames[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'UNKNOWN');
  const type = error.providerType ?? error.row.type;
  const body = { error: { code, message, status, type, param, reason: error.providerCode ?? error.code } };
  return `data: ${JSON.stringify(body)}\n\n`;
}

export function faultOf(error: unknown): ProviderFault {
  if (typeof error === 'string') return { message: error, type: undefined, code: undefined, param: undefined };
  if (!isObject(error)) return { message: '', type: undefined, code: undefined, param: undefined };
  const { reason, field } = inDetails(error.details);
  const code = typeof error.code === 'number' ? String(error.code) : textOf(error.code);
  return {
    message: textOf(error.message) ?? '',
    type: textOf(error.status),
    code: reason ?? textOf(error.reason) ?? code,
    param: field,
  };
}

/** The details hold a word for programs and the field at fault, each in an entry of its own kind. */
function inDetails(details: unknown): { readonly reason?: string | undefined; readonly field?: string | undefined } {
  let reason: string | undefined;
  let field: string | undefined;
  for (const detail of Array.isArray(details) ? details : []) {
    if (!isObject(detail)) continue;
    reason ??= textOf(detail.reason) ?? quotaIn(detail.violations);
    const [violation] = Array.isArray(detail.fieldViolations) ? detail.fieldViolations : [];
    if (isObject(violation)) field ??= textOf(violation.field);
  }
  return { reason, field };
}

/** Which quota is used up: what is counted by the day does not come back in a minute. */
function quotaIn(violations: unknown): string | undefined {
  const ids = (Array.isArray(violations) ? violations : []).flatMap((violation) =>
    isObject(violation) ? (textOf(violation['quotaId']) ?? []) : [],
  );
  return ids.find((id) => id.includes('PerDay')) ?? ids[0];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The error stands under `error`; a stream that is asked for as an array fails with an array. */
export function readFault(body: string): ProviderFault | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(tree)) tree = tree[0];
  return isObject(tree) && tree.error !== undefined && tree.error !== null ? faultOf(tree.error) : undefined;
}

/** Which of our errors a provider's failure in the middle of a stream is. */
export function failureCode({ type, code }: ProviderFault): ErrorCode {
  if (type === 'RESOURCE_EXHAUSTED' || code === '429') return 'upstream_rate_limited';
  if (type === 'DEADLINE_EXCEEDED' || code === '504') return 'upstream_timeout';
  if (type === 'INVALID_ARGUMENT' || type === 'FAILED_PRECONDITION' || code === '400') return 'upstream_refused';
  return 'upstream_failed';
}
