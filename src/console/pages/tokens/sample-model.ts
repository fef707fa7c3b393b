/** Which model a snippet names: one that is served, that the token may use, and that can hold a conversation; the sandbox's last. */

import type { ModelView } from '../../../admin/contracts/account-contract.ts';

const sandbox = 'sandbox';
const fallback = 'sandbox-chat';
const conversation = 'converse';

export function modelFor(
  token: { readonly models?: readonly string[] | undefined },
  served: readonly Pick<ModelView, 'id' | 'providers' | 'operations'>[],
): string {
  const allowed = (id: string): boolean => token.models === undefined || token.models.some((glob) => covers(glob, id));
  const possible = served.filter(({ id }) => allowed(id));
  const talking = possible.filter(({ operations }) => operations.length === 0 || operations.includes(conversation));
  const named = token.models?.find((glob) => !glob.includes('*'));
  const real = talking.find(({ providers }) => !providers.includes(sandbox));
  return (real ?? talking.find(({ id }) => id === fallback) ?? talking[0] ?? possible[0])?.id ?? named ?? fallback;
}

function covers(glob: string, id: string): boolean {
  const escaped = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(id);
}
