/** What every row of the error table says. */

export type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'insufficient_quota'
  | 'upstream_error'
  | 'overloaded_error'
  | 'server_error';

export interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  /** Would the very same request have a chance later? Says what `x-should-retry` carries. */
  readonly retryable: boolean;
  readonly cost: 'never' | 'possible';
  /** One sentence for `docs/errors.md`: when it happens and what to do. */
  readonly meaning: string;
}

export const row = (
  status: number,
  type: ErrorType,
  retryable: boolean,
  cost: ErrorRow['cost'],
  meaning: string,
): ErrorRow => ({ status, type, retryable, cost, meaning });
