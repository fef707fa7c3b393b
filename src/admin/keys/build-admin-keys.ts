/** Assembles admin keys over one store. */

import { mintAdminKey } from '../../access/token-format.ts';
import { createDigests } from '../../secrets/digests.ts';
import type { PurposeKeys } from '../../secrets/key-ring.ts';
import { type Purpose, purposes } from '../../secrets/purposes.ts';
import { createSealing } from '../../secrets/sealing.ts';
import type { Config } from '../../settings/config.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { TeamAccess } from '../organization/team-access.ts';
import { type AdminKeys, createAdminKeys } from './admin-keys.ts';
import { createIdempotentWrites, type IdempotentWrites } from './idempotent-writes.ts';
import { createKeyCallers, type KeyCallers } from './key-callers.ts';

interface AdminKeyOptions {
  readonly store: Pick<Store, 'adminKeys' | 'idempotentWrites' | 'accounts' | 'organization'>;
  /** Its values may change while Weir runs. */
  readonly config: Pick<Config, 'adminKeys'>;
  readonly access: TeamAccess;
  readonly audit: Audit;
  readonly keysFor: (purpose: Purpose) => PurposeKeys;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly nowMs: () => number;
}

/** Everything about admin keys: what people do with them, and what programs do. */
export interface AdminKeyParts extends AdminKeys, Pick<KeyCallers, 'callerOf'>, Pick<IdempotentWrites, 'once'> {
  /** Removes old replies. */
  tidy(): Promise<void>;
}

export function buildAdminKeys(options: AdminKeyOptions): AdminKeyParts {
  const { store, config, keysFor, nowMs } = options;
  const { organization } = store;
  const digests = createDigests(keysFor(purposes.adminKeyDigests));
  const accountOf = store.accounts.byId;
  const shared = { table: store.adminKeys, digests, nowMs };
  const callers = createKeyCallers({
    ...shared,
    rights: { accountOf, organization },
    rpm: () => config.adminKeys.rpm,
  });
  const writes = createIdempotentWrites({
    table: store.idempotentWrites,
    sealing: createSealing(keysFor(purposes.idempotentWrites)),
    ...{ warn: options.warn, nowMs },
  });
  const { access, audit } = options;
  return {
    ...createAdminKeys({ ...shared, access, organization, accountOf, mint: mintAdminKey, audit }),
    callerOf: callers.callerOf,
    once: writes.once,
    async tidy() {
      callers.tidy();
      await writes.tidy();
    },
  };
}
