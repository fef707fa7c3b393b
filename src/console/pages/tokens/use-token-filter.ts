/** What the list of tokens is narrowed to, as the address says it; the server does the looking. */

import type { OwnedTokenView } from '../../../admin/contracts/account-contract.ts';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';

export const tokenStates = [
  'active',
  'disabled',
  'expired',
  'revoked',
] as const satisfies readonly OwnedTokenView['state'][];

type Change = Readonly<Record<string, string | undefined>>;

interface TokenFilter {
  readonly text: string | undefined;
  readonly state: OwnedTokenView['state'] | undefined;
  /** An account, or `me`. */
  readonly owner: string | undefined;
  /** A team or project. */
  readonly team: string | undefined;
  change(change: Change, how?: { readonly replace: boolean }): void;
  clear(): void;
}

export function useTokenFilter(): TokenFilter {
  const navigation = useNavigation();
  const [text] = useQueryWord('q');
  const [state] = useQueryWord('state');
  const [owner] = useQueryWord('owner');
  const [team] = useQueryWord('team');
  // A place among other tokens is none among these: what is narrowed begins with the newest.
  const change = (words: Change, how?: { readonly replace: boolean }) =>
    navigation.go(withQuery(navigation.address(), { ...words, after: undefined }), how);
  return {
    text: text?.trim() === '' ? undefined : text,
    state: tokenStates.find((known) => known === state),
    owner,
    team,
    change,
    clear: () => change({ q: undefined, state: undefined }),
  };
}
