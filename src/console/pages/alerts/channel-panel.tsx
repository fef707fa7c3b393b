/** A channel: made, changed, tested and deleted. Its URL and secret go in and are not shown again. */

import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type {
  ChannelChanges,
  ChannelKind,
  ChannelTestView,
  ChannelView,
  IssuedChannelView,
  NewChannel,
} from '../../../admin/contracts/alert-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField, isSaved, useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FactRows } from '../../components/fact-rows.tsx';
import { Field, Select } from '../../components/fields/field.tsx';
import { DeleteButton } from '../../components/overlays/delete-button.tsx';
import { FormPanel } from '../../components/overlays/form-panel.tsx';
import { SidePanel } from '../../components/overlays/side-panel.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { SecretPanel } from '../../components/secret-panel.tsx';
import { useLeave, useUnsaved, withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { alertsPath, channelsPath } from './alert-paths.ts';

const formId = 'alert-channel';
const withPanel = withWords('channel', 'tab');
const stale = [channelsPath, '/console/api/audit'];

interface Draft {
  readonly kind: ChannelKind;
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly to: string;
}

const addresses = (text: string): string[] => text.split(/[,;\s]+/).filter((part) => part !== '');

export function NewChannelPanel({ onClose }: { readonly onClose: () => void }) {
  const words = useWords().alerts;
  const leave = useLeave();
  const [draft, setDraft] = useState<Draft>({ kind: 'webhook', name: '', url: '', secret: '', to: '' });
  const create = useChange((body: NewChannel) => ask<IssuedChannelView>(channelsPath, { body }), stale);
  useUnsaved(create.data === undefined && (draft.name !== '' || draft.url !== '' || draft.to !== ''), withPanel);
  const tell = useTell();
  const submit = () => {
    const { kind, name, url, secret, to } = draft;
    const target = kind === 'mail' ? { to: addresses(to) } : { url: url.trim() };
    create.mutate(
      { kind, name, ...target, ...(secret !== '' && { secret }) },
      {
        onSuccess({ channel, secret: made }) {
          tell({ text: words.saved(channel.name), tone: 'ok' });
          if (made === undefined) leave(onClose);
        },
      },
    );
  };
  if (create.data?.secret !== undefined)
    return <SecretPanel secret={create.data.secret} words={words} onClose={onClose} />;
  return (
    <FormPanel title={words.newChannel} words={words} busy={create.isPending} onSubmit={submit} onClose={onClose}>
      <Select
        label={words.fields.kind}
        value={draft.kind}
        options={Object.entries(words.channelKinds).map(([value, label]) => ({ value, label }))}
        onChange={(event) => setDraft({ ...draft, kind: event.target.value as ChannelKind, secret: '' })}
      />
      <ChannelFields draft={draft} error={create.error} onChange={setDraft} />
    </FormPanel>
  );
}

interface ChannelFieldsProps {
  readonly draft: Draft;
  readonly error: unknown;
  /** Its URL is stored and not shown. */
  readonly isKept?: boolean;
  onChange(draft: Draft): void;
}

function ChannelFields({ draft, error, isKept = false, onChange }: ChannelFieldsProps) {
  const words = useWords().alerts.fields;
  const at = (field: string) => errorAtField(error, field);
  const hasPlace = ['name', 'url', 'secret', 'to'].some((field) => at(field) !== undefined);
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  return (
    <>
      <Field
        label={words.name}
        maxLength={100}
        value={draft.name}
        error={at('name')}
        onChange={(event) => set({ name: event.target.value })}
      />
      {draft.kind === 'mail' ? (
        <Field
          label={words.to}
          hint={words.toHint}
          value={draft.to}
          error={at('to')}
          onChange={(event) => set({ to: event.target.value })}
        />
      ) : (
        <Field
          label={words.url}
          mono
          type="url"
          placeholder="https://"
          {...(isKept && { hint: words.urlKept })}
          value={draft.url}
          error={at('url')}
          onChange={(event) => set({ url: event.target.value })}
        />
      )}
      {(draft.kind === 'feishu' || (draft.kind === 'webhook' && !isKept)) && (
        <Field
          label={words.secret}
          mono
          optional
          hint={draft.kind === 'feishu' ? words.feishuSecretHint : words.webhookSecretHint}
          value={draft.secret}
          error={at('secret')}
          onChange={(event) => set({ secret: event.target.value })}
        />
      )}
      {error !== null && !hasPlace && <ErrorNotice error={error} />}
    </>
  );
}

interface ChannelPanelProps {
  readonly channel: ChannelView;
  readonly mayWrite: boolean;
  readonly onClose: () => void;
}

export function ChannelPanel({ channel, mayWrite, onClose }: ChannelPanelProps) {
  const words = useWords().alerts;
  const path = `${channelsPath}/${channel.id}`;
  const change = useChange((body: ChannelChanges) => ask<IssuedChannelView>(path, { method: 'PATCH', body }), stale);
  const test = useChange((_: undefined) => ask<ChannelTestView>(`${path}/test`, { body: {} }), stale);
  if (change.data?.secret !== undefined)
    return <SecretPanel secret={change.data.secret} words={words} onClose={onClose} />;
  return (
    <SidePanel
      open
      title={channel.name}
      onClose={onClose}
      actions={
        mayWrite && (
          <>
            <Button icon="send" busy={test.isPending} onClick={() => test.mutate(undefined)}>
              {words.test}
            </Button>
            <Button type="submit" form={formId} kind="primary" busy={change.isPending}>
              {words.save}
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-6">
        {test.data !== undefined && <TestResult result={test.data} />}
        {test.error !== null && <ErrorNotice error={test.error} />}
        <ChannelFacts channel={channel} />
        {mayWrite && (
          <>
            <ChangeForm channel={channel} change={change} />
            <ChannelDeeds channel={channel} onChange={change.mutate} onClose={onClose} />
          </>
        )}
      </div>
    </SidePanel>
  );
}

function TestResult({ result: { ok, status, answer } }: { readonly result: ChannelTestView }) {
  const words = useWords().alerts;
  return (
    <div role="status" className={`grid gap-1 rounded-md border p-3 ${ok ? 'border-ok' : 'border-bad'}`}>
      <p className={`font-medium ${ok ? 'text-ok' : 'text-bad'}`}>{ok ? words.testOk : words.testFailed}</p>
      <p className="text-sm break-words text-quiet">
        {words.answer}: {status === undefined ? '' : `${status} `}
        {answer}
      </p>
    </div>
  );
}

function ChannelFacts({ channel: { kind, host, to, disabled, last } }: { readonly channel: ChannelView }) {
  const words = useWords().alerts;
  return (
    <FactRows
      facts={[
        { name: words.columns.kind, value: words.channelKinds[kind] },
        { name: words.columns.target, value: host ?? (to ?? []).join(', ') },
        { name: words.columns.state, value: disabled ? words.disabled : words.enabled },
        { name: words.columns.last, value: last === undefined ? words.never : words.deliveryStates[last.state] },
        ...(last?.error === undefined ? [] : [{ name: words.answer, value: last.error }]),
      ]}
    />
  );
}

interface ChangeFormProps {
  readonly channel: ChannelView;
  readonly change: UseMutationResult<unknown, Error, ChannelChanges>;
}

function ChangeForm({ channel, change }: ChangeFormProps) {
  const { kind, name, to = [] } = channel;
  const begin: Draft = { kind, name, url: '', secret: '', to: to.join(', ') };
  const [draft, setDraft] = useState(begin);
  const changes: ChannelChanges = {
    ...(draft.name !== name && { name: draft.name }),
    ...(draft.url.trim() !== '' && { url: draft.url.trim() }),
    ...(draft.secret !== '' && { secret: draft.secret }),
    ...(draft.to !== begin.to && { to: addresses(draft.to) }),
  };
  useUnsaved(Object.keys(changes).length > 0 && !isSaved(change, changes), withPanel);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(changes);
    setDraft({ ...draft, url: '', secret: '' });
  };
  return (
    <form id={formId} noValidate onSubmit={submit} className="grid gap-5">
      <ChannelFields draft={draft} error={change.error} isKept onChange={setDraft} />
    </form>
  );
}

interface ChannelDeedsProps {
  readonly channel: ChannelView;
  onChange(changes: ChannelChanges): void;
  readonly onClose: () => void;
}

function ChannelDeeds({ channel: { id, name, kind, disabled }, onChange, onClose }: ChannelDeedsProps) {
  const words = useWords().alerts;
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-5">
      <Button onClick={() => onChange({ disabled: !disabled })}>{disabled ? words.enable : words.disable}</Button>
      {kind === 'webhook' && <Button onClick={() => onChange({ newSecret: true })}>{words.fields.newSecret}</Button>}
      <DeleteButton
        name={name}
        words={words}
        path={`${channelsPath}/${id}`}
        stale={[...stale, alertsPath]}
        onGone={onClose}
      >
        <p>{words.channelGone}</p>
      </DeleteButton>
    </div>
  );
}
