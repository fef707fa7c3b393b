/** `/console/api/usage/requests/{id}/content`: what was said in a request, where that is stored. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const contentEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/usage/requests/{id}/content', ({ actor, params }, { admin }) =>
    admin.contents.show(actor, params['id'] ?? ''),
  ),
];
