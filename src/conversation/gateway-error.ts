/** The one error type. Before the first byte it becomes a status and an envelope, after it an event of the client's format. */

import type { ContextOverflow } from './context-overflow.ts';
import { type ErrorCode, type ErrorRow, errorTable } from './error-table.ts';

interface GatewayErrorDetails {
  /** The request field at fault, as the client wrote it (`messages[2].content`). */
  readonly param?: string;
  readonly retryAfterMs?: number;
  /** Response headers that belong to this error (`allow`, `x-ratelimit-*`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** A provider's own status, where it says more than the table's (a 404 or 422 of the provider). */
  readonly status?: number;
  /** The provider's own words for type and code, which its users' programs look for. */
  readonly providerType?: string | undefined;
  readonly providerCode?: string | undefined;
  /** The format or wire that those words are of; absent where they are known to be the client's own. */
  readonly providerSpeaks?: string | undefined;
  /** Present where the conversation is larger than the model's context, whatever the words for it. */
  readonly overflow?: ContextOverflow | undefined;
  /** More for programs to act upon, in formats whose envelope has a place for it. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The token that was refused, where it is known; for the record of the refusal. */
  readonly tokenId?: string;
  /** For the log only; never leaves the process. */
  readonly cause?: unknown;
}

export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly param: string;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly providerType: string | undefined;
  readonly providerCode: string | undefined;
  readonly providerSpeaks: string | undefined;
  readonly overflow: ContextOverflow | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly tokenId: string | undefined;

  constructor(code: ErrorCode, message: string, details: GatewayErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.param = details.param ?? '';
    this.status = details.status ?? errorTable[code].status;
    this.retryAfterMs = details.retryAfterMs;
    this.headers = details.headers;
    this.providerType = details.providerType;
    this.providerCode = details.providerCode;
    this.providerSpeaks = details.providerSpeaks;
    this.overflow = details.overflow;
    this.details = details.details;
    this.tokenId = details.tokenId;
  }

  get row(): ErrorRow {
    return errorTable[this.code];
  }
}
