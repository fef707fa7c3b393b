/**
 * Writes an error as a reply: the format's envelope, the table's status, and the headers by which libraries decide
 * whether to retry.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { ErrorWriter } from '../formats/format.ts';
import { showsOwnLibrary } from '../formats/gemini-generate/own-library.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Reply, WholeReply } from '../http/reply.ts';
import { StoreUnavailableError } from '../ledger/ledger-store.ts';

export type Report = (message: string, details: Readonly<Record<string, unknown>>) => void;

export function errorReply(thrown: unknown, writer: ErrorWriter, exchange: Exchange, report: Report): Reply {
  const error = asGatewayError(thrown, exchange, report);
  const headers: Record<string, string> = { 'content-type': 'application/json', ...error.headers };
  if (error.headers !== undefined) Object.assign(headers, writer.limitHeaders?.(error.headers, Date.now()));
  if (error.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
    // The official libraries prefer it, and it is not rounded.
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(error.retryAfterMs)));
    // Two of the official libraries retry by themselves and obey this header.
  } else if (!error.row.retryable) headers['x-should-retry'] = 'false';
  const reader = { requestId: exchange.requestId, ownLibrary: showsOwnLibrary(exchange.request.headers) };
  return new WholeReply(writer.errorBody(error, reader), headers, undefined, error.status);
}

const retryAfterMs = 1_000;

/** A full disk is named to every caller, since it says nothing else: who signs in looks for the reason. The rest is in the log. */
function storeFaultText({ message }: StoreUnavailableError): string {
  const isFull = /disk (?:of \S+ )?is full|No space left/.test(message);
  return isFull ? 'The disk of the database is full.' : 'The database does not answer or cannot write.';
}

const ownFaults: ReadonlySet<string> = new Set(['store_unavailable', 'internal_error']);

function asGatewayError(thrown: unknown, exchange: Exchange, report: Report): GatewayError {
  if (thrown instanceof GatewayError) {
    // A provider's failure is logged by its attempt; here only Weir's own faults are logged.
    if (ownFaults.has(thrown.code) && thrown.cause !== undefined) {
      report(thrown.message, { requestId: exchange.requestId, code: thrown.code, cause: thrown.cause });
    }
    return thrown;
  }
  if (thrown instanceof StoreUnavailableError) {
    report('A request could not use the database.', { requestId: exchange.requestId, cause: thrown });
    return new GatewayError('store_unavailable', storeFaultText(thrown), { cause: thrown, retryAfterMs });
  }
  report('A request failed inside Weir.', { requestId: exchange.requestId, path: exchange.path, cause: thrown });
  return new GatewayError('internal_error', `Internal error. Search the log for ${exchange.requestId}.`);
}
