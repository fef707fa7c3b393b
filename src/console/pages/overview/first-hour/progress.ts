/** Which steps of the first hour are done, judged by what the admin interface says. */

import type { ModelView, OwnedTokenView } from '../../../../admin/contracts/account-contract.ts';
import type { ConfiguredProviderView } from '../../../../admin/contracts/configuration-contract.ts';

export interface Progress {
  readonly isCopied: boolean;
  /** Names of those that serve, without the built-in one; for an account that may not list them, those that its models name. */
  readonly providers: readonly string[];
  readonly hasToken: boolean;
  readonly requestId: string | undefined;
}

const builtIn = 'sandbox';
/** Made for the playground by itself, and useless to clients. */
const playgroundPrefix = 'tok_playground_';

export function servingNames(
  providers: readonly Pick<ConfiguredProviderView, 'name' | 'origin' | 'state'>[] | undefined,
  models: readonly Pick<ModelView, 'providers'>[],
): readonly string[] {
  if (providers !== undefined) {
    return providers
      .filter(({ origin, state }) => origin !== 'built-in' && state === 'serving')
      .map(({ name }) => name);
  }
  return [...new Set(models.flatMap((model) => model.providers))].filter((name) => name !== builtIn);
}

/** The one that the first start printed is nobody's, and counts once it was used. */
export function hasOwnToken(
  tokens: readonly Pick<OwnedTokenView, 'id' | 'ownerName' | 'lastUsedAt' | 'state'>[],
): boolean {
  return tokens.some(
    ({ id, ownerName, lastUsedAt, state }) =>
      state === 'active' && !id.startsWith(playgroundPrefix) && (ownerName !== undefined || lastUsedAt !== undefined),
  );
}

export function isComplete({ isCopied, providers, hasToken, requestId }: Progress): boolean {
  return isCopied && providers.length > 0 && hasToken && requestId !== undefined;
}
