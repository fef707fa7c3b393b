/** `/console/api/sign-in`: the issuers for the sign-in page, and for their administrators. */

import { type AdminEndpoint, open, signedIn } from '../admin/admin-route.ts';

export const issuerEndpoints: readonly AdminEndpoint[] = [
  open('GET /console/api/sign-in/issuers', async (_call, { admin }) => admin.issuers.options()),
  signedIn('GET /console/api/sign-in/settings', ({ exchange }, { admin, publicUrl }) =>
    admin.issuers.settings(publicUrl ?? exchange.origin()),
  ),
  signedIn('POST /console/api/sign-in/issuers/{name}/test', ({ actor, params }, { admin }) =>
    admin.issuers.test(actor, params['name'] ?? ''),
  ),
];
