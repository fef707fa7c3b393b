/** A provider's health: its figures, its last error, and each model that was called. */

import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import { Part } from '../../components/part.tsx';
import { FigureList, LastError } from '../../health/health-figures.tsx';
import { TargetList } from '../../health/target-list.tsx';
import { useWords } from '../../words/use-words.tsx';

export function ProviderHealth({ provider }: { readonly provider: ConfiguredProviderView }) {
  const words = useWords().health;
  const { health, targets } = provider;
  return (
    <Part divided title={words.title} tools={<span className="text-xs text-quiet">{words.lastHour}</span>}>
      <p className="text-sm">{words.hints[health.state]}</p>
      <FigureList figures={health} />
      <div className="grid min-w-0 gap-0.5">
        <p className="text-xs text-quiet">{words.lastError}</p>
        {health.lastError === undefined ? (
          <p className="text-sm">{words.noError}</p>
        ) : (
          <LastError error={health.lastError} about="both" />
        )}
      </div>
      {targets.length === 0 ? (
        <p className="text-sm text-quiet">{words.noTargets}</p>
      ) : (
        <TargetList label={words.targets} targets={targets} by="model" />
      )}
    </Part>
  );
}
