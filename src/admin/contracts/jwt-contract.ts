/** What is sent and answered about revoked JSON Web Tokens. */

import { z } from 'zod';

const value = z.string('must be text').min(1, 'must not be empty').max(255, 'must have at most 255 characters');
export const newJwtRevocationSchema = z
  .strictObject({ issuer: z.string('must be text'), jti: value.optional(), subject: value.optional() })
  .refine(({ jti, subject }) => (jti === undefined) !== (subject === undefined), {
    error: 'give either jti or subject',
    path: ['jti'],
  });

export interface JwtRevocationsView {
  /** Those that did not expire yet, newest first. A revoked subject is a disabled token and is not among them. */
  readonly items: readonly JwtRevocationView[];
}

export interface JwtRevocationView {
  readonly issuer: string;
  readonly jti: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface JwtRevokedView {
  readonly issuer: string;
  readonly jti?: string;
  readonly subject?: string;
  /** The token of the subject, which is disabled. */
  readonly tokenId?: string;
}
