/** Which model a snippet names: one that is served, that the token may use, and that can hold a conversation. */

import type { ModelView } from '../../../admin/account-contract.ts';

const fallback = 'sandbox-chat';
const conversation = 'converse';

export function modelFor(
  token: { readonly models?: readonly string[] | undefined },
  served: readonly Pick<ModelView, 'id' | 'operations'>[],
): string {
  const allowed = (id: string): boolean => token.models === undefined || token.models.some((glob) => covers(glob, id));
  const possible = served.filter(({ id }) => allowed(id));
  const talking = possible.filter(({ operations }) => operations.length === 0 || operations.includes(conversation));
  const named = token.models?.find((glob) => !glob.includes('*'));
  return (talking.find(({ id }) => id === fallback) ?? talking[0] ?? possible[0])?.id ?? named ?? fallback;
}

function covers(glob: string, id: string): boolean {
  const escaped = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(id);
}
