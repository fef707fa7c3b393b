/**
 * `/console/api/settings`: every setting with its value, its origin and its allowed values; those that take effect at
 * once can be changed.
 */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

export const settingEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/settings', (_call, { admin }) => ({ items: admin.settings.list() })),
  signedIn('PATCH /console/api/settings', async ({ actor, body }, { admin }) => ({
    items: await admin.settings.change(actor, body),
  })),
];
