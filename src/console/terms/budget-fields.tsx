/** The fields of several budgets, each with a raise that ends. */

import type { ReactNode } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { Field, Select } from '../components/fields/field.tsx';
import { randomId } from '../random-id.ts';
import { useWords } from '../words/use-words.tsx';
import { type BudgetForm, budgetPeriods, budgetUnits, newBudget } from './budget-form.ts';

interface BudgetFieldsProps {
  readonly title: string;
  /** Within another group of fields. */
  readonly inner?: boolean;
  readonly hint?: string;
  readonly budgets: readonly BudgetForm[];
  /** By `budgets.0.limit`, after the name of what holds them. */
  readonly errors: Readonly<Record<string, string | undefined>>;
  readonly holder?: string;
  onChange(budgets: readonly BudgetForm[]): void;
}

export function BudgetFields(props: BudgetFieldsProps) {
  const { title, inner = false, hint, budgets, errors, holder = '', onChange } = props;
  const words = useWords().teams;
  const change = (key: string, fields: Partial<BudgetForm>) =>
    onChange(budgets.map((budget) => (budget.key === key ? { ...budget, ...fields } : budget)));
  const error = errors[`${holder}budgets`];
  return (
    <fieldset className="grid gap-3">
      <legend className={inner ? 'mb-1.5 text-sm font-medium' : 'mb-3 font-semibold'}>{title}</legend>
      {hint !== undefined && <p className="text-xs text-quiet">{hint}</p>}
      {budgets.map((budget, at) => (
        <OneBudget
          key={budget.key}
          number={at + 1}
          budget={budget}
          errors={{
            limit: errors[`${holder}budgets.${at}.limit`],
            raise: errors[`${holder}budgets.${at}.raise`],
          }}
          onChange={(fields) => change(budget.key, fields)}
          onRemove={() => onChange(budgets.filter(({ key }) => key !== budget.key))}
        />
      ))}
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
      <div>
        <Button icon="plus" onClick={() => onChange([...budgets, newBudget(randomId())])}>
          {words.addBudget}
        </Button>
      </div>
    </fieldset>
  );
}

interface OneBudgetProps {
  readonly number: number;
  readonly budget: BudgetForm;
  readonly errors: { readonly limit: string | undefined; readonly raise: string | undefined };
  onChange(fields: Partial<BudgetForm>): void;
  onRemove(): void;
}

function OneBudget({ number, budget, errors, onChange, onRemove }: OneBudgetProps) {
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
