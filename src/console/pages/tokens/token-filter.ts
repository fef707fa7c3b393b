/** Which of the listed tokens are looked for: by a few letters of what is known of them, and by their state. */

import type { OwnedTokenView } from '../../../admin/account-contract.ts';

export const tokenStates = ['active', 'expired', 'revoked'] as const satisfies readonly OwnedTokenView['state'][];

export function filterTokens(
  tokens: readonly OwnedTokenView[],
  { text, state }: { readonly text: string | undefined; readonly state: string | undefined },
): readonly OwnedTokenView[] {
  const wanted = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return tokens.filter((token) => {
    if (state !== undefined && token.state !== state) return false;
    const known = [token.name, token.hint, token.id, token.ownerName ?? '', ...(token.labels ?? [])]
      .join(' ')
      .toLowerCase();
    return wanted.every((word) => known.includes(word));
  });
}
