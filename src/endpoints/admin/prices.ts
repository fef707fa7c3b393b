/**
 * `/console/api/prices`: the operator's own prices, which override the tables'; `/console/api/price-tables`: the
 * tables' age and pending changes.
 */

import { type AdminEndpoint, signedIn } from './admin-route.ts';
import { requiredText } from './routes.ts';

export const priceEndpoints: readonly AdminEndpoint[] = [
  signedIn('GET /console/api/prices', (_call, { configuration }) => ({ items: configuration.prices.list() })),
  signedIn('POST /console/api/prices', ({ actor, body }, { configuration }) => configuration.prices.put(actor, body)),
  signedIn('DELETE /console/api/prices', async ({ actor, query }, { configuration }) => {
    await configuration.prices.remove(actor, requiredText(query, 'pattern'));
    return undefined;
  }),
  signedIn('GET /console/api/price-tables', (_call, { configuration }) => configuration.priceTables.view()),
  signedIn('POST /console/api/price-tables/confirm', ({ actor, body }, { configuration }) =>
    configuration.priceTables.confirm(actor, body),
  ),
];
