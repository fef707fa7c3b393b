/** `/console/api/usage`: what was used and what it cost, in sums and in requests. */

import { usageGroupings } from '../../admin/contract.ts';
import type { UsageFilter } from '../../admin/usage.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { instantOf, limitOf, oneOf, textOf } from './query.ts';

function filterOf(query: URLSearchParams): UsageFilter {
  const [tokenId, ownerId] = [textOf(query, 'token'), textOf(query, 'owner')];
  const [model, provider] = [textOf(query, 'model'), textOf(query, 'provider')];
  const [fromMs, toMs] = [instantOf(query, 'from'), instantOf(query, 'to')];
  return {
    ...(tokenId !== undefined && { tokenId }),
    ...(ownerId !== undefined && { ownerId }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(fromMs !== undefined && { fromMs }),
    ...(toMs !== undefined && { toMs }),
  };
}

export const usageEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/usage/sums', async ({ actor, query }, { admin }) => {
    const grouping = oneOf(query, 'by', usageGroupings);
    if (grouping === undefined) {
      throw new GatewayError('field_missing', `by: must be one of ${usageGroupings.join(', ')}`, { param: 'by' });
    }
    return { items: await admin.usage.sums(actor, grouping, filterOf(query), limitOf(query)) };
  }),
  signedIn('GET /console/api/usage/requests', ({ actor, query }, { admin }) => {
    const code = textOf(query, 'code');
    const filter = { ...filterOf(query), ...(code !== undefined && { code }) };
    return admin.usage.requests(actor, { filter, limit: limitOf(query), after: textOf(query, 'after') });
  }),
  signedIn('GET /console/api/usage/requests/{id}', ({ actor, params }, { admin }) =>
    admin.usage.request(actor, params['id'] ?? ''),
  ),
];
