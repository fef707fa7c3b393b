/** `/console/api/audit`: who did what in the console. */

import { auditActions } from '../../admin/contracts/contract.ts';
import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { limitOf, oneOf, textOf } from './query.ts';

export const auditEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/audit', ({ query }, { admin }) =>
    admin.audit.list({
      accountId: textOf(query, 'account'),
      action: oneOf(query, 'action', auditActions),
      limit: limitOf(query),
      after: textOf(query, 'after'),
    }),
  ),
];
