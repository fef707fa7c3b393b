/** One change of many tokens: each is asked for by itself, so that some can fail without the others. */

import type { OwnedTokenView } from '../../../../admin/contracts/account-contract.ts';

export const bulkActions = ['disable', 'enable', 'expiry', 'label', 'revoke'] as const;
export type BulkAction = (typeof bulkActions)[number];

interface BulkFailure {
  readonly token: OwnedTokenView;
  readonly error: unknown;
}

export interface BulkOutcome {
  readonly done: number;
  readonly failures: readonly BulkFailure[];
}

/** What is sent for one token; null revokes it, undefined where it needs no change. */
export function bulkChange(
  action: BulkAction,
  token: Pick<OwnedTokenView, 'labels'>,
  given: { readonly expiresAt: string | null; readonly label: string },
): object | null | undefined {
  const { labels = [] } = token;
  switch (action) {
    case 'revoke':
      return null;
    case 'expiry':
      return { expiresAt: given.expiresAt };
    case 'label':
      return labels.includes(given.label) ? undefined : { labels: [...labels, given.label] };
    default:
      return { disabled: action === 'disable' };
  }
}

/** So many at a time: a hundred at once would only wait for each other. */
const atOnceMax = 4;

export async function runBulk(
  tokens: readonly OwnedTokenView[],
  change: (token: OwnedTokenView) => Promise<unknown>,
): Promise<BulkOutcome> {
  const waiting = [...tokens];
  const failures: BulkFailure[] = [];
  const work = async (): Promise<void> => {
    for (let token = waiting.shift(); token !== undefined; token = waiting.shift()) {
      try {
        await change(token);
      } catch (error) {
        failures.push({ token, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, work));
  return { done: tokens.length - failures.length, failures };
}
