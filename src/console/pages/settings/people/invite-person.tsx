/** A new invitation: what it gives and how long it is valid, then the link that is shown once. */

import { type FormEvent, useRef, useState } from 'react';
import type { Role } from '../../../../admin/contracts/account-contract.ts';
import type { IssuedInvitationView, NewInvitation } from '../../../../admin/contracts/factor-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field, Select } from '../../../components/fields/field.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { useLeave, useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { safetyFacts } from '../safety-facts.ts';
import { invitationsPath } from './invitation-list.tsx';
import { RoleChoice } from './role-choice.tsx';

const formId = 'new-invitation';
const withSheet = withWords('person');
const dayMs = 24 * 60 * 60 * 1_000;
const lifetimesDays = [1, 7, 30] as const;

export function InvitePerson({ onClose }: { readonly onClose: () => void }) {
  const words = useWords().factors;
  const leave = useLeave();
  const create = useChange(
    (body: NewInvitation) => ask<IssuedInvitationView>(invitationsPath, { body }),
    [invitationsPath, '/console/api/audit'],
  );
  if (create.data !== undefined) {
    return (
      <SidePanel
        open
        title={words.people.ready}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={onClose}>
            {words.people.done}
          </Button>
        }
      >
        <InvitationLink url={create.data.url} />
      </SidePanel>
    );
  }
  return (
    <SidePanel
      open
      title={words.people.inviteTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => leave(onClose)}>{words.cancel}</Button>
          <Button type="submit" form={formId} kind="primary" busy={create.isPending}>
            {words.people.create}
          </Button>
        </>
      }
    >
      <InvitationForm error={create.error} onSubmit={create.mutate} />
    </SidePanel>
  );
}

function InvitationForm({ error, onSubmit }: { readonly error: unknown; onSubmit(invitation: NewInvitation): void }) {
  const words = useWords().factors.people;
  const mine = useSession().account.role;
  const [role, setRole] = useState<Role>('member');
  const [note, setNote] = useState('');
  const [days, setDays] = useState('7');
  useUnsaved(note !== '' || role !== 'member', withSheet);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ role, note: note.trim(), expiresInMs: Number(days) * dayMs });
  };
  const atNote = errorAtField(error, 'note');
  return (
    <form id={formId} noValidate onSubmit={submit} className="grid gap-6">
      <p className="text-quiet">{words.inviteLead}</p>
      <RoleChoice value={role} mayOwn={mine === 'owner'} onChange={setRole} />
      <Field
        label={words.note}
        hint={words.noteHint}
        optional
        maxLength={safetyFacts.invitationNoteLengthMax}
        value={note}
        error={atNote}
        onChange={(event) => setNote(event.target.value)}
      />
      <Select
        label={words.expiresIn}
        value={days}
        options={lifetimesDays.map((count) => ({ value: String(count), label: words.days(count) }))}
        onChange={(event) => setDays(event.target.value)}
      />
      {error !== null && atNote === undefined && <ErrorNotice error={error} />}
    </form>
  );
}

function InvitationLink({ url }: { readonly url: string }) {
  const words = useWords().factors.people;
  const shown = useRef<HTMLElement>(null);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p>{words.readyLead}</p>
      <div className="grid gap-3 rounded-md border border-line-strong bg-sunken p-4">
        <code ref={shown} data-secret className="leading-6 break-all">
          {url}
        </code>
        <div>
          <CopyButton text={url} what={words.theLink} shown={shown} kind="primary" size="large" />
        </div>
      </div>
      <p className="text-sm text-quiet">{words.readyOnce}</p>
    </div>
  );
}
