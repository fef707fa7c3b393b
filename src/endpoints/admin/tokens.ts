/**
 * `/console/api/tokens` and `/console/api/playground-token`: tokens, all or the account's own, and the token of the
 * playground.
 */

import { tokenStates } from '../../access/token-table.ts';
import { tokenSorts } from '../../admin/contracts/account-contract.ts';
import type { TokenOrder } from '../../admin/tokens/sorted-tokens.ts';
import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { limitOf, oneOf, textOf } from './query.ts';

/** `name`, or `-name` for the other direction. */
function orderOf(query: URLSearchParams): TokenOrder | undefined {
  const sorts = tokenSorts.flatMap((sort) => [sort, `-${sort}`] as const);
  const given = oneOf(query, 'sort', sorts);
  const by = tokenSorts.find((sort) => given === sort || given === `-${sort}`);
  return by && { by, descending: given !== by };
}

export const tokenEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/tokens', ({ actor, query }, { admin }) =>
    admin.tokens.list(actor, {
      limit: limitOf(query),
      after: textOf(query, 'after'),
      ownerId: textOf(query, 'owner'),
      unitId: textOf(query, 'project') ?? textOf(query, 'team'),
      text: textOf(query, 'q'),
      state: oneOf(query, 'state', tokenStates),
      order: orderOf(query),
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
