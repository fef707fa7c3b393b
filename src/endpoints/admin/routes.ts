/**
 * `/console/api/routes`, `/model`, `/explain` and `/export`: the routes of model names, explanations of a request's
 * route, and the configuration as a file.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { textOf } from './query.ts';

export const routeEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/routes', (_call, { configuration }) => ({ items: configuration.routes.list() })),
  signedIn('POST /console/api/routes', ({ actor, body }, { configuration }) => configuration.routes.put(actor, body)),
  signedIn('DELETE /console/api/routes', async ({ actor, query }, { configuration }) => {
    await configuration.routes.remove(actor, requiredText(query, 'alias'));
    return undefined;
  }),
  signedIn('GET /console/api/model', ({ actor, query }, { configuration }) =>
    configuration.modelDetail(actor, requiredText(query, 'id')),
  ),
  signedIn('POST /console/api/explain', ({ exchange, body }, { explain }) => explain(exchange, body)),
  signedIn('GET /console/api/export', (_call, { configuration }) => configuration.exported()),
];

/** Names contain slashes and stars, so they are not in the path. */
export function requiredText(query: URLSearchParams, name: string): string {
  const text = textOf(query, name);
  if (text === undefined) throw new GatewayError('field_missing', `${name}: is required`, { param: name });
  return text;
}
