/**
 * What an error is called in the formats of the OpenAI family. Their list of types and codes is open, so words of the family
 * pass as they are; a word of another family passes where this one has it too.
 * A body of the service: https://github.com/openai/codex/issues/20866 (read 2026-11-15).
 */

import { overflowCode, overflowOf } from '../conversation/context-overflow.ts';
import type { ErrorType } from '../conversation/error-table.ts';
import type { GatewayError } from '../conversation/gateway-error.ts';

interface ErrorWords {
  readonly type: string;
  readonly code: string;
  readonly param: string;
}

const sharedTypes: ReadonlySet<string> = new Set<ErrorType>([
  'authentication_error',
  'permission_error',
  'invalid_request_error',
  'not_found_error',
  'rate_limit_error',
  'insufficient_quota',
  'overloaded_error',
  'server_error',
]);

/** For what a provider refused, its status says more than the row that all refusals share. */
const typesByStatus: Readonly<Record<number, ErrorType>> = {
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** `promptField` is the field of the format's body that holds the conversation. */
export function errorWords(error: GatewayError, promptField: string): ErrorWords {
  const isOwn = error.providerSpeaks === undefined || error.providerSpeaks.startsWith('openai-');
  if (overflowOf(error) !== undefined) {
    const param = isOwn && error.param !== '' ? error.param : promptField;
    return { type: 'invalid_request_error', code: overflowCode, param };
  }
  const { providerType, providerCode, param } = error;
  const type = providerType !== undefined && (isOwn || sharedTypes.has(providerType)) ? providerType : ownType(error);
  const code = providerCode !== undefined && (isOwn || isWord(providerCode)) ? providerCode : error.code;
  return { type, code, param };
}

function ownType({ code, status, row }: GatewayError): string {
  return (code === 'upstream_refused' ? typesByStatus[status] : undefined) ?? row.type;
}

/** Codes of this family are words like these; numbers and capitals are another family's. */
function isWord(code: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(code);
}
