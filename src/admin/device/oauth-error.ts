/** An error of the OAuth endpoints (RFC 6749 section 5.2, RFC 8628 section 3.5). */

const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unsupported_grant_type: 400,
  unsupported_token_type: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  temporarily_unavailable: 503,
} as const;

type OAuthErrorCode = keyof typeof statuses;

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(code: OAuthErrorCode, message: string, given: { status?: number; retryAfterMs?: number } = {}) {
    super(message);
    this.name = 'OAuthError';
    this.code = code;
    this.status = given.status ?? statuses[code];
    this.retryAfterMs = given.retryAfterMs;
  }
}
