/** `/console/api/alerts`, `/console/api/alert-channels` and `/console/api/alert-rules`. */

import { alertKinds, alertStates } from '../../../store/alerts/alert-records.ts';
import { type AdminEndpoint, signedIn } from '../admin-route.ts';
import { limitOf, oneOf, textOf } from '../query.ts';

const alertsPerPageMax = 200;

export const alertEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/alerts', ({ query }, { alerts }) =>
    alerts.rules.history({
      kind: oneOf(query, 'kind', alertKinds),
      state: oneOf(query, 'state', alertStates),
      limit: limitOf(query, 50, alertsPerPageMax),
      after: textOf(query, 'after'),
    }),
  ),
  signedIn('GET /console/api/alert-channels', async (_call, { alerts }) => ({ items: await alerts.channels.list() })),
  signedIn('POST /console/api/alert-channels', ({ actor, body }, { alerts }) => alerts.channels.create(actor, body)),
  signedIn('PATCH /console/api/alert-channels/{id}', ({ actor, body, params }, { alerts }) =>
    alerts.channels.change(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/alert-channels/{id}', async ({ actor, params }, { alerts }) => {
    await alerts.channels.remove(actor, params['id'] ?? '');
    return undefined;
  }),
  signedIn('POST /console/api/alert-channels/{id}/test', ({ actor, params }, { alerts }) =>
    alerts.channels.test(actor, params['id'] ?? ''),
  ),
  signedIn('GET /console/api/alert-rules', async (_call, { alerts }) => ({ items: await alerts.rules.list() })),
  signedIn('POST /console/api/alert-rules', ({ actor, body }, { alerts }) => alerts.rules.create(actor, body)),
  signedIn('PATCH /console/api/alert-rules/{id}', ({ actor, body, params }, { alerts }) =>
    alerts.rules.change(actor, params['id'] ?? '', body),
  ),
  signedIn('DELETE /console/api/alert-rules/{id}', async ({ actor, params }, { alerts }) => {
    await alerts.rules.remove(actor, params['id'] ?? '');
    return undefined;
  }),
];
