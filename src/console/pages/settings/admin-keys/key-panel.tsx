/** An admin key: what it may do, who created it, what can still be narrowed, and its end. */

import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AdminKeyChangesInput, AdminKeyView } from '../../../../admin/contracts/admin-key-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, isSaved, useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FactRows } from '../../../components/fact-rows.tsx';
import { Field, TextField } from '../../../components/fields/field.tsx';
import { Deletion } from '../../../components/overlays/deletion.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { adminKeysPath, dayOf, keyTones, linesIn, staleAfterKeys } from './key-paths.ts';
import { useRoleText } from './role-text.ts';

const formId = 'admin-key';
const withPanel = withWords('key');

interface KeyPanelProps {
  readonly view: AdminKeyView;
  readonly onClose: () => void;
}

export function KeyPanel({ view, onClose }: KeyPanelProps) {
  const words = useWords().adminKeys;
  const tell = useTell();
  const [isAsking, setAsking] = useState(false);
  const path = `${adminKeysPath}/${view.id}`;
  const change = useChange(
    (body: AdminKeyChangesInput) => ask<AdminKeyView>(path, { method: 'PATCH', body }),
    staleAfterKeys,
  );
  const revocation = useChange<void, AdminKeyView>(() => ask<AdminKeyView>(path, { method: 'DELETE' }), staleAfterKeys);
  const save = (changes: AdminKeyChangesInput) =>
    change.mutate(changes, { onSuccess: ({ name }) => tell({ text: words.saved(name), tone: 'ok' }) });
  const { revoke, revoked, revokeAsk, keep } = words;
  return (
    <SidePanel
      open
      title={view.name}
      onClose={onClose}
      actions={
        view.state !== 'revoked' && (
          <>
            <Button kind="danger" icon="remove" onClick={() => setAsking(true)}>
              {revoke}
            </Button>
            {view.mayChange && (
              <Button type="submit" form={formId} kind="primary" busy={change.isPending}>
                {words.save}
              </Button>
            )}
          </>
        )
      }
    >
      <div className="grid gap-6">
        <KeyFacts view={view} />
        {view.mayChange && <ChangeForm view={view} change={change} onSave={save} />}
        <Deletion
          name={view.name}
          open={isAsking}
          words={{ keep, delete: revoke, deleteAsk: revokeAsk, deleted: revoked }}
          deletion={revocation}
          onClose={() => setAsking(false)}
          onGone={onClose}
        >
          <p>{words.revokeMeaning}</p>
        </Deletion>
      </div>
    </SidePanel>
  );
}

function KeyFacts({ view }: Pick<KeyPanelProps, 'view'>) {
  const words = useWords().adminKeys;
  const roleText = useRoleText();
  const { state, hint, scopes, networks, createdBy, createdAt, expiresAt, lastUsedAt } = view;
  const time = (at: string | undefined) => (at === undefined ? words.facts.never : <Time at={at} />);
  const status = (
    <span className="grid justify-items-start gap-1">
      <Badge tone={keyTones[state]} dot>
        {words.states[state]}
      </Badge>
      {state === 'suspended' && <span className="text-xs text-quiet">{words.suspendedHint}</span>}
    </span>
  );
  return (
    <FactRows
      facts={[
        { name: words.columns.state, value: status },
        { name: words.facts.key, value: <span className="font-mono text-[0.93em]">{hint}</span> },
        { name: words.columns.role, value: roleText(view) },
        { name: words.facts.scopes, value: scopes?.join(', ') ?? words.everything },
        { name: words.facts.networks, value: networks?.join(', ') ?? words.facts.everywhere },
        { name: words.facts.createdBy, value: createdBy },
        { name: words.facts.created, value: <Time at={createdAt} /> },
        { name: words.facts.expires, value: time(expiresAt) },
        { name: words.facts.used, value: time(lastUsedAt) },
      ]}
    />
  );
}

interface ChangeFormProps extends Pick<KeyPanelProps, 'view'> {
  readonly change: UseMutationResult<unknown, Error, AdminKeyChangesInput>;
  onSave(changes: AdminKeyChangesInput): void;
}

function ChangeForm({ view, change, onSave }: ChangeFormProps) {
  const words = useWords().adminKeys.fields;
  const kept = { name: view.name, expires: dayOf(view.expiresAt), networks: (view.networks ?? []).join('\n') };
  const [draft, setDraft] = useState(kept);
  const networks = linesIn(draft.networks);
  const changes: AdminKeyChangesInput = {
    ...(draft.name !== kept.name && { name: draft.name }),
    ...(draft.expires !== kept.expires && { expiresAt: draft.expires === '' ? null : draft.expires }),
    ...(draft.networks !== kept.networks && { networks: networks.length === 0 ? null : networks }),
  };
  useUnsaved(Object.keys(changes).length > 0 && !isSaved(change, changes), withPanel);
  const at = (field: string) => errorAtField(change.error, field) ?? errorAtField(change.error, `${field}[0]`);
  const hasPlace = ['name', 'expiresAt', 'networks'].some((field) => at(field) !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(changes);
  };
  return (
    <form id={formId} noValidate onSubmit={submit} className="grid gap-5 border-t border-line pt-5">
      <Field
        label={words.name}
        maxLength={100}
        value={draft.name}
        error={at('name')}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <Field
        label={words.expires}
        hint={words.expiresHint}
        optional
        type="date"
        value={draft.expires}
        error={at('expiresAt')}
        onChange={(event) => setDraft({ ...draft, expires: event.target.value })}
      />
      <TextField
        label={words.networks}
        hint={words.networksHint}
        optional
        className="font-mono text-sm"
        value={draft.networks}
        error={at('networks')}
        onChange={(event) => setDraft({ ...draft, networks: event.target.value })}
      />
      {change.error !== null && !hasPlace && <ErrorNotice error={change.error} />}
    </form>
  );
}
