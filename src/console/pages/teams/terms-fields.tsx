/** The fields of a level's limits: several budgets, rates, models, endpoints, labels. */

import type { ReactNode } from 'react';
import { endpointNames } from '../../../snippets/endpoints.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Check, Field, Select } from '../../components/fields/field.tsx';
import { randomId } from '../../random-id.ts';
import { useWords } from '../../words/use-words.tsx';
import { ModelListField } from '../tokens/fields/model-list-field.tsx';
import { budgetPeriods } from '../tokens/token-form.ts';
import { type BudgetForm, budgetUnits, newBudget, type TermsErrors, type TermsForm } from './terms-form.ts';

interface TermsFieldsProps {
  readonly form: TermsForm;
  readonly errors: TermsErrors;
  onChange(change: Partial<TermsForm>): void;
}

export function TermsFields({ form, errors, onChange }: TermsFieldsProps) {
  const { teams: words, tokens } = useWords();
  const count = (field: 'rpm' | 'tpm' | 'concurrency') => (
    <Field
      label={tokens.fields[field]}
      mono
      inputMode="numeric"
      placeholder={tokens.noLimit}
      value={form[field]}
      error={errors[field]}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  );
  return (
    <>
      <Budgets form={form} errors={errors} onChange={onChange} />
      <fieldset className="grid gap-4">
        <legend className="mb-3 font-semibold">{words.limits}</legend>
        <div className="grid gap-4 sm:grid-cols-3">
          {count('rpm')}
          {count('tpm')}
          {count('concurrency')}
        </div>
        <ModelListField value={form.models} error={errors['models']} onChange={(models) => onChange({ models })} />
        <Endpoints form={form} onChange={onChange} />
        <Field
          label={words.labels}
          mono
          optional
          hint={words.labelsHint}
          value={form.labels}
          error={errors['labels']}
          onChange={(event) => onChange({ labels: event.target.value })}
        />
        <Check
          label={words.disable}
          hint={words.disableHint}
          checked={form.disabled}
          onChange={(event) => onChange({ disabled: event.target.checked })}
        />
      </fieldset>
    </>
  );
}

function Endpoints({ form, onChange }: Pick<TermsFieldsProps, 'form' | 'onChange'>) {
  const words = useWords().tokens;
  const toggle = (endpoint: string, isOn: boolean) =>
    onChange({
      endpoints: isOn ? [...form.endpoints, endpoint] : form.endpoints.filter((other) => other !== endpoint),
    });
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-sm font-medium">{words.fields.endpoints}</legend>
      <p className="text-xs text-quiet">{words.endpointsHint}</p>
      <div className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3">
        {endpointNames.map((endpoint) => (
          <Check
            key={endpoint}
            label={words.endpoints[endpoint]}
            checked={form.endpoints.includes(endpoint)}
            onChange={(event) => toggle(endpoint, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Budgets({ form, errors, onChange }: TermsFieldsProps) {
  const words = useWords().teams;
  const change = (key: string, fields: Partial<BudgetForm>) =>
    onChange({ budgets: form.budgets.map((budget) => (budget.key === key ? { ...budget, ...fields } : budget)) });
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 font-semibold">{words.budgets}</legend>
      {form.budgets.map((budget, at) => (
        <BudgetFields
          key={budget.key}
          number={at + 1}
          budget={budget}
          errors={{ limit: errors[`budgets.${at}.limit`], raise: errors[`budgets.${at}.raise`] }}
          onChange={(fields) => change(budget.key, fields)}
          onRemove={() => onChange({ budgets: form.budgets.filter(({ key }) => key !== budget.key) })}
        />
      ))}
      {errors['budgets'] !== undefined && <p className="text-xs text-bad">{errors['budgets']}</p>}
      <div>
        <Button icon="plus" onClick={() => onChange({ budgets: [...form.budgets, newBudget(randomId())] })}>
          {words.addBudget}
        </Button>
      </div>
    </fieldset>
  );
}

interface BudgetFieldsProps {
  readonly number: number;
  readonly budget: BudgetForm;
  readonly errors: { readonly limit: string | undefined; readonly raise: string | undefined };
  onChange(fields: Partial<BudgetForm>): void;
  onRemove(): void;
}

function BudgetFields({ number, budget, errors, onChange, onRemove }: BudgetFieldsProps) {
  const { teams: words, tokens } = useWords();
  const fields = words.budgetFields;
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-3">
      <legend className="sr-only">{words.budgetNumber(number)}</legend>
      <Columns end={<IconButton icon="remove" label={words.removeBudget(number)} onClick={onRemove} />}>
        <Select
          label={fields.unit}
          // What was spent was counted in this unit.
          disabled={budget.id !== undefined}
          options={budgetUnits.map((value) => ({ value, label: words.units[value] }))}
          value={budget.unit}
          onChange={({ target }) => onChange({ unit: budgetUnits.find((unit) => unit === target.value) ?? 'usd' })}
        />
        <Field
          label={fields.limit}
          mono
          inputMode="decimal"
          value={budget.limit}
          error={errors.limit}
          onChange={({ target }) => onChange({ limit: target.value })}
        />
        <Select
          label={fields.period}
          options={budgetPeriods.map((value) => ({ value, label: tokens.periods[value] }))}
          value={budget.period}
          onChange={({ target }) =>
            onChange({ period: budgetPeriods.find((period) => period === target.value) ?? 'month' })
          }
        />
      </Columns>
      <Field
        label={fields.models}
        mono
        optional
        hint={fields.modelsHint}
        value={budget.models}
        onChange={({ target }) => onChange({ models: target.value })}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label={fields.raiseLimit}
          mono
          optional
          inputMode="decimal"
          value={budget.raiseLimit}
          error={errors.raise}
          onChange={({ target }) => onChange({ raiseLimit: target.value })}
        />
        <Field
          label={fields.raiseUntil}
          type="date"
          optional
          value={budget.raiseUntil}
          onChange={({ target }) => onChange({ raiseUntil: target.value })}
        />
      </div>
    </fieldset>
  );
}

function Columns({ children, end }: { readonly children: ReactNode; readonly end: ReactNode }) {
  return (
    <div className="flex items-start gap-2">
      <div className="grid grow gap-3 sm:grid-cols-3">{children}</div>
      <div className="pt-[26px]">{end}</div>
    </div>
  );
}
