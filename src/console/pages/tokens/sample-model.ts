/** Which model a snippet names: one that is served now, that the token may use and pay, and that converses; the sandbox's last. */

import type { ModelView, OwnedTokenView } from '../../../admin/contracts/account-contract.ts';

const sandbox = 'sandbox';
const fallback = 'sandbox-chat';
const conversation = 'converse';

type Served = Pick<ModelView, 'id' | 'providers' | 'operations'> & Partial<Pick<ModelView, 'pricing' | 'targets'>>;

export function modelFor(token: Pick<OwnedTokenView, 'models' | 'budget'>, served: readonly Served[]): string {
  const allowed = (id: string): boolean => token.models === undefined || token.models.some((glob) => covers(glob, id));
  const possible = served.filter(({ id }) => allowed(id));
  const talking = possible.filter(({ operations }) => operations.length === 0 || operations.includes(conversation));
  const named = token.models?.find((glob) => !glob.includes('*'));
  const real = talking.filter(({ providers }) => !providers.includes(sandbox));
  const payable = real.filter((model) => token.budget === undefined || hasPrice(model));
  const best = payable.find(isReady) ?? payable[0] ?? real[0];
  return (best ?? talking.find(({ id }) => id === fallback) ?? talking[0] ?? possible[0])?.id ?? named ?? fallback;
}

/** A token with a budget is refused at models without a price of their own. */
const hasPrice = ({ pricing }: Served): boolean =>
  pricing !== undefined && !['unknown', 'guess'].includes(pricing.source);

const isReady = ({ targets = [] }: Served): boolean =>
  targets.some(({ state }) => state === 'healthy' || state === 'no-data');

function covers(glob: string, id: string): boolean {
  const escaped = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(id);
}
