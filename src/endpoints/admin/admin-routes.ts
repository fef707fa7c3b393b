/** Every route of the admin API. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { Route } from '../../http/route-table.ts';
import { errorReply } from '../error-reply.ts';
import { issuerEndpoints } from '../sign-in/issuer-endpoints.ts';
import { jwtEndpoints } from '../sign-in/jwt-endpoints.ts';
import { accountEndpoints } from './accounts.ts';
import type { AdminEndpoint, AdminParts } from './admin-route.ts';
import { alertEndpoints } from './alerts/alert-routes.ts';
import { auditEndpoints } from './audit.ts';
import { contentEndpoints } from './content.ts';
import { deviceEndpoints } from './device.ts';
import { gatewayStateEndpoints } from './gateway-state.ts';
import { homeEndpoints } from './home.ts';
import { adminKeyEndpoints } from './keys/admin-keys.ts';
import { organizationEndpoints } from './organization.ts';
import { endUserEndpoints } from './people/end-users.ts';
import { factorEndpoints } from './people/factors.ts';
import { invitationEndpoints } from './people/invitations.ts';
import { priceEndpoints } from './prices.ts';
import { providerEndpoints } from './providers.ts';
import { routeEndpoints } from './routes.ts';
import { sessionEndpoints } from './session.ts';
import { settingEndpoints } from './settings.ts';
import { taskEndpoints } from './tasks.ts';
import { tokenEndpoints } from './tokens.ts';
import { usageEndpoints } from './usage.ts';

const endpoints: readonly AdminEndpoint[] = [
  ...sessionEndpoints,
  ...issuerEndpoints,
  ...jwtEndpoints,
  ...deviceEndpoints,
  ...accountEndpoints,
  ...factorEndpoints,
  ...invitationEndpoints,
  ...tokenEndpoints,
  ...usageEndpoints,
  ...gatewayStateEndpoints,
  ...auditEndpoints,
  ...settingEndpoints,
  ...homeEndpoints,
  ...contentEndpoints,
  ...taskEndpoints,
  ...providerEndpoints,
  ...routeEndpoints,
  ...priceEndpoints,
  ...organizationEndpoints,
  ...endUserEndpoints,
  ...alertEndpoints,
  ...adminKeyEndpoints,
];

export function adminRoutes(parts: AdminParts): readonly Route[] {
  return [...endpoints.map((endpoint) => endpoint.forSessions(parts)), ...unknownRoutes(parts)];
}

/** The same handlers for admin keys. */
export function adminKeyRoutes(parts: AdminParts): readonly Route[] {
  return endpoints.flatMap((endpoint) => endpoint.forKeys?.(parts) ?? []);
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const unknownPaths: readonly string[] = ['/console/api', '/console/api/{path...}'];

/** An unknown path gets an error: otherwise the console's page, which matches every path, would answer it. */
function unknownRoutes({ report }: AdminParts): readonly Route[] {
  const handle: Route['handle'] = ({ path }) => {
    throw new GatewayError('path_not_found', `Path ${path.slice(0, 200)} not found.`);
  };
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, report);
  return unknownPaths.flatMap((path) =>
    methods.map((method) => ({ method, path, ownPagesOnly: true, handle, writeError })),
  );
}
