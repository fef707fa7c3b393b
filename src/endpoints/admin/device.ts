/** `/console/api/device` and `/console/api/programs`: a person answers a device code and ends signed-in programs. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const deviceEndpoints: readonly AdminEndpoint[] = [
  signedIn('POST /console/api/device', ({ actor, body }, { admin }) => admin.devices.request(actor, body)),
  signedIn('POST /console/api/device/answer', async ({ actor, body }, { admin }) => {
    await admin.devices.answer(actor, body);
    return undefined;
  }),
  signedIn('GET /console/api/programs', async ({ actor }, { admin }) => ({ items: await admin.devices.list(actor) })),
  signedIn('DELETE /console/api/programs/{id}', async ({ actor, params }, { admin }) => {
    await admin.devices.end(actor, params['id'] ?? '');
    return undefined;
  }),
];
