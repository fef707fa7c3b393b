/** The fields of a token, for a new one and for one that is changed: the same places, the same words. */

import type { TokenCeilingView } from '../../../admin/contracts/account-contract.ts';
import { Check, Field, Select, TextField } from '../../components/fields/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { BudgetFields } from '../../terms/budget-fields.tsx';
import { budgetPeriods } from '../../terms/budget-form.ts';
import { EndUserFields } from '../../terms/end-user-fields.tsx';
import { EndpointFields } from '../../terms/endpoint-fields.tsx';
import { ToolFields } from '../../terms/tool-fields.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/use-words.tsx';
import { ModelListField } from './fields/model-list-field.tsx';
import { type FieldErrors, moderationMoments, type TokenForm } from './token-form.ts';

interface TokenFieldsProps {
  readonly form: TokenForm;
  readonly errors: FieldErrors;
  /** What an empty limit means here. */
  readonly emptyMeans: 'default' | 'unlimited';
  /** Rights and labels are for administrators to give. */
  readonly mayGrant: boolean;
  /** The most that this person may give a token. */
  readonly ceiling?: TokenCeilingView | undefined;
  onChange(change: Partial<TokenForm>): void;
}

export function TokenFields(props: TokenFieldsProps) {
  return (
    <>
      <Limits {...props} />
      <EndpointFields
        endpoints={props.form.endpoints}
        error={props.errors.endpoints}
        onChange={(endpoints) => props.onChange({ endpoints })}
      />
      <Models {...props} />
      <More {...props} />
    </>
  );
}

function Limits({ form, errors, emptyMeans, ceiling, onChange }: TokenFieldsProps) {
  const words = useWords().tokens;
  const unlimited = words.emptyLimit[emptyMeans];
  const count = (field: 'rpm' | 'tpm' | 'concurrency') => (
    <Field
      label={words.fields[field]}
      mono
      inputMode="numeric"
      placeholder={unlimited}
      value={form[field]}
      error={errors[field]}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  );
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-semibold">{words.parts.limits}</legend>
      <div className="grid grid-cols-2 gap-4">
        <Field
          label={words.fields.budget}
          mono
          inputMode="decimal"
          placeholder={unlimited}
          value={form.budget}
          error={errors.budget}
          onChange={(event) => onChange({ budget: event.target.value })}
        />
        <Select
          label={words.fields.period}
          options={budgetPeriods.map((value) => ({ value, label: words.periods[value] }))}
          value={form.period}
          error={errors.period}
          onChange={(event) => onChange({ period: budgetPeriods.find((one) => one === event.target.value) ?? 'month' })}
        />
        {ceiling !== undefined && <p className="col-span-2 -mt-2 text-xs text-quiet">{ceilingText(ceiling, words)}</p>}
        {form.budget.trim() !== '' && <p className="col-span-2 -mt-2 text-xs text-quiet">{words.budgetHint}</p>}
        {count('rpm')}
        {count('concurrency')}
        {count('tpm')}
        <Field
          label={words.fields.expires}
          type="date"
          value={form.expires}
          error={errors.expires}
          hint={words.expiresHint[emptyMeans]}
          onChange={(event) => onChange({ expires: event.target.value })}
        />
      </div>
    </fieldset>
  );
}

function ceilingText({ budgetUsd, budgetPeriod, perPersonMax }: TokenCeilingView, words: Words['tokens']): string {
  const budget =
    budgetUsd === undefined || budgetPeriod === undefined
      ? ''
      : `${words.ceilingBudget(budgetUsd, words.periods[budgetPeriod])} `;
  return budget + words.ceilingTokens(perPersonMax);
}

function Models({ form, errors, onChange }: TokenFieldsProps) {
  return <ModelListField value={form.models} error={errors.models} onChange={(models) => onChange({ models })} />;
}

/** Not among those that are folded away. */
const fieldsAbove: readonly string[] = [
  'name',
  'budget',
  'period',
  'rpm',
  'tpm',
  'concurrency',
  'expires',
  'endpoints',
  'models',
] satisfies readonly (keyof TokenForm)[];

