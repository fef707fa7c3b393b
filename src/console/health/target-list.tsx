/** Targets with their state, their figures and their last error, in the same shape on the pages of providers and models. */

import type { ShownTargetHealth } from '../../admin/contracts/health-contract.ts';
import { useWords } from '../words/use-words.tsx';
import { HealthBadge } from './health-badge.tsx';
import { FigureList, LastError } from './health-figures.tsx';

interface TargetListProps {
  readonly label: string;
  readonly targets: readonly (ShownTargetHealth & { readonly provider: string; readonly model: string })[];
  /** How a target is called: on a provider's own page its model is enough. */
  readonly by: 'model' | 'both';
}

export function TargetList({ label, targets, by }: TargetListProps) {
  const words = useWords().health;
  return (
    <ul aria-label={label} className="grid rounded-md border border-line">
      {targets.map(({ provider, model, ...target }) => (
        <li
          key={`${provider} ${model}`}
          className="grid min-w-0 gap-2.5 border-b border-line px-3 py-2.5 last:border-b-0"
          data-target-health={`${provider}/${model}`}
        >
          <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <code className="min-w-0 truncate text-sm">{by === 'model' ? model : `${provider}/${model}`}</code>
            <HealthBadge state={target.state} readyInMs={target.readyInMs} />
          </div>
          <FigureList figures={target} />
          {target.lastError !== undefined && (
            <div className="grid min-w-0 gap-0.5">
              <p className="text-xs text-quiet">{words.lastError}</p>
              <LastError error={target.lastError} about="key" />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
