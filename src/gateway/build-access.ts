/** Who calls: tokens with the levels above them, and the end users below. */

import { type Authenticator, createAuthenticator } from '../access/authenticate.ts';
import { createEndUsers, type EndUsers } from '../access/levels/end-users.ts';
import { createAudit } from '../admin/accounts/audit.ts';
import { createJwts } from '../admin/jwt/build-jwts.ts';
import { tokenTable } from '../admin/store-tables.ts';
import type { Digests } from '../secrets/digests.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';

interface Access {
  readonly authenticator: Authenticator;
  readonly endUsers: EndUsers;
}

interface AccessParts {
  readonly config: Pick<Config, 'jwt'>;
  readonly store: Store;
  readonly digests: Digests;
  readonly egressRoutes: EgressRoutes;
  readonly warn: (message: string, details?: Readonly<Record<string, unknown>>) => void;
  wallMs(): number;
}

/** `onChange` is called when a token or a level changed. */
export function buildAccess(parts: AccessParts, onChange: () => void): Access {
  const { config, store, digests, egressRoutes, warn } = parts;
  const { organization, tokens, endUsers } = store;
  const { wallMs: nowMs } = parts;
  const jwts = createJwts({
    issuers: config.jwt.issuers,
    store,
    audit: createAudit({ table: store.audit, nowMs }),
    // What an issuer's metadata names must not lead to the addresses that hand out a machine's credentials.
    transport: egressRoutes.of({ guarded: true }).transport,
    ...{ nowMs, warn },
  });
  const authenticator = createAuthenticator({
    tokens: tokenTable(store),
    digests,
    levels: { unit: organization.byId, person: organization.person, token: tokens.byId },
    ...{ jwts, nowMs, onChange },
  });
  return { authenticator, endUsers: createEndUsers({ table: endUsers, wallMs: nowMs }) };
}
