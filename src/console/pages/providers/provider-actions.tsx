/** Takes a provider out of service: slowly, at once, or for good; the last asks and says what stops. */

import { type ReactNode, useState } from 'react';
import type { ConfiguredProviderView, ProviderChanges } from '../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Deletion } from '../../components/overlays/deletion.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { useWords } from '../../words/use-words.tsx';
import { useProviderChange, useProviderDelete } from './provider-changes.ts';

interface ProviderActionsProps {
  readonly provider: ConfiguredProviderView;
  onGone(): void;
}

export function ProviderActions({ provider, onGone }: ProviderActionsProps) {
  const words = useWords().providers.act;
  const tell = useTell();
  const change = useProviderChange(provider.name);
  const deletion = useProviderDelete(provider.name);
  const [asking, setAsking] = useState(false);
  const apply = (changes: ProviderChanges, done: (name: string) => string) =>
    change.mutate(changes, { onSuccess: () => tell({ text: done(provider.name), tone: 'ok' }) });
  const enabling = (enabled: boolean) => ({ entry: { ...provider.entry, enabled } });
  const isDisabled = provider.state === 'disabled';
  const isDraining = provider.state === 'draining';
  return (
    <Part divided title={words.title}>
      <div className="grid gap-3">
        {!isDisabled && (
          <Action hint={words.drainHint}>
            <Button
              busy={change.isPending}
              onClick={() => apply({ draining: !isDraining }, isDraining ? words.serves : words.drained)}
            >
              {isDraining ? words.undrain : words.drain}
            </Button>
          </Action>
        )}
        <Action hint={words.disableHint}>
          <Button
            busy={change.isPending}
            onClick={() => apply(enabling(isDisabled), isDisabled ? words.enabled : words.disabled)}
          >
            {isDisabled ? words.enable : words.disable}
          </Button>
        </Action>
        <Action hint="">
          <Button kind="danger" icon="remove" onClick={() => setAsking(true)}>
            {words.delete}
          </Button>
        </Action>
      </div>
      {change.isError && <ErrorNotice error={change.error} />}
      <Deletion
        name={provider.name}
        open={asking}
        words={words}
        deletion={deletion}
        onClose={() => setAsking(false)}
        onGone={onGone}
      >
        <Stopping provider={provider} />
      </Deletion>
    </Part>
  );
}

function Action({ hint, children }: { readonly hint: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {children}
      {hint !== '' && <p className="min-w-0 grow basis-48 text-xs text-quiet">{hint}</p>}
    </div>
  );
}

/** What a provider takes with it. */
function Stopping({ provider: { name, models, routes } }: Pick<ProviderActionsProps, 'provider'>) {
  const words = useWords().providers.act;
  return (
    <>
      <p>{words.deleteHint(name)}</p>
      {models !== undefined && models.length > 0 && <p>{words.deleteModels(models.length)}</p>}
      {routes.length > 0 && <p className="break-words">{words.deleteRoutes(routes.join(', '))}</p>}
    </>
  );
}
