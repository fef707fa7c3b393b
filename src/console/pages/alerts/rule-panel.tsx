/** A rule: which kinds, from which thresholds on, to which channels, and when not. */

import { useState } from 'react';
import type { AlertKind, ChannelView, NewRule, RuleView, Severity } from '../../../admin/contracts/alert-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField, useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Check, Field, Select } from '../../components/fields/field.tsx';
import { DeleteButton } from '../../components/overlays/delete-button.tsx';
import { FormPanel } from '../../components/overlays/form-panel.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { useLeave, useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { rulesPath } from './alert-paths.ts';
import { draftOf, faultsOf, type RuleDraft, ruleOf } from './rule-draft.ts';

const withPanel = withWords('rule', 'tab');
const stale = [rulesPath, '/console/api/audit'];

interface RulePanelProps {
  /** Absent: a new one. */
  readonly rule: RuleView | undefined;
  readonly channels: readonly ChannelView[];
  readonly mayWrite: boolean;
  readonly onClose: () => void;
}

export function RulePanel({ rule, channels, mayWrite, onClose }: RulePanelProps) {
  const words = useWords().alerts;
  const leave = useLeave();
  const tell = useTell();
  const [begin] = useState(() => draftOf(rule, Intl.DateTimeFormat().resolvedOptions().timeZone));
  const [draft, setDraft] = useState(begin);
  const path = rule === undefined ? rulesPath : `${rulesPath}/${rule.id}`;
  const method = rule === undefined ? 'POST' : 'PATCH';
  const save = useChange((body: NewRule) => ask<RuleView>(path, { method, body }), stale);
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(begin), withPanel);
  const submit = () => {
    if (faultsOf(draft).size > 0) return;
    save.mutate(ruleOf(draft), {
      onSuccess({ name }) {
        tell({ text: words.saved(name), tone: 'ok' });
        leave(onClose);
      },
    });
  };
  return (
    <FormPanel
      title={rule?.name ?? words.newRule}
      words={words}
      busy={save.isPending}
      mayWrite={mayWrite}
      after={rule !== undefined && mayWrite && <RuleDeeds rule={rule} onClose={onClose} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <RuleFields draft={draft} channels={channels} error={save.error} onChange={setDraft} />
    </FormPanel>
  );
}

interface RuleFieldsProps {
  readonly draft: RuleDraft;
  readonly channels: readonly ChannelView[];
  readonly error: unknown;
  onChange(draft: RuleDraft): void;
}

function RuleFields({ draft, channels, error, onChange }: RuleFieldsProps) {
  const words = useWords().alerts;
  const set = (change: Partial<RuleDraft>) => onChange({ ...draft, ...change });
  const toggled = <Item,>(list: readonly Item[], item: Item): Item[] =>
    list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
  return (
    <>
      <Field
        label={words.fields.name}
        maxLength={100}
        value={draft.name}
        error={errorAtField(error, 'name')}
        onChange={(event) => set({ name: event.target.value })}
      />
      <Part title={words.fields.kinds}>
        <div className="grid gap-2 sm:grid-cols-2">
          {(Object.entries(words.kinds) as [AlertKind, string][]).map(([kind, label]) => (
            <Check
              key={kind}
              label={label}
              checked={draft.kinds.includes(kind)}
              onChange={() => set({ kinds: toggled(draft.kinds, kind) })}
            />
          ))}
        </div>
      </Part>
      <Part title={words.fields.channels}>
        {channels.length === 0 && <p className="text-sm text-quiet">{words.fields.noChannelYet}</p>}
        <div className="grid gap-2 sm:grid-cols-2">
          {channels.map(({ id, name, kind }) => (
            <Check
              key={id}
              label={name}
              hint={words.channelKinds[kind]}
              checked={draft.channels.includes(id)}
              onChange={() => set({ channels: toggled(draft.channels, id) })}
            />
          ))}
        </div>
      </Part>
      <Select
        label={words.fields.severityMin}
        value={draft.severityMin}
        options={Object.entries(words.severities).map(([value, label]) => ({ value, label }))}
        onChange={(event) => set({ severityMin: event.target.value as Severity })}
      />
      <Thresholds draft={draft} error={error} set={set} />
      <Timing draft={draft} error={error} set={set} />
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}

interface GroupProps {
  readonly draft: RuleDraft;
  readonly error: unknown;
  set(change: Partial<RuleDraft>): void;
}

function Thresholds({ draft, error, set }: GroupProps) {
  const words = useWords().alerts;
  const faults: ReadonlySet<string> = faultsOf(draft);
  const field = (name: keyof RuleDraft & keyof typeof words.fields, hint?: string) => (
    <Field
      label={words.fields[name]}
      {...(hint !== undefined && { hint })}
      value={String(draft[name])}
      inputMode="decimal"
      error={faults.has(name) ? words.numbersWrong : errorAtField(error, name)}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <Part title={words.thresholds} divided>
      <div className="grid gap-4 sm:grid-cols-2">
        {field('budgetPercents', words.fields.budgetPercentsHint)}
        {field('spendFactor', words.fields.spendFactorHint)}
        {field('spendUsdMin')}
        {field('errorPercent')}
        {field('errorAttemptsMin')}
        {field('expiryDays')}
        {field('shutdownDays')}
      </div>
    </Part>
  );
}

function Timing({ draft, error, set }: GroupProps) {
  const words = useWords().alerts;
  return (
    <Part title={words.timing} divided>
      <Field
        label={words.fields.repeatMinutes}
        hint={words.fields.repeatHint}
        inputMode="numeric"
        value={draft.repeatMinutes}
        error={errorAtField(error, 'repeatMinutes')}
        onChange={(event) => set({ repeatMinutes: event.target.value })}
      />
      <Check
        label={words.fields.quiet}
        hint={words.fields.quietHint}
        checked={draft.isQuiet}
        onChange={(event) => set({ isQuiet: event.target.checked })}
      />
      {draft.isQuiet && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={words.fields.from}
            type="time"
            value={draft.from}
            onChange={(event) => set({ from: event.target.value })}
          />
          <Field
            label={words.fields.until}
            type="time"
            value={draft.until}
            onChange={(event) => set({ until: event.target.value })}
          />
          <Field
            label={words.fields.timeZone}
            value={draft.timeZone}
            error={errorAtField(error, 'quiet')}
            onChange={(event) => set({ timeZone: event.target.value })}
          />
          <Check
            label={words.fields.criticalPasses}
            checked={draft.criticalPasses}
            onChange={(event) => set({ criticalPasses: event.target.checked })}
          />
        </div>
      )}
    </Part>
  );
}

function RuleDeeds({
  rule: { id, name, disabled },
  onClose,
}: {
  readonly rule: RuleView;
  readonly onClose: () => void;
}) {
  const words = useWords().alerts;
  const path = `${rulesPath}/${id}`;
  const change = useChange((body: { disabled: boolean }) => ask<RuleView>(path, { method: 'PATCH', body }), stale);
  return (
    <div className="mt-6 flex flex-wrap gap-2 border-t border-line pt-5">
      <Button busy={change.isPending} onClick={() => change.mutate({ disabled: !disabled })}>
        {disabled ? words.enable : words.disable}
      </Button>
      <DeleteButton name={name} words={words} path={path} stale={stale} onGone={onClose}>
        <p>{words.ruleGone}</p>
      </DeleteButton>
    </div>
  );
}
