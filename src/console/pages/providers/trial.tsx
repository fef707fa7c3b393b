/** What a trial of a provider found: how quickly it answered and with which models, or its exact refusal and what to do about it. */

import type { ProviderTrialView } from '../../../admin/contracts/configuration-contract.ts';
import { Duration } from '../../components/amounts.tsx';
import { Badge } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Icon } from '../../components/icon.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useWords } from '../../words/use-words.tsx';

const modelsShownMax = 12;

export function TrialRunning() {
  const words = useWords().providers.trial;
  return (
    <div role="status" className="grid gap-3 rounded-md border border-line p-4">
      <span className="text-sm text-quiet">{words.running}</span>
      <Skeleton className="h-4 w-3/5" />
      <Skeleton className="h-4 w-2/5" />
    </div>
  );
}

export function TrialResult({ trial }: { readonly trial: ProviderTrialView }) {
  const words = useWords().providers.trial;
  const { ok, latencyMs, models, error } = trial;
  return (
    <div
      role={ok ? 'status' : 'alert'}
      className={`grid gap-3 rounded-md border border-line bg-raised p-4 [border-left-width:3px] ${ok ? 'border-l-ok' : 'border-l-bad'}`}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className={`inline-flex items-center gap-2 font-medium ${ok ? 'text-ok' : 'text-bad'}`}>
          <Icon name={ok ? 'check' : 'bad'} />
          {ok ? words.ok : words.failed}
        </span>
        <span className="text-sm text-quiet">
          {words.latency} <Duration ms={latencyMs} />
        </span>
      </div>
      {ok && <FoundModels models={models} />}
      {error !== undefined && <TrialError error={error} />}
    </div>
  );
}

function FoundModels({ models }: { readonly models: readonly string[] }) {
  const words = useWords().providers.trial;
  const rest = models.length - modelsShownMax;
  return (
    <div className="grid gap-2">
      <p className="text-sm font-medium">{words.found(models.length)}</p>
      {models.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {models.slice(0, modelsShownMax).map((model) => (
            <li key={model} className="min-w-0">
              <code className="block truncate rounded-sm bg-sunken px-1.5 py-0.5 text-xs">{model}</code>
            </li>
          ))}
          {rest > 0 && <li className="py-0.5 text-xs text-quiet">{words.more(rest)}</li>}
        </ul>
      )}
    </div>
  );
}

function TrialError({ error }: { readonly error: NonNullable<ProviderTrialView['error']> }) {
  const { server, providers } = useWords();
  const words = providers.trial;
  return (
    <div className="grid gap-3">
      <p className="break-words">{server.text(error.message)}</p>
      {error.hint !== '' && <p className="text-sm break-words text-quiet">{server.text(error.hint)}</p>}
      <p className="flex flex-wrap items-center gap-2">
        {error.status !== undefined && (
          <Badge tone="bad">
            {words.status} {error.status}
          </Badge>
        )}
        <Badge>{error.code}</Badge>
      </p>
      {error.body !== undefined && error.body !== '' && <CodeBlock title={words.body} code={error.body} wrap />}
    </div>
  );
}
