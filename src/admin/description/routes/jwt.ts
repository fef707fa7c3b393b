/** The routes of revoked JSON Web Tokens, for the description. */

import { z } from 'zod';
import { type JwtRevocationView, type JwtRevokedView, newJwtRevocationSchema } from '../../contracts/jwt-contract.ts';
import { json, type KeyRouteName, type RouteDescription } from '../route-description.ts';
import { body, listOf, reply, time } from '../schema-names.ts';

const revocation = reply<JwtRevocationView>()(
  'JwtRevocation',
  z.strictObject({
    issuer: z.string().describe('Its name in `jwt.issuers`.'),
    jti: z.string(),
    createdAt: time,
    expiresAt: time.describe('From then on the JWT has expired by itself.'),
  }),
);

const revoked = reply<JwtRevokedView>()(
  'JwtRevoked',
  z.strictObject({
    issuer: z.string(),
    jti: z.string().exactOptional(),
    subject: z.string().exactOptional(),
    tokenId: z.string().exactOptional().describe('The token of the subject, which is disabled.'),
  }),
);

const newRevocation = body('NewJwtRevocation', newJwtRevocationSchema, {
  issuer: 'Its name in `jwt.issuers`, or its URL.',
  jti: 'One JWT. Give this or `subject`.',
  subject: 'All JWTs of this subject, also later ones, until its token is enabled again.',
});

export const jwtRoutes = {
  'GET /console/api/jwt/revocations': {
    call: 'jwt.revocations',
    summary: 'List the revoked JWTs that have not expired yet, newest first, at most 500.',
    description: 'A revoked subject is a disabled token and is not in this list.',
    reply: json(listOf('JwtRevocation', revocation), {
      items: [
        {
          issuer: 'ci',
          jti: '6f1d3c52-0b1e-4a6e-9c55-0d8f2a4b7e11',
          createdAt: '2026-11-17T10:00:00.000Z',
          expiresAt: '2026-11-17T12:00:00.000Z',
        },
      ],
    }),
  },
  'POST /console/api/jwt/revocations': {
    call: 'jwt.revoke',
    summary: 'Revoke one JWT by its id, or all JWTs of a subject.',
    body: json(newRevocation, { issuer: 'ci', subject: 'repo:example/weir:ref:refs/heads/main' }),
    reply: json(revoked, {
      issuer: 'ci',
      subject: 'repo:example/weir:ref:refs/heads/main',
      tokenId: 'tok_jwt_5d1e9a7c',
    }),
  },
} satisfies Partial<Record<KeyRouteName, RouteDescription>>;
