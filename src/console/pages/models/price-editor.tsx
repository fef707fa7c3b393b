/** The operator's own price for a model, in the fields of its entry; later requests are charged by it. */

import { type FormEvent, useState } from 'react';
import type { PriceEntry } from '../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/fields/field.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import {
  besideFields,
  type PriceField,
  type PriceTexts,
  type ReadPrice,
  readPrice,
  textsOfPrice,
  tokenFields,
  unitFields,
} from './price-entry.ts';
import { usePriceDelete, usePriceSave } from './route-changes.ts';

interface PriceEditorProps {
  readonly pattern: string;
  readonly entry: PriceEntry;
  /** There is one already, which can be removed. */
  readonly exists: boolean;
  /** Prices by unit are in sight at once. */
  readonly isByUnits?: boolean;
  onDone(): void;
}

const withPanel = withWords('model', 'view');

export function PriceEditor({ pattern: first, entry, exists, isByUnits = false, onDone }: PriceEditorProps) {
  const words = useWords().models.price;
  const tell = useTell();
  const save = usePriceSave();
  const removal = usePriceDelete();
  const [pattern, setPattern] = useState(first);
  const [texts, setTexts] = useState(() => textsOfPrice(entry));
  const [tried, setTried] = useState(false);
  const read = readPrice(texts);
  useUnsaved(pattern !== first || JSON.stringify(texts) !== JSON.stringify(textsOfPrice(entry)), withPanel);
  const done = (text: string) => ({
    onSuccess: () => {
      tell({ text, tone: 'ok' as const });
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (read.wrong.length > 0 || !read.whole || pattern.trim() === '') return;
    save.mutate({ pattern: pattern.trim(), entry: { ...besideFields(entry), ...read.entry } }, done(words.saved));
  };
  const error = save.error ?? removal.error;
  return (
    <form onSubmit={submit} className="grid gap-4 border-t border-line pt-4" noValidate>
      <Field
        label={words.pattern}
        hint={words.patternHint}
        mono
        spellCheck={false}
        value={pattern}
        onChange={(event) => setPattern(event.target.value)}
      />
      <Amounts fields={tokenFields} hint={words.perMillion} texts={texts} read={read} onChange={setTexts} />
      <details open={isByUnits || unitFields.some((field) => texts[field] !== '') || undefined}>
        <summary className="cursor-pointer rounded-sm text-sm text-quiet hover:text-text">{words.units}</summary>
        <div className="pt-3">
          <Amounts fields={unitFields} hint={words.perUnit} texts={texts} read={read} onChange={setTexts} />
        </div>
      </details>
      {tried && !read.whole && <p className="text-sm text-bad">{words.needed}</p>}
      {error !== null && <ErrorNotice error={error} />}
      <p className="text-xs text-quiet">{words.hint}</p>
      <div className="flex flex-wrap justify-end gap-2">
        {exists && (
          <Button
            kind="danger"
            className="mr-auto"
            busy={removal.isPending}
            onClick={() => removal.mutate(first, done(words.removed))}
          >
            {words.remove}
          </Button>
        )}
        <Button kind="quiet" onClick={onDone}>
          {words.cancel}
        </Button>
        <Button kind="primary" type="submit" busy={save.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}

interface AmountsProps {
  readonly fields: readonly PriceField[];
  readonly hint: string;
  readonly texts: PriceTexts;
  readonly read: ReadPrice;
  onChange(texts: PriceTexts): void;
}

function Amounts({ fields, hint, texts, read, onChange }: AmountsProps) {
  const words = useWords().models.price;
  return (
    <div className="grid grid-cols-2 gap-4">
      {fields.map((field) => (
        <Field
          key={field}
          label={words.fields[field]}
          hint={hint}
          error={read.wrong.includes(field) ? words.notNumber : undefined}
          mono
          inputMode="decimal"
          value={texts[field]}
          onChange={(event) => onChange({ ...texts, [field]: event.target.value })}
        />
      ))}
    </div>
  );
}
