/** `/console/api/end-users`: whom requests name, what limits them, and who is blocked. */

import { endUserBounds } from '../../../admin/contracts/end-user-contract.ts';
import { type AdminEndpoint, signedIn } from '../admin-route.ts';
import { limitOf, oneOf, textOf } from '../query.ts';

export const endUserEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/end-users', ({ actor, query }, { admin }) => {
    const blocked = oneOf(query, 'blocked', ['true', 'false']);
    return admin.endUsers.list(actor, {
      limit: limitOf(query, undefined, endUserBounds.pageMax),
      after: textOf(query, 'after'),
      text: textOf(query, 'q'),
      tokenId: textOf(query, 'token'),
      unitId: textOf(query, 'project') ?? textOf(query, 'team'),
      ...(blocked !== undefined && { blocked: blocked === 'true' }),
    });
  }),
  signedIn('GET /console/api/end-users/{id}', ({ actor, params }, { admin }) =>
    admin.endUsers.show(actor, params['id'] ?? ''),
  ),
  signedIn('PATCH /console/api/end-users/{id}', ({ actor, body, params }, { admin }) =>
    admin.endUsers.change(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/end-users/{id}', async ({ actor, params }, { admin }) => {
    await admin.endUsers.forget(actor, params['id'] ?? '');
    return undefined;
  }),
];
