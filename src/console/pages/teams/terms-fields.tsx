/** The fields of a level's limits: several budgets, rates, models, endpoints, tools, labels, and the terms for end users. */

import { Check, Field } from '../../components/fields/field.tsx';
import { BudgetFields } from '../../terms/budget-fields.tsx';
import { EndUserFields } from '../../terms/end-user-fields.tsx';
import { EndpointFields } from '../../terms/endpoint-fields.tsx';
import { ToolFields } from '../../terms/tool-fields.tsx';
import { useWords } from '../../words/use-words.tsx';
import { ModelListField } from '../tokens/fields/model-list-field.tsx';
import type { TermsErrors, TermsForm } from './terms-form.ts';

/** Not every level has all of them: a person has no terms for end users, and an end user has few limits at all. */
export type TermsOf = 'unit' | 'person' | 'endUser';

interface TermsFieldsProps {
  readonly of: TermsOf;
  readonly form: TermsForm;
  readonly errors: TermsErrors;
  onChange(change: Partial<TermsForm>): void;
}

export function TermsFields({ of, form, errors, onChange }: TermsFieldsProps) {
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
      <BudgetFields
        title={words.budgets}
        budgets={form.budgets}
        errors={errors}
        onChange={(budgets) => onChange({ budgets })}
      />
      <fieldset className="grid gap-4">
        <legend className="mb-3 font-semibold">{words.limits}</legend>
        <div className="grid gap-4 sm:grid-cols-3">
          {count('rpm')}
          {of !== 'endUser' && count('tpm')}
          {count('concurrency')}
        </div>
        <ModelListField value={form.models} error={errors['models']} onChange={(models) => onChange({ models })} />
        {of !== 'endUser' && <Access form={form} errors={errors} onChange={onChange} />}
      </fieldset>
      {of === 'unit' && (
        <EndUserFields form={form.endUsers} errors={errors} onChange={(endUsers) => onChange({ endUsers })} />
      )}
    </>
  );
}

function Access({ form, errors, onChange }: Omit<TermsFieldsProps, 'of'>) {
  const words = useWords().teams;
  return (
    <>
      <EndpointFields endpoints={form.endpoints} onChange={(endpoints) => onChange({ endpoints })} />
      <ToolFields form={form.tools} error={errors['tools']} onChange={(tools) => onChange({ tools })} />
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
    </>
  );
}
