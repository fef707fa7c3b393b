/**
 * `/console/api/tokens` and `/console/api/playground-token`: tokens, all or the account's own, and the token of the
 * playground.
 */

import { tokenStates } from '../../access/token-table.ts';
import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { limitOf, oneOf, textOf } from './query.ts';

export const tokenEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/tokens', ({ actor, query }, { admin }) =>
    admin.tokens.list(actor, {
      limit: limitOf(query),
      after: textOf(query, 'after'),
      ownerId: textOf(query, 'owner'),
      text: textOf(query, 'q'),
      state: oneOf(query, 'state', tokenStates),
    }),
  ),
  signedIn('POST /console/api/tokens', ({ actor, body }, { admin }) => admin.tokens.create(actor, body)),
  signedIn('GET /console/api/tokens/{id}', ({ actor, params }, { admin }) =>
    admin.tokens.show(actor, params['id'] ?? ''),
  ),
  signedIn('PATCH /console/api/tokens/{id}', ({ actor, body, params }, { admin }) =>
    admin.tokens.change(actor, params['id'] ?? '', body),
  ),
  signedIn('POST /console/api/tokens/{id}/rotate', ({ actor, body, params }, { admin }) =>
    admin.tokens.rotate(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/tokens/{id}', ({ actor, params }, { admin }) =>
    admin.tokens.revoke(actor, params['id'] ?? ''),
  ),
  signedIn('POST /console/api/playground-token', ({ actor }, { admin }) => admin.tokens.playground(actor)),
];
