/** `/console/api/jwt/revocations`: JSON Web Tokens that must not be accepted although they did not expire. */

import { type AdminEndpoint, signedIn } from '../admin/admin-route.ts';

export const jwtEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/jwt/revocations', (_call, { admin }) => admin.jwtRevocations.list()),
  signedIn('POST /console/api/jwt/revocations', ({ actor, body }, { admin }) =>
    admin.jwtRevocations.revoke(actor, body),
  ),
];
