/** A provider's keys with their health: which there are, one more, one less; what was typed is never shown again. */

import { type FormEvent, useState } from 'react';
import type { ConfiguredKeyView, ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { HealthBadge } from '../../health/health-badge.tsx';
import { ErrorRate, LastError } from '../../health/health-figures.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { useProviderChange } from './provider-changes.ts';

interface ProviderKeysProps {
  readonly provider: ConfiguredProviderView;
  /** False where the provider is set elsewhere, or the person only looks. */
  readonly editable: boolean;
}

export function ProviderKeys({ provider, editable }: ProviderKeysProps) {
  const words = useWords().providers.key;
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<string>();
  return (
    <Part
      divided
      title={words.title}
      tools={
        editable && !adding ? (
          <Button size="small" icon="plus" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        ) : undefined
      }
    >
      {provider.keys.length === 0 && !adding && <p className="text-sm text-quiet">{words.none}</p>}
      {provider.keys.length > 0 && (
        <ul className="grid rounded-md border border-line">
          {provider.keys.map((key) => (
            <KeyLine key={key.id} item={key} editable={editable && !key.locked} onRemove={() => setLeaving(key.id)} />
          ))}
        </ul>
      )}
      {adding && <NewKeyForm provider={provider.name} onDone={() => setAdding(false)} />}
      <RemoveKey provider={provider.name} id={leaving} onClose={() => setLeaving(undefined)} />
    </Part>
  );
}

function KeyLine({
  item,
  editable,
  onRemove,
}: {
  readonly item: ConfiguredKeyView;
  readonly editable: boolean;
  readonly onRemove: () => void;
}) {
  const { providers, health } = useWords();
  const words = providers.key;
  return (
    <li className="flex min-h-12 items-center gap-3 border-b border-line py-1 pr-1 pl-3 text-sm last:border-b-0">
      <span className="grid min-w-0 grow">
        <code className="truncate">{item.id}</code>
        {item.ending !== undefined && <span className="text-xs text-quiet">{words.ending(item.ending)}</span>}
        {item.models !== undefined && (
          <span className="truncate text-xs text-quiet" title={item.models.join(', ')}>
            {words.waitsFor(item.models.join(', '))}
          </span>
        )}
        {item.attempts > 0 && (
          <span className="text-xs text-quiet">
            {health.errorRate} <ErrorRate figures={item} />
          </span>
        )}
        {item.lastError !== undefined && <LastError error={item.lastError} about="model" short />}
      </span>
      <HealthBadge state={item.state} readyInMs={item.readyInMs} />
      {editable ? (
        <IconButton icon="remove" label={words.removeThis(item.id)} onClick={onRemove} />
      ) : (
        <span className="w-2" />
      )}
    </li>
  );
}

const withPanel = withWords('provider', 'add');

function NewKeyForm({ provider, onDone }: { readonly provider: string; readonly onDone: () => void }) {
  const words = useWords().providers;
  const tell = useTell();
  const change = useProviderChange(provider);
  const [id, setId] = useState('');
  const [value, setValue] = useState('');
  useUnsaved(id !== '' || value !== '', withPanel);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '') return;
    const key = { value: value.trim(), ...(id.trim() !== '' && { id: id.trim() }) };
    change.mutate(
      { addKeys: [key] },
      {
        onSuccess: () => {
          tell({ text: words.key.added, tone: 'ok' });
          onDone();
        },
      },
    );
  };
  return (
    <form onSubmit={save} className="grid gap-4 rounded-md border border-line p-4">
      <Field
        label={words.key.value}
        hint={words.key.valueHint}
        type="password"
        mono
        autoFocus
        autoComplete="new-password"
        spellCheck={false}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <Field
        label={words.key.name}
        hint={words.key.nameHint}
        optional
        mono
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      {change.isError && <ErrorNotice error={change.error} />}
      <div className="flex justify-end gap-2">
        <Button size="small" kind="quiet" onClick={onDone}>
          {words.panel.cancel}
        </Button>
        <Button size="small" kind="primary" type="submit" busy={change.isPending} disabled={value.trim() === ''}>
          {words.key.add}
        </Button>
      </div>
    </form>
  );
}

interface RemoveKeyProps {
  readonly provider: string;
  /** Absent while nobody asked for it. */
  readonly id: string | undefined;
  onClose(): void;
}

function RemoveKey({ provider, id, onClose }: RemoveKeyProps) {
  const words = useWords().providers.key;
  const tell = useTell();
  const change = useProviderChange(provider);
  const close = () => {
    change.reset();
    onClose();
  };
  const remove = (key: string) =>
    change.mutate(
      { removeKeys: [key] },
      {
        onSuccess: () => {
          tell({ text: words.removed(key), tone: 'ok' });
          close();
        },
      },
    );
  return (
    <Dialog open={id !== undefined} title={words.removeAsk(id ?? '')} onClose={close}>
      <div className="grid gap-5 p-5">
        <p>{words.removeHint}</p>
        {change.isError && <ErrorNotice error={change.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{words.keep}</Button>
          <Button kind="danger" busy={change.isPending} onClick={() => id !== undefined && remove(id)}>
            {words.remove}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
