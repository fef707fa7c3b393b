/** What the gateway and the CLI commands build over one store, so that both issue and read tokens the same. */

import { mintToken } from '../access/token-format.ts';
import { budgetState, tokenTable } from '../admin/store-tables.ts';
import { createTokenAdmin, newTokenId, type TokenAdmin } from '../admin/tokens/tokens.ts';
import type { Digests } from '../secrets/digests.ts';
import type { Config } from '../settings/config.ts';
import { endpointNames } from '../snippets/endpoints.ts';
import type { SecretSources } from '../store/secret-keys/secret-key.ts';
import type { Store } from '../store/store.ts';

/** The same objects that the gateway itself uses for tokens. */
export function tokenAdminOf(store: Store, config: Config, digests: Digests, nowMs: () => number): TokenAdmin {
  return createTokenAdmin({
    tokens: tokenTable(store),
    mint: mintToken,
    digests,
    nowMs,
    newId: newTokenId,
    defaults: config.tokens,
    endpoints: endpointNames,
    budgetState: (record, atMs) => budgetState(store, record, atMs),
  });
}

export function secretSources({ server, secretKey, secretKeyOld }: Config): SecretSources {
  return { dataFolder: server.dataFolder, fromConfig: secretKey, olderFromConfig: secretKeyOld };
}
