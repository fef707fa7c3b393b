/**
 * `/console/api/providers` and `/presets`: the providers, added from a list of presets and tested before they are
 * saved.
 */

import { type AdminEndpoint, signedIn } from './admin-route.ts';

const nameOf = (params: Readonly<Record<string, string>>): string => params['name'] ?? '';

export const providerEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/presets', (_call, { configuration }) => ({ items: configuration.providers.presets() })),
  signedIn('GET /console/api/providers', async (_call, { configuration }) => ({
    items: await configuration.providers.list(),
  })),
  signedIn('POST /console/api/providers', ({ actor, body }, { configuration }) =>
    configuration.providers.create(actor, body),
  ),
  signedIn('POST /console/api/providers/trial', ({ actor, body }, { configuration }) =>
    configuration.providers.tryDraft(actor, body),
  ),
  signedIn('PATCH /console/api/providers/{name}', ({ actor, body, params }, { configuration }) =>
    configuration.providers.change(actor, nameOf(params), body),
  ),
  signedIn('DELETE /console/api/providers/{name}', async ({ actor, params }, { configuration }) => {
    await configuration.providers.remove(actor, nameOf(params));
    return undefined;
  }),
  signedIn('POST /console/api/providers/{name}/trial', ({ actor, params }, { configuration }) =>
    configuration.providers.tryExisting(actor, nameOf(params)),
  ),
  signedIn('POST /console/api/providers/{name}/pause', ({ actor, body, params }, { configuration }) =>
    configuration.providers.pause(actor, nameOf(params), body),
  ),
];
