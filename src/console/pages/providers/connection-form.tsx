/** Changes how a provider of the console is reached; the whole entry is sent anew, as the file would hold it. */

import { type FormEvent, useState } from 'react';
import type { ConfiguredProviderView, PresetView } from '../../../admin/configuration-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useTell } from '../../components/toast.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { FurtherFields, isAtField, NeededFields } from './entry-form.tsx';
import { useProviderChange } from './provider-changes.ts';
import { entryOfTexts, readHeaders, textsOfEntry } from './provider-entry.ts';

export interface ConnectionFormProps {
  readonly provider: ConfiguredProviderView;
  onDone(): void;
}

const withPanel = withWords('provider', 'add');

export function ConnectionForm({ provider, onDone }: ConnectionFormProps) {
  const words = useWords().providers.panel;
  const tell = useTell();
  const [texts, setTexts] = useState(() => textsOfEntry(provider.entry));
  useUnsaved(JSON.stringify(texts) !== JSON.stringify(textsOfEntry(provider.entry)), withPanel);
  const presets = useAsk<{ readonly items: readonly PresetView[] }>('/console/api/presets');
  const preset = presets.data?.items.find(({ kind }) => kind === provider.kind);
  const change = useProviderChange(provider.name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (readHeaders(texts.headers) === undefined) return;
    change.mutate(
      { entry: entryOfTexts(texts, provider.entry) },
      {
        onSuccess: () => {
          tell({ text: words.saved(provider.name), tone: 'ok' });
          onDone();
        },
      },
    );
  };
  const fields = { texts, preset, error: change.error, onChange: setTexts };
  return (
    <form onSubmit={save} className="grid gap-4">
      <NeededFields {...fields} />
      <FurtherFields {...fields} />
      {change.isError && !isAtField(change.error) && <ErrorNotice error={change.error} />}
      <div className="flex justify-end gap-2">
        <Button kind="quiet" onClick={onDone}>
          {words.cancel}
        </Button>
        <Button kind="primary" type="submit" busy={change.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
