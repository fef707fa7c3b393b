/** `/console/api/models` and `/health`: the served models, and the health of their targets. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const gatewayStateEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/models', (_call, { state }) => ({ items: state.models() })),
  signedIn('GET /console/api/health', (_call, { state }) => state.health()),
];
