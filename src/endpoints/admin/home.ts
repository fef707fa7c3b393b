/** `/console/api/home`: the text of the page at `/`, and whether it is served. */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const homeEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/home', (_call, { admin }) => admin.settings.home()),
  signedIn('PATCH /console/api/home', ({ actor, body }, { admin }) => admin.settings.changeHome(actor, body)),
];
