/** JSON Web Tokens of configured issuers as credentials: what access needs of them, and which texts can be one. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { JwtFacts, TokenRecord } from './caller.ts';

/** What a verified JWT may do: as the token of its subject. */
interface JwtGrant {
  readonly record: TokenRecord;
  readonly jwt: JwtFacts;
}

export interface JwtSource {
  /** Under which a JWT is kept in memory. */
  digestOf(credential: string): string;
  /** Verifies it unless that was done before. Rejects with a GatewayError that says what is wrong with it. */
  grantOf(credential: string, digest: string): Promise<JwtGrant>;
  isRevoked(jwt: JwtFacts): Promise<boolean>;
}

/** A JSON object in base64url begins with these letters. */
const opening = 'eyJ';

/** Three parts, of which the first is a JSON object. */
export function looksLikeJwt(credential: string): boolean {
  if (!credential.startsWith(opening)) return false;
  const first = credential.indexOf('.');
  const second = credential.indexOf('.', first + 1);
  return first !== -1 && second !== -1 && !credential.includes('.', second + 1);
}

const prefix = 'tok_jwt_';

/** One for each subject of an issuer, so that its budgets and its usage are the same whatever JWT it sends. */
export function jwtTokenId(issuer: string, subject: string): string {
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify([issuer, subject])).digest('hex');
  return prefix + digest.slice(0, 32);
}

export const isJwtToken = (tokenId: string): boolean => tokenId.startsWith(prefix);

export const jwtExpired = (tokenId?: string): GatewayError =>
  new GatewayError('token_expired', 'The JWT has expired. Send a new one.', tokenId === undefined ? {} : { tokenId });

export const jwtRevoked = (tokenId: string): GatewayError =>
  new GatewayError('token_disabled', 'The JWT was revoked. Send another one.', { tokenId });
