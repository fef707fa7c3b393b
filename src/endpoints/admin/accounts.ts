/** `/console/api/accounts`: the console's accounts, for their administrators. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const accountEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/accounts', async (_call, { admin }) => ({ items: await admin.accounts.list() })),
  signedIn('POST /console/api/accounts', ({ actor, body }, { admin }) => admin.accounts.create(actor, body)),
  signedIn('PATCH /console/api/accounts/{id}', ({ actor, body, params }, { admin }) =>
    admin.accounts.change(actor, params['id'] ?? '', body),
  ),
  signedIn('POST /console/api/accounts/{id}/password', ({ actor, body, params }, { admin }) =>
    admin.accounts.resetPassword(actor, params['id'] ?? '', body),
  ),
  signedIn('GET /console/api/accounts/{id}/sessions', async ({ actor, params }, { admin }) => ({
    items: await admin.accounts.sessionsOf(actor, params['id'] ?? ''),
  })),
  signedIn('DELETE /console/api/accounts/{id}/sessions', async ({ actor, params }, { admin }) => ({
    sessionsRevoked: await admin.accounts.revokeSessions(actor, params['id'] ?? ''),
  })),
];
