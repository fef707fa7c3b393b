/** `/console/api/usage/requests/{id}/content`: the texts of a request and its reply, if they are stored. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const contentEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/usage/requests/{id}/content', ({ actor, params }, { admin }) =>
    admin.contents.show(actor, params['id'] ?? ''),
  ),
];
