/** `/console/api/models` and `/health`: the served models, and the health of their targets. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const gatewayStateEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/models', async ({ actor }, { state }) => ({
    items: await state.models(actor),
  })),
  signedIn('GET /console/api/health', (_call, { state }) => state.health()),
];
