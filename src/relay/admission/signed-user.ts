/** The user whom Open WebUI names in a signed header (JWT, HS256). open_webui/utils/headers.py of release 0.12.4 (read 2026-11-20). */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject } from '../../conversation/json-tree.ts';

export const signedUserHeader = 'x-openwebui-user-jwt';
const issuer = 'open-webui';
/** A token is longer than this only if it is none. */
const tokenCharactersMax = 4_096;
/** Of the two machines' clocks. */
const leewaySeconds = 60;

/** The user's id. Throws where the token is not of this secret, or not of this time. */
export function signedUser(token: string, secret: string, nowMs: number): string {
  const claims = token.length > tokenCharactersMax ? undefined : claimsOf(token, secret);
  if (claims === undefined) throw invalid('is not signed with the secret of `usage.end_user_jwt_secret`');
  const { iss, sub, exp } = claims;
  if (iss !== issuer || typeof sub !== 'string' || sub === '') throw invalid('names no user of Open WebUI');
  if (typeof exp !== 'number' || exp + leewaySeconds < nowMs / 1_000) throw invalid('has expired');
  return sub;
}

function claimsOf(token: string, secret: string): Record<string, unknown> | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  const expected = createHmac('sha256', secret).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // What else a header may say of the signature was not asked: only this one was computed.
  return jsonOf(head)?.['alg'] === 'HS256' ? jsonOf(body) : undefined;
}

function jsonOf(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function invalid(why: string): GatewayError {
  return new GatewayError('header_invalid', `The header ${signedUserHeader} ${why}.`, { param: signedUserHeader });
}
