/** Adds a target to a route from what the providers have; a name that no list knows can be typed too. */

import { type FormEvent, useId, useState } from 'react';
import type { ConfiguredProviderView, TargetEntry } from '../../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Button } from '../../../components/button.tsx';
import { Field, Select } from '../../../components/fields/field.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { providersPath } from '../../providers/provider-changes.ts';

export function AddTarget({ onAdd }: { readonly onAdd: (target: TargetEntry) => void }) {
  const words = useWords().models.route;
  const listId = useId();
  const providers = useAsk<{ readonly items: readonly ConfiguredProviderView[] }>(providersPath);
  const items = providers.data?.items ?? [];
  const [chosen, setChosen] = useState<string>();
  const [model, setModel] = useState('');
  const provider = items.find(({ name }) => name === chosen) ?? items[0];
  const add = (event: FormEvent) => {
    event.preventDefault();
    const name = model.trim();
    if (provider === undefined || name === '') return;
    onAdd({ provider: provider.name, model: name });
    setModel('');
  };
  return (
    <form onSubmit={add} className="grid items-start gap-4 border-t border-line pt-5 sm:grid-cols-[1fr_1.5fr_auto]">
      <Select
        label={words.provider}
        value={provider?.name ?? ''}
        options={items.map(({ name }) => ({ value: name, label: name }))}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Field
        label={words.model}
        hint={words.modelHint}
        mono
        spellCheck={false}
        list={listId}
        value={model}
        onChange={(event) => setModel(event.target.value)}
      />
      <datalist id={listId}>
        {provider?.models?.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit" icon="plus" className="sm:mt-[26px]" disabled={model.trim() === ''}>
        {words.add}
      </Button>
    </form>
  );
}
