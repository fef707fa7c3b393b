/** Who calls: tokens with the levels above them, and the end users below. */

import { type Authenticator, createAuthenticator } from '../access/authenticate.ts';
import { createEndUsers, type EndUsers } from '../access/levels/end-users.ts';
import { tokenTable } from '../admin/store-tables.ts';
import type { Digests } from '../secrets/digests.ts';
import type { Store } from '../store/store.ts';

interface Access {
  readonly authenticator: Authenticator;
  readonly endUsers: EndUsers;
}

/** `onChange` is called when a token or a level changed. */
export function buildAccess(store: Store, digests: Digests, onChange: () => void): Access {
  const { organization, tokens, endUsers } = store;
  const authenticator = createAuthenticator({
    tokens: tokenTable(store),
    digests,
    levels: { unit: organization.byId, person: organization.person, token: tokens.byId },
    nowMs: Date.now,
    onChange,
  });
  return { authenticator, endUsers: createEndUsers({ table: endUsers, wallMs: Date.now }) };
}
