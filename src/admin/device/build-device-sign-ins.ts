/** Assembles the sign-ins of programs over one store. */

import { networkOf } from '../../access/address.ts';
import { mintToken } from '../../access/token-format.ts';
import type { TokenTable } from '../../access/token-table.ts';
import { createDigests } from '../../secrets/digests.ts';
import type { PurposeKeys } from '../../secrets/key-ring.ts';
import { type Purpose, purposes } from '../../secrets/purposes.ts';
import type { Config } from '../../settings/config.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../accounts/audit.ts';
import { budgetState } from '../store-tables.ts';
import { createTokenSpends } from '../tokens/token-spend.ts';
import { createSignInTokens } from './sign-in-tokens.ts';
import { createDeviceSignIns, type DeviceSignIns } from './signed-in-programs.ts';
import { createSpendOf } from './spend.ts';

interface DeviceParts {
  readonly store: Store;
  /** Its values may change while Weir runs. */
  readonly config: Pick<Config, 'tokens' | 'signIn'>;
  readonly audit: Audit;
  readonly table: TokenTable;
  readonly keysFor: (purpose: Purpose) => PurposeKeys;
  readonly nowMs: () => number;
}

export function buildDeviceSignIns({ store, config, audit, table, keysFor, nowMs }: DeviceParts): DeviceSignIns {
  return createDeviceSignIns({
    signIns: store.deviceSignIns,
    organization: store.organization,
    tries: store.signInTries,
    accountOf: (id) => store.accounts.byId(id),
    digests: createDigests(keysFor(purposes.deviceDigests)),
    tokens: createSignInTokens({
      tokens: table,
      digests: createDigests(keysFor(purposes.tokenDigests)),
      mint: mintToken,
      defaults: config.tokens,
      lifetimeMs: () => config.signIn.accessLifetimeMs,
      nowMs,
    }),
    spendOf: createSpendOf({
      tokens: table,
      spends: createTokenSpends(store.analytics, nowMs),
      budgetState: (record, atMs) => budgetState(store, record, atMs),
      nowMs,
    }),
    clients: () => config.signIn.clients,
    managedSettings: () => config.signIn.managedSettings,
    idleDays: () => config.signIn.idleDays,
    networkOf,
    audit,
    nowMs,
  });
}
