/** Why an attempt failed or a request was refused, as the ledger keeps it for the operator. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { RequestError } from '../../ledger/ledger.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';

/** Errors are kept for as long as their requests, so each is short. */
const messageLengthMax = 1_024;

function shortMessage(message: string): string {
  return message.length > messageLengthMax ? `${message.slice(0, messageLengthMax - 1)}…` : message;
}

/** `status` is the provider's, where it sent one. */
export function attemptError(
  attempt: Pick<RequestError, 'requestId' | 'attempt' | 'atMs' | 'provider' | 'keyId'>,
  { error, said }: Verdict,
  status: number | undefined,
): RequestError {
  return { ...attempt, status, code: error.code, message: shortMessage(said ?? error.message) };
}

/** The error that the client was sent. */
export function refusalError(
  { requestId, provider, code }: Pick<RequestError, 'requestId' | 'provider' | 'code'>,
  error: unknown,
  atMs: number,
): RequestError {
  const message = error instanceof GatewayError ? error.message : 'Internal error. The log has the cause.';
  return { requestId, attempt: 0, atMs, provider, keyId: '', code, message: shortMessage(message) };
}
