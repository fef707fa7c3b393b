/** Every route that an admin key may call, with its description: a route without one does not compile. */

import type { KeyRouteName, RouteDescription } from './route-description.ts';
import { alertRoutes } from './routes/alerts.ts';
import { endUserRoutes } from './routes/end-users.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { jwtRoutes } from './routes/jwt.ts';
import { modelRoutes } from './routes/models.ts';
import { organizationRoutes } from './routes/organization.ts';
import { peopleRoutes } from './routes/people.ts';
import { providerRoutes } from './routes/providers.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { usageRoutes } from './routes/usage.ts';

export const describedRoutes = {
  ...tokenRoutes,
  ...organizationRoutes,
  ...peopleRoutes,
  ...endUserRoutes,
  ...jwtRoutes,
  ...usageRoutes,
  ...providerRoutes,
  ...modelRoutes,
  ...gatewayRoutes,
  ...alertRoutes,
} satisfies Record<KeyRouteName, RouteDescription>;
