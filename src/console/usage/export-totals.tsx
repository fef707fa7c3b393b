/** Chooses what totals are grouped by, and saves them: an invoice is one row per month, owner and model. */

import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Check, Select } from '../components/fields/field.tsx';
import { useWords } from '../words/use-words.tsx';
import { download } from './download.ts';
import { questionWords, type UsageQuestion } from './question.ts';

interface ExportTotalsProps {
  readonly question: UsageQuestion;
  onDone(): void;
}

const periodDefault = 'day';
const chosenDefault: readonly string[] = ['model'];

export function ExportTotals({ question, onDone }: ExportTotalsProps) {
  const words = useWords().usage;
  const [period, setPeriod] = useState<string>(periodDefault);
  const [chosen, setChosen] = useState(chosenDefault);
  const names = Object.entries(words.dimensions);
  const by = [period, ...names.map(([id]) => id).filter((id) => chosen.includes(id))].filter((id) => id !== '');
  const toggle = (id: string) =>
    setChosen((before) => (before.includes(id) ? before.filter((other) => other !== id) : [...before, id]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const query = new URLSearchParams([...questionWords(question), ['by', by.join(',')], ['form', 'csv']]);
    download(`/console/api/usage/export/sums?${query}`);
    onDone();
  };
  return (
    <form onSubmit={submit} className="grid gap-5 overflow-y-auto p-5">
      <p className="text-sm text-quiet">{words.export.hint}</p>
      <Select
        label={words.export.period}
        value={period}
        onChange={(event) => setPeriod(event.target.value)}
        options={[
          { value: 'day', label: words.export.periods.day },
          { value: 'month', label: words.export.periods.month },
          { value: '', label: words.export.periods.none },
        ]}
      />
      <fieldset className="grid gap-2.5">
        <legend className="pb-2 text-sm font-medium">{words.export.by}</legend>
        <div className="grid gap-2.5 sm:grid-cols-2">
          {names.map(([id, { name }]) => (
            <Check key={id} label={name} checked={chosen.includes(id)} onChange={() => toggle(id)} />
          ))}
        </div>
      </fieldset>
      <div className="flex items-center justify-end gap-3">
        {by.length === 0 && <p className="grow text-sm text-quiet">{words.export.nothing}</p>}
        <Button type="submit" kind="primary" icon="download" disabled={by.length === 0}>
          {words.export.download}
        </Button>
      </div>
    </form>
  );
}
