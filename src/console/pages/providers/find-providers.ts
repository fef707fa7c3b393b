/** How providers are found: by their address, and by what is typed into the filter. */

import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';

/** What the address calls a provider: its name, and where the file has taken the console's name, the console's own beside it. */
export function addressOf({ name, origin, problem }: ConfiguredProviderView): string {
  return origin === 'console' && problem !== undefined ? `console:${name}` : name;
}

/** Every word that was written must be found somewhere. */
export function matchingProviders(
  providers: readonly ConfiguredProviderView[],
  text: string,
): readonly ConfiguredProviderView[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return providers;
  return providers.filter((provider) => {
    const said = [provider.name, provider.kind, provider.baseUrl, ...(provider.models ?? [])].join('\n').toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}
