/** `/console/api/settings`: every effective setting with where it came from; to read, not to change. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const settingEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/settings', (_call, { state }) => ({ items: state.settings() })),
];
