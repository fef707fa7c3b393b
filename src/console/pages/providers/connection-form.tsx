/** Changes how a provider of the console is reached; the whole entry is sent anew, as the file would hold it. */

import { type FormEvent, useState } from 'react';
import type {
  ConfiguredProviderView,
  PresetView,
  RemovedSecrets,
} from '../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { FurtherFields, fieldErrorOf, isAtField, NeededFields } from './entry-form.tsx';
import { ProblemNote } from './origin-badge.tsx';
import { useProviderChange } from './provider-changes.ts';
import { entryOfTexts, isReadable, leadsElsewhere, textsOfEntry } from './provider-entry.ts';

interface ConnectionFormProps {
  readonly provider: ConfiguredProviderView;
  /** `removed`: what the change took away, because it would have been sent elsewhere. */
  onDone(removed?: RemovedSecrets): void;
}

const withPanel = withWords('provider', 'add');

export function ConnectionForm({ provider, onDone }: ConnectionFormProps) {
  const { panel: words, key: keyWords } = useWords().providers;
  const tell = useTell();
  const [texts, setTexts] = useState(() => textsOfEntry(provider.entry));
  const [key, setKey] = useState('');
  const before = textsOfEntry(provider.entry);
  useUnsaved(key !== '' || JSON.stringify(texts) !== JSON.stringify(before), withPanel);
  const asksForKey = provider.keys.length > 0 && leadsElsewhere(texts, before);
  const presets = useAsk<{ readonly items: readonly PresetView[] }>('/console/api/presets');
  const preset = presets.data?.items.find(({ kind }) => kind === provider.kind);
  const change = useProviderChange(provider.name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isReadable(texts)) return;
    change.mutate(
      {
        entry: entryOfTexts(texts, provider.entry),
        ...(asksForKey && key.trim() !== '' && { addKeys: [{ value: key.trim() }] }),
      },
      {
        onSuccess: ({ removed }) => {
          tell({ text: words.saved(provider.name), tone: 'ok' });
          onDone(removed);
        },
      },
    );
  };
  const fields = { texts, preset, error: change.error, onChange: setTexts };
  return (
    <form onSubmit={save} className="grid gap-4">
      <NeededFields {...fields} />
      <FurtherFields {...fields} />
      {asksForKey && (
        <>
          <ProblemNote title={words.keysStay} text={words.keysStayHint} />
          <Field
            label={keyWords.value}
            hint={keyWords.valueHint}
            error={fieldErrorOf(change.error, 'addKeys')}
            type="password"
            mono
            autoComplete="new-password"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </>
      )}
      {change.isError && !isAtField(change.error) && !(asksForKey && fieldErrorOf(change.error, 'addKeys')) && (
        <ErrorNotice error={change.error} />
      )}
      <div className="flex justify-end gap-2">
        <Button kind="quiet" onClick={() => onDone()}>
          {words.cancel}
        </Button>
        <Button kind="primary" type="submit" busy={change.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
