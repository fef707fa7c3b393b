/** What a token may ask about itself, over the gateway's store. */

import type { Limiter } from '../access/limits.ts';
import { mintToken } from '../access/token-format.ts';
import { usageTable } from '../admin/store-tables.ts';
import { newTokenId } from '../admin/tokens/tokens.ts';
import { createOwnTokens, type OwnTokens } from '../own-token/own-tokens.ts';
import { createOwnUsage, type OwnUsage } from '../own-token/own-usage.ts';
import type { Digests } from '../secrets/digests.ts';
import { endpointNames } from '../snippets/endpoints.ts';
import type { Store } from '../store/store.ts';

interface OwnTokenServices {
  readonly ownTokens: OwnTokens;
  readonly ownUsage: OwnUsage;
}

export function ownTokenParts(store: Store, limiter: Limiter, digests: Digests, nowMs: () => number): OwnTokenServices {
  return {
    ownTokens: createOwnTokens({
      store,
      readBudget: store.budgets.read,
      limiter,
      digests,
      endpoints: endpointNames,
      mint: mintToken,
      newId: newTokenId,
      nowMs,
    }),
    ownUsage: createOwnUsage({ store, sum: usageTable(store).sum, nowMs }),
  };
}
