/** `/console/api/home`: what stands on the page at `/`, and whether there is one. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const homeEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/home', (_call, { admin }) => admin.settings.home()),
  signedIn('PATCH /console/api/home', ({ actor, body }, { admin }) => admin.settings.changeHome(actor, body)),
];
