/**
 * The content-generation format's two error envelopes (its library's own shape, and the specification's object) and
 * errors of its providers.
 */

import { overflowOf } from '../../conversation/context-overflow.ts';
import type { ErrorCode } from '../../conversation/error-table.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';
import type { ErrorReader, ProviderFault } from '../format.ts';
import { errorWords } from '../openai-error-words.ts';
import { formatName } from './wire.ts';

const promptField = 'contents';

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

/** The wire's whole list, https://cloud.google.com/video-intelligence/docs/reference/rest/Shared.Types/Code (read 2026-11-15). */
const rpcNames: ReadonlySet<string> = new Set([
  ...['CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'ABORTED'],
  ...['PERMISSION_DENIED', 'UNAUTHENTICATED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'OUT_OF_RANGE'],
  ...['UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'],
]);

export function errorBody(error: GatewayError, reader: ErrorReader): string {
  if (!reader.ownLibrary) {
    const { type, param, code } = errorWords(error, promptField);
    return JSON.stringify({ error: { message: error.message, type, param, code } });
  }
  return JSON.stringify({ error: errorObject(error, error.status) });
}

/**
 * Inside a stream every library expects a number as `code`; a gateway's 502 is `UNAVAILABLE`, which is 503 on this
 * wire.
 */
export function errorEvent(error: GatewayError): string {
  return `data: ${JSON.stringify({ error: errorObject(error, error.status === 502 ? 503 : error.status) })}\n\n`;
}

/** `type` and `reason` are ours: they may hold the words of any provider. */
function errorObject(error: GatewayError, code: number): object {
  const { providerType, providerSpeaks, param } = error;
  const isOwn = providerSpeaks === formatName && providerType !== undefined && rpcNames.has(providerType);
  const status = isOwn ? providerType : (statusNames[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'UNKNOWN'));
  const type = providerType ?? error.row.type;
  return { code, message: messageOf(error), status, type, param, reason: error.providerCode ?? error.code };
}

const overflowWords = /^the input token count\b.{0,40} exceeds the maximum/i;

/** Clients of this format recognize a conversation that is too long by these words alone. */
function messageOf(error: GatewayError): string {
  const overflow = overflowOf(error);
  if (overflow === undefined || overflowWords.test(error.message)) return error.message;
  const { counted } = overflow;
  const [tokens, tokensMax] = counted === undefined ? ['', ''] : [` (${counted.tokens})`, ` (${counted.tokensMax})`];
  return `The input token count${tokens} exceeds the maximum number of tokens allowed${tokensMax}. ${error.message}`;
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

/** Which quota is used up: a daily one does not recover in a minute. */
function quotaIn(violations: unknown): string | undefined {
  const ids = (Array.isArray(violations) ? violations : []).flatMap((violation) =>
    isObject(violation) ? (textOf(violation['quotaId']) ?? []) : [],
  );
  return ids.find((id) => id.includes('PerDay')) ?? ids[0];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The error is under `error`; a stream that is requested as an array fails with an array. */
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

/** The fault of a model that ended its turn with a call that cannot be read. */
export function failedTurn(finishReason: string, finishMessage: unknown): ProviderFault {
  const said = textOf(finishMessage);
  const message = `The model ended its turn with ${finishReason}${said === undefined ? '.' : `: ${said}`}`;
  return { message, type: undefined, code: finishReason, param: undefined };
}

/** Which of our errors a provider's failure in the middle of a stream is. */
export function failureCode({ type, code }: ProviderFault): ErrorCode {
  if (type === 'RESOURCE_EXHAUSTED' || code === '429') return 'upstream_rate_limited';
  if (type === 'DEADLINE_EXCEEDED' || code === '504') return 'upstream_timeout';
  if (type === 'INVALID_ARGUMENT' || type === 'FAILED_PRECONDITION' || code === '400') return 'upstream_refused';
  return 'upstream_failed';
}
