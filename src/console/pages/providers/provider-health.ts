/** How a provider and its parts are doing, summed up: the worst says it. */

import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import type { HealthStateName, TargetHealthView } from '../../../admin/contracts/contract.ts';

const severity: Readonly<Record<HealthStateName, number>> = { ready: 0, 'half-open': 1, cooling: 2, open: 3 };

function worstState(states: readonly HealthStateName[]): HealthStateName {
  return states.reduce<HealthStateName>((worst, state) => (severity[state] > severity[worst] ? state : worst), 'ready');
}

export interface HealthSum {
  readonly total: number;
  readonly away: number;
  readonly worst: HealthStateName;
}

export function healthSum(states: readonly HealthStateName[]): HealthSum {
  return { total: states.length, away: states.filter((state) => state !== 'ready').length, worst: worstState(states) };
}

export function targetStates(provider: string, targets: readonly TargetHealthView[]): readonly HealthStateName[] {
  return targets.filter((target) => target.provider === provider).map(({ state }) => state);
}

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
