/** One target in typed fields: its model, weight, tier and time, and what requests it is kept for. */

import { type ReactNode, useState } from 'react';
import type { TargetEntry } from '../../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../../components/button.tsx';
import { Field, Select } from '../../../components/fields/field.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { nameOf, weightOf } from './route-draft.ts';
import { numberText, readNumber, readWords, withConditions, wordsText } from './target-texts.ts';

interface TargetFieldsProps {
  readonly target: TargetEntry;
  readonly tier: number;
  readonly tiers: number;
  onChange(target: TargetEntry): void;
  onMove(tier: number): void;
  onRemove(): void;
}

export function TargetFields(props: TargetFieldsProps) {
  const { target, tier, tiers, onChange, onMove, onRemove } = props;
  const words = useWords().models.route;
  return (
    <section
      aria-label={words.selected(nameOf(target))}
      className="grid gap-4 rounded-md border border-line bg-raised p-4"
    >
      <div className="flex items-center justify-between gap-4">
        <h3 className="min-w-0 truncate text-sm font-semibold">{nameOf(target)}</h3>
        <Button size="small" kind="danger" icon="remove" onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <NumberField
          label={words.weight}
          value={weightOf(target)}
          least={0.01}
          onChange={(weight) => onChange({ ...target, weight: weight ?? 1 })}
        />
        <Select
          label={words.tierField}
          value={String(tier)}
          options={Array.from({ length: tiers + 1 }, (_, number) => ({
            value: String(number),
            label: words.tier(number + 1),
          }))}
          onChange={(event) => onMove(Number(event.target.value))}
        />
        <NumberField
          label={words.timeout}
          hint={words.timeoutHint}
          value={target.first_event_timeout_ms}
          least={1}
          onChange={(timeoutMs) => {
            const { first_event_timeout_ms: _, ...rest } = target;
            onChange(timeoutMs === undefined ? rest : { ...rest, first_event_timeout_ms: timeoutMs });
          }}
        />
      </div>
      <Conditions target={target} onChange={onChange} />
    </section>
  );
}

function Conditions({ target, onChange }: Pick<TargetFieldsProps, 'target' | 'onChange'>) {
  const words = useWords().models.route;
  const only = target.only ?? {};
  const set = (changes: Partial<NonNullable<TargetEntry['only']>>) => onChange(withConditions(target, changes));
  return (
    <details open={target.only !== undefined || undefined} className="border-t border-line pt-4">
      <summary className="cursor-pointer rounded-sm text-sm text-quiet hover:text-text">{words.conditions}</summary>
      <div className="grid gap-4 pt-4 sm:grid-cols-2">
        <ListField
          label={words.operations}
          hint={words.operationsHint}
          value={only.operations}
          onChange={(operations) => set({ operations })}
        />
        <ListField label={words.input} hint={words.inputHint} value={only.input} onChange={(input) => set({ input })} />
        <NumberField
          label={words.tokensMax}
          value={only.input_tokens_max}
          least={1}
          onChange={(max) => set(max === undefined ? withoutTokens : { input_tokens_max: max })}
        />
        <Field
          label={words.region}
          mono
          value={only.region ?? ''}
          onChange={(event) => set({ region: event.target.value })}
        />
        <div className="sm:col-span-2">
          <ListField
            label={words.labels}
            hint={words.labelsHint}
            value={only.labels}
            onChange={(labels) => set({ labels })}
          />
        </div>
      </div>
    </details>
  );
}

/** No bound is written as none at all. */
const withoutTokens = { input_tokens_max: 0 } as const;

interface NumberFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: number | undefined;
  readonly least: number;
  onChange(value: number | undefined): void;
}

/** Holds what is typed until it is a number, so that nobody's digits are taken away while they write. */
function NumberField({ label, hint, value, least, onChange }: NumberFieldProps) {
  const words = useWords().models.route;
  const [typed, setTyped] = useState<string>();
  const isWrong = typed !== undefined && readNumber(typed, least) === 'wrong';
  return (
    <Field
      label={label}
      {...(hint !== undefined && { hint })}
      error={isWrong ? words.number(String(least)) : undefined}
      mono
      inputMode="decimal"
      value={typed ?? numberText(value)}
      onChange={(event) => {
        setTyped(event.target.value);
        const read = readNumber(event.target.value, least);
        if (read !== 'wrong') onChange(read);
      }}
      onBlur={() => !isWrong && setTyped(undefined)}
    />
  );
}

interface ListFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: readonly string[] | undefined;
  onChange(value: readonly string[]): void;
}

function ListField({ label, hint, value, onChange }: ListFieldProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <Field
      label={label}
      hint={hint}
      mono
      spellCheck={false}
      value={typed ?? wordsText(value)}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(readWords(event.target.value));
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
