/**
 * Every error Weir can answer with, in one closed table. `docs/errors.md` lists the same rows and a test keeps them equal.
 * The last column says what an error may have cost: nothing, or possibly something because a provider had already begun.
 */

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

const row = (
  status: number,
  type: ErrorType,
  retryable: boolean,
  cost: ErrorRow['cost'],
  meaning: string,
): ErrorRow => ({ status, type, retryable, cost, meaning });

export const errorTable = {
  token_missing: row(
    401,
    'authentication_error',
    false,
    'never',
    'The request has no token. Send `Authorization: Bearer <token>`.',
  ),
  token_malformed: row(
    401,
    'authentication_error',
    false,
    'never',
    'The credential is not a valid token: wrong length, characters or checksum. Check that you pasted all of it.',
  ),
  token_unknown: row(
    401,
    'authentication_error',
    false,
    'never',
    'This token was not issued by this Weir server. Create one with `npx weir token create`.',
  ),
  token_expired: row(
    401,
    'authentication_error',
    false,
    'possible',
    'The token is past its expiry. Create a new one. Requests in flight when it expired were ended, and are charged.',
  ),
  token_disabled: row(
    401,
    'authentication_error',
    false,
    'possible',
    'The token was revoked or is disabled. Create a new one, or enable it. Requests in flight at that time were ended, and are charged.',
  ),
  credentials_conflict: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'The request has two different credentials. Send only one.',
  ),
  address_not_allowed: row(403, 'permission_error', false, 'never', 'The token is not allowed from this IP address.'),
  endpoint_not_allowed: row(403, 'permission_error', false, 'never', 'The token is not allowed to call this endpoint.'),
  model_not_allowed: row(403, 'permission_error', false, 'never', 'The token is not allowed to use this model.'),
  end_user_blocked: row(403, 'permission_error', false, 'never', 'The end user is blocked by an administrator.'),
  end_users_exceeded: row(
    403,
    'permission_error',
    false,
    'never',
    'The token has as many end users as it may have, and the request names another one.',
  ),
  routing_not_allowed: row(403, 'permission_error', false, 'never', 'The token is not allowed to set routing options.'),
  explain_not_allowed: row(403, 'permission_error', false, 'never', 'The token is not allowed to use explain.'),
  admin_only: row(403, 'permission_error', false, 'never', 'A model token can’t call the admin API.'),
  sign_in_required: row(
    401,
    'authentication_error',
    false,
    'never',
    'The admin API requires a session, and this request has no valid one. Sign in.',
  ),
  sign_in_failed: row(
    401,
    'authentication_error',
    false,
    'never',
    'Wrong name or password, or the account is disabled.',
  ),
  sign_in_limited: row(
    429,
    'rate_limit_error',
    true,
    'never',
    'Too many failed sign-ins from this IP address or for this name. Retry after the time in `Retry-After`.',
  ),
  set_up_refused: row(
    403,
    'permission_error',
    false,
    'never',
    'The setup link is invalid or has expired, or Weir is already set up. If it is not, `weir set-up-link` prints a new link.',
  ),
  invitation_refused: row(403, 'permission_error', false, 'never', 'The invitation does not work. Ask for a new one.'),
  second_factor_failed: row(401, 'authentication_error', false, 'never', 'The second factor is wrong. Try again.'),
  password_change_required: row(403, 'permission_error', false, 'never', 'Choose your own password first.'),
  second_factor_required: row(403, 'permission_error', false, 'never', 'Add a second factor first.'),
  role_not_allowed: row(
    403,
    'permission_error',
    false,
    'never',
    'The role of the signed-in account does not allow this.',
  ),
  origin_not_allowed: row(
    403,
    'permission_error',
    false,
    'never',
    'A call that changes something must come from the console’s own pages: `Origin` or `Sec-Fetch-Site` says otherwise, or is absent.',
  ),
  host_not_allowed: row(
    403,
    'permission_error',
    false,
    'never',
    'The console was opened under an unknown host name. Set `server.public_url` or `server.allowed_hosts`.',
  ),
  model_not_found: row(
    404,
    'not_found_error',
    false,
    'never',
    'No provider serves this model. `GET /v1/models` lists the available models.',
  ),
  not_found: row(404, 'not_found_error', false, 'never', 'The object does not exist, or belongs to another token.'),
  reference_not_found: row(
    404,
    'not_found_error',
    false,
    'never',
    'The request refers to a file, container, conversation or similar object that does not belong to this token. Send its content, or set `ids.unknown`.',
  ),
  egress_not_allowed: row(
    403,
    'permission_error',
    false,
    'never',
    'The request asks the provider to call a server that is not allowed. Allow it in `egress.mcp_hosts`.',
  ),
  url_revoked: row(
    410,
    'not_found_error',
    false,
    'never',
    'The token behind this signed URL was revoked or has expired.',
  ),
  response_not_stored: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'The request continues an earlier reply that is not stored. Send the whole conversation, or turn on `content_storage.responses`.',
  ),
  path_not_found: row(404, 'not_found_error', false, 'never', 'Path not found.'),
  method_not_allowed: row(
    405,
    'invalid_request_error',
    false,
    'never',
    'The path does not support this method. `Allow` lists the supported ones.',
  ),
  operation_unsupported: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'The model does not support this operation.',
  ),
  json_malformed: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'The body is not a JSON object, or nests too deeply.',
  ),
  field_missing: row(400, 'invalid_request_error', false, 'never', 'A required field is absent; `param` names it.'),
  field_invalid: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'A field has a value that is not allowed; `param` names it.',
  ),
  header_invalid: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'A header has a value that is not allowed; `param` names it.',
  ),
  loss_refused: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'Strict mode: the provider does not support a field of the request; `param` names it.',
  ),
  body_too_large: row(
    413,
    'invalid_request_error',
    false,
    'never',
    'The body has more bytes, values or keys than the limit.',
  ),
  body_timeout: row(408, 'invalid_request_error', true, 'never', 'The body did not arrive in time.'),
  content_type_unsupported: row(
    415,
    'invalid_request_error',
    false,
    'never',
    'The endpoint requires another content type.',
  ),
  upgrade_required: row(
    426,
    'invalid_request_error',
    false,
    'never',
    'The path is a WebSocket; send an upgrade request.',
  ),
  idempotency_in_progress: row(
    409,
    'invalid_request_error',
    true,
    'never',
    'A request with this Idempotency-Key is still running.',
  ),
  idempotency_key_reused: row(
    409,
    'invalid_request_error',
    false,
    'never',
    'This Idempotency-Key was used for another request, or its reply is no longer kept. Use a new key.',
  ),
  idempotency_outcome_unknown: row(
    409,
    'invalid_request_error',
    false,
    'possible',
    'Weir was killed during the first request with this Idempotency-Key, which may have been charged: see `weir usage`. Use a new key to retry.',
  ),
  rate_limited: row(
    429,
    'rate_limit_error',
    true,
    'never',
    'The token reached its limit of requests or tokens per minute. Retry after the time in `Retry-After`.',
  ),
  concurrency_limited: row(
    429,
    'rate_limit_error',
    true,
    'never',
    'The token reached its limit of concurrent requests. Wait for one to finish.',
  ),
  storage_limited: row(
    429,
    'rate_limit_error',
    true,
    'never',
    'A storage limit of the token or of the server was reached. Wait until some objects expire, or delete some.',
  ),
  budget_spent: row(402, 'insufficient_quota', false, 'never', 'The request could cost more than the budget has left.'),
  price_unknown: row(
    402,
    'insufficient_quota',
    false,
    'never',
    'The token has a budget, and the model has no price, or only another provider’s. Set one under `prices`.',
  ),
  context_unknown: row(
    402,
    'insufficient_quota',
    false,
    'never',
    'The token has a budget, the request has input of unknown size (a file, a conversation, a search), and the context length of the model is unknown. Set `context_tokens` under `prices`.',
  ),
  content_refused: row(
    400,
    'invalid_request_error',
    false,
    'possible',
    'The token or the model requires moderation, and it refused the request or the reply; the message names the categories. The moderation is charged, and a refused reply as well.',
  ),
  moderation_unavailable: row(
    503,
    'overloaded_error',
    false,
    'possible',
    'The token or the model requires moderation and no moderation model is available, so nothing was let through.',
  ),
  provider_unavailable: row(
    503,
    'overloaded_error',
    false,
    'never',
    'No provider for this model is available right now.',
  ),
  upstream_rate_limited: row(
    429,
    'rate_limit_error',
    true,
    'never',
    'All providers for this model are rate limited. Retry after the time in `Retry-After`.',
  ),
  upstream_refused: row(
    400,
    'invalid_request_error',
    false,
    'never',
    'The provider rejected the request; the message is the provider’s.',
  ),
  upstream_failed: row(
    502,
    'upstream_error',
    false,
    'possible',
    'The provider failed or disconnected, perhaps after it started to process the request.',
  ),
  upstream_timeout: row(504, 'upstream_error', false, 'possible', 'The provider did not answer in time.'),
  gateway_overloaded: row(
    503,
    'overloaded_error',
    true,
    'never',
    'Weir reached its limit of requests in flight or open files. Retry in a moment.',
  ),
  store_unavailable: row(
    503,
    'overloaded_error',
    true,
    'never',
    'Weir cannot reach its database, so nothing could be recorded and nothing was sent.',
  ),
  shutting_down: row(
    503,
    'overloaded_error',
    true,
    'never',
    'Weir is shutting down. Retry; another replica will answer.',
  ),
  client_left: row(
    499,
    'invalid_request_error',
    false,
    'possible',
    'The client closed the connection before the reply ended. Only usage rows and the log show it.',
  ),
  swept: row(
    500,
    'server_error',
    false,
    'possible',
    'The process that served the request died, and what the client received is unknown: it is charged by its last checkpoint or its estimate. Only usage rows show it.',
  ),
  internal_error: row(500, 'server_error', false, 'possible', 'Internal error. Search the log for the request ID.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
