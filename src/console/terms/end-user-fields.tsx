/** The terms for each end user of a token or a level: default budgets, a rate, and how many there may be. */

import { Check, Field } from '../components/fields/field.tsx';
import { useWords } from '../words/use-words.tsx';
import { BudgetFields } from './budget-fields.tsx';
import type { EndUserForm } from './budget-form.ts';

interface EndUserFieldsProps {
  readonly form: EndUserForm;
  /** By `endUsers.rpm`, `endUsers.budgets.0.limit` and so on; `endUsers` for all together. */
  readonly errors: Readonly<Record<string, string | undefined>>;
  onChange(form: EndUserForm): void;
}

export function EndUserFields({ form, errors, onChange }: EndUserFieldsProps) {
  const { endUsers, tokens } = useWords();
  const words = endUsers.fields;
  const error = errors['endUsers'];
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-semibold">{words.title}</legend>
      <Check
        label={words.limited}
        hint={words.limitedHint}
        checked={form.limited}
        onChange={({ target }) => onChange({ ...form, limited: target.checked })}
      />
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
      {form.limited && (
        <>
          <BudgetFields
            inner
            title={words.budgets}
            hint={words.budgetsHint}
            budgets={form.budgets}
            errors={errors}
            holder="endUsers."
            onChange={(budgets) => onChange({ ...form, budgets })}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              label={words.rpm}
              mono
              inputMode="numeric"
              placeholder={tokens.noLimit}
              value={form.rpm}
              error={errors['endUsers.rpm']}
              onChange={({ target }) => onChange({ ...form, rpm: target.value })}
            />
            <Field
              label={words.max}
              mono
              inputMode="numeric"
              placeholder="10000"
              hint={words.maxHint}
              value={form.max}
              error={errors['endUsers.max']}
              onChange={({ target }) => onChange({ ...form, max: target.value })}
            />
          </div>
        </>
      )}
    </fieldset>
  );
}
