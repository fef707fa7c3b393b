/** A sign-in through an issuer that is refused: a code that the sign-in page explains, and details for the audit log. */

import type { SignInRefusalCode } from '../contracts/sign-in-contract.ts';

export class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal';
  readonly code: SignInRefusalCode;

  /** `detail` is for the audit log and the log: never a token, a code or a secret. */
  constructor(code: SignInRefusalCode, detail = '', cause?: unknown) {
    super(detail === '' ? code : detail, { cause });
    this.code = code;
  }
}

/** Claims whose comparison failed, as the libraries name them. */
const byClaim: Readonly<Record<string, SignInRefusalCode>> = {
  nonce: 'token_nonce',
  aud: 'token_audience',
  azp: 'token_audience',
  iss: 'token_issuer',
  exp: 'token_expired',
  iat: 'token_time',
  nbf: 'token_time',
};

/** Errors by their code, for those that say all by it. */
const byCode: Readonly<Record<string, SignInRefusalCode>> = {
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: 'provider_refused',
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: 'client_refused',
  OAUTH_RESPONSE_IS_NOT_JSON: 'provider_invalid',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'provider_invalid',
  OAUTH_PARSE_ERROR: 'provider_invalid',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'provider_invalid',
  OAUTH_MISSING_SERVER_METADATA: 'provider_invalid',
  OAUTH_INVALID_SERVER_METADATA: 'provider_invalid',
  OAUTH_HTTP_REQUEST_FORBIDDEN: 'provider_invalid',
  OAUTH_REQUEST_PROTOCOL_FORBIDDEN: 'provider_invalid',
  OAUTH_UNSUPPORTED_OPERATION: 'token_invalid',
  ERR_JWT_EXPIRED: 'token_expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'token_algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'token_algorithm',
  ERR_JWKS_NO_MATCHING_KEY: 'token_key',
  ERR_JWKS_INVALID: 'provider_invalid',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'token_signature',
  ERR_JWS_INVALID: 'token_invalid',
  ERR_JWT_INVALID: 'token_invalid',
};

const tokenErrors: Readonly<Record<string, SignInRefusalCode>> = {
  invalid_grant: 'code_refused',
  invalid_client: 'client_refused',
  unauthorized_client: 'client_refused',
};

/** The refusal that an error of the libraries means. */
export function refusalOf(error: unknown): SignInRefusal {
  if (error instanceof SignInRefusal) return error;
  if (!(error instanceof Error)) return new SignInRefusal('failed');
  const code = textAt(error, 'code') ?? '';
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') {
    const answer = textAt(error, 'error') ?? '';
    return new SignInRefusal(tokenErrors[answer] ?? 'provider_refused', printable(answer), error);
  }
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    const answer = textAt(error, 'error') ?? '';
    return new SignInRefusal(
      answer === 'access_denied' ? 'access_denied' : 'provider_refused',
      printable(answer),
      error,
    );
  }
  const claim = claimOf(error);
  const known = (claim === undefined ? undefined : byClaim[claim]) ?? byCode[code];
  if (known !== undefined) return new SignInRefusal(known, printable(error.message), error);
  if (code.startsWith('OAUTH_') || code.startsWith('ERR_J')) {
    return new SignInRefusal('token_invalid', printable(error.message), error);
  }
  return new SignInRefusal('failed', '', error);
}

function claimOf(error: Error): string | undefined {
  const own = textAt(error, 'claim');
  if (own !== undefined) return own;
  const { cause } = error;
  const named = typeof cause === 'object' && cause !== null ? textAt(cause, 'claim') : undefined;
  return named ?? /JWT "(\w+)" .*claim missing/.exec(error.message)?.[1] ?? issuerParameter.exec(error.message)?.[1];
}

const issuerParameter = /"(iss)" \(issuer\)/;

function textAt(value: object, name: string): string | undefined {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** A text of the issuer as a log may show it. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200);