/** What most tokens never need; open where this one has some of it, or a mistake in it. */
function More({ form, errors, mayGrant, onChange }: TokenFieldsProps) {
  const words = useWords().tokens;
  const texts = [form.addresses, form.labels, form.moderate, form.moderationModel, form.subTokensMax];
  const isUsed =
    texts.some((text) => text !== '') ||
    form.budgets.length > 0 ||
    form.endUsers.limited ||
    form.tools.choice !== 'default' ||
    form.strict ||
    form.maySteer ||
    form.mayExplain ||
    Object.keys(errors).some((name) => !fieldsAbove.includes(name));
  return (
    <details open={isUsed} className="group">
      <summary className="-mx-2 flex h-8 w-fit cursor-pointer list-none items-center gap-2 rounded-md px-2 text-sm font-medium text-quiet hover:text-text">
        <Icon name="chevron" className="-rotate-90 transition-transform duration-[120ms] group-open:rotate-0" />
        {words.more}
      </summary>
      <div className="grid gap-4 pt-3">
        <TextField
          label={words.fields.addresses}
          rows={2}
          optional
          className="font-mono text-sm"
          placeholder="10.0.0.0/8"
          hint={words.addressesHint}
          value={form.addresses}
          error={errors.addresses}
          onChange={(event) => onChange({ addresses: event.target.value })}
        />
        <ToolFields form={form.tools} error={errors.tools} onChange={(tools) => onChange({ tools })} />
        <Moderation form={form} errors={errors} onChange={onChange} />
        <Check
          label={words.fields.strict}
          hint={words.strictHint}
          checked={form.strict}
          onChange={(event) => onChange({ strict: event.target.checked })}
        />
        {mayGrant && <Grants form={form} errors={errors} onChange={onChange} />}
        <Field
          label={words.fields.subTokensMax}
          mono
          optional
          inputMode="numeric"
          hint={words.subTokensHint}
          value={form.subTokensMax}
          error={errors.subTokensMax}
          onChange={(event) => onChange({ subTokensMax: event.target.value })}
        />
        <BudgetFields
          inner
          title={words.fields.budgets}
          hint={words.budgetsHint}
          budgets={form.budgets}
          errors={errors}
          onChange={(budgets) => onChange({ budgets })}
        />
        <EndUserFields form={form.endUsers} errors={errors} onChange={(endUsers) => onChange({ endUsers })} />
      </div>
    </details>
  );
}

type Some = Pick<TokenFieldsProps, 'form' | 'errors' | 'onChange'>;

function Moderation({ form, errors, onChange }: Some) {
  const words = useWords().tokens;
  return (
    <div className="grid grid-cols-2 gap-4">
      <Select
        label={words.fields.moderate}
        options={[
          { value: '', label: words.moments.none },
          ...moderationMoments.map((value) => ({ value, label: words.moments[value] })),
        ]}
        value={form.moderate}
        error={errors.moderate}
        onChange={(event) =>
          onChange({ moderate: moderationMoments.find((moment) => moment === event.target.value) ?? '' })
        }
      />
      <Field
        label={words.fields.moderationModel}
        mono
        disabled={form.moderate === ''}
        placeholder={words.moderationModelDefault}
        value={form.moderationModel}
        error={errors.moderationModel}
        onChange={(event) => onChange({ moderationModel: event.target.value })}
      />
    </div>
  );
}

function Grants({ form, errors, onChange }: Some) {
  const words = useWords().tokens;
  return (
    <>
      <Check
        label={words.fields.maySteer}
        hint={words.maySteerHint}
        checked={form.maySteer}
        onChange={(event) => onChange({ maySteer: event.target.checked })}
      />
      <Check
        label={words.fields.mayExplain}
        hint={words.mayExplainHint}
        checked={form.mayExplain}
        onChange={(event) => onChange({ mayExplain: event.target.checked })}
      />
      <Field
        label={words.fields.labels}
        mono
        optional
        hint={words.labelsHint}
        value={form.labels.replaceAll('\n', ', ')}
        error={errors.labels}
        onChange={(event) => onChange({ labels: event.target.value })}
      />
    </>
  );
}
