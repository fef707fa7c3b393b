/** `/console/api/models`, `/providers` and `/health`: what is served, by whom, and how that is doing. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const gatewayStateEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/models', (_call, { state }) => ({ items: state.models() })),
  signedIn('GET /console/api/providers', (_call, { state }) => ({ items: state.providers() })),
  signedIn('GET /console/api/health', (_call, { state }) => state.health()),
];
