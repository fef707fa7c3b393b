/** `/console/api/admin-keys`: keys for the admin API. Only people make them, never another key. */

import { type AdminEndpoint, signedIn } from '../admin-route.ts';
import { limitOf, textOf } from '../query.ts';

export const adminKeyEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/admin-keys', ({ actor, query }, { admin }) =>
    admin.keys.list(actor, { limit: limitOf(query), after: textOf(query, 'after') }),
  ),
  signedIn('POST /console/api/admin-keys', ({ actor, body }, { admin }) => admin.keys.create(actor, body)),
  signedIn('PATCH /console/api/admin-keys/{id}', ({ actor, body, params }, { admin }) =>
    admin.keys.change(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/admin-keys/{id}', ({ actor, params }, { admin }) =>
    admin.keys.revoke(actor, params['id'] ?? ''),
  ),
];
