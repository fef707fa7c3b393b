/** A new invitation: what it gives and how long it is valid, then the link that is shown once. */

import { type FormEvent, useRef, useState } from 'react';
import type { Role } from '../../../../admin/contracts/account-contract.ts';
import type { IssuedInvitationView, NewInvitation } from '../../../../admin/contracts/factor-contract.ts';
import type { TeamRole } from '../../../../admin/contracts/organization-contract.ts';
import { ask } from '../../../api/ask.ts';
import { errorAtField, useChange } from '../../../api/use-change.ts';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Field, Select } from '../../../components/fields/field.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { type StaysWith, useLeave, useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { useTeams } from '../../tokens/fields/place-field.tsx';
import { safetyFacts } from '../safety-facts.ts';
import { invitationsPath } from './invitation-list.tsx';
import { RoleChoice } from './role-choice.tsx';

const formId = 'new-invitation';
const withSheet = withWords('person');
const dayMs = 24 * 60 * 60 * 1_000;
const teamRoles = ['viewer', 'member', 'admin'] as const satisfies readonly TeamRole[];
const lifetimesDays = [1, 7, 30] as const;

interface InvitePersonProps {
  /** The team that an admin of it invites into; others choose one, or none. */
  readonly teamId?: string;
  readonly stays?: StaysWith;
  onClose(): void;
}

export function InvitePerson({ teamId, stays = withSheet, onClose }: InvitePersonProps) {
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
      <InvitationForm teamId={teamId} stays={stays} error={create.error} onSubmit={create.mutate} />
    </SidePanel>
  );
}

interface InvitationFormProps {
  readonly teamId: string | undefined;
  readonly stays: StaysWith;
  readonly error: unknown;
  onSubmit(invitation: NewInvitation): void;
}

function InvitationForm({ teamId, stays, error, onSubmit }: InvitationFormProps) {
  const words = useWords().factors.people;
  const mine = useSession().account.role;
  const [role, setRole] = useState<Role>('member');
  const [team, setTeam] = useState(teamId ?? '');
  const [teamRole, setTeamRole] = useState<TeamRole>('member');
  const [note, setNote] = useState('');
  const [days, setDays] = useState('7');
  useUnsaved(note !== '' || role !== 'member' || team !== (teamId ?? ''), stays);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const place = team === '' ? {} : { teamId: team, teamRole };
    onSubmit({ role, ...place, note: note.trim(), expiresInMs: Number(days) * dayMs });
  };
  const atNote = errorAtField(error, 'note');
  return (
    <form id={formId} noValidate onSubmit={submit} className="grid gap-6">
      <p className="text-quiet">{words.inviteLead}</p>
      {mine !== 'member' && <RoleChoice value={role} mayOwn={mine === 'owner'} onChange={setRole} />}
      <TeamChoice team={team} role={teamRole} isFixed={teamId !== undefined} onTeam={setTeam} onRole={setTeamRole} />
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

interface TeamChoiceProps {
  readonly team: string;
  readonly role: TeamRole;
  readonly isFixed: boolean;
  onTeam(teamId: string): void;
  onRole(role: TeamRole): void;
}

/** Nothing where there are no teams. */
function TeamChoice({ team, role, isFixed, onTeam, onRole }: TeamChoiceProps) {
  const { factors, teams: words } = useWords();
  const teams = (useTeams()?.teams ?? []).filter(({ mayManage }) => mayManage);
  if (teams.length === 0) return null;
  const options = teams.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label={words.kinds.team}
        hint={factors.people.teamHint}
        disabled={isFixed}
        value={team}
        options={isFixed ? options : [{ value: '', label: words.place.none }, ...options]}
        onChange={({ target }) => onTeam(target.value)}
      />
      <Select
        label={factors.people.teamRole}
        hint={words.roleHints[role]}
        disabled={team === ''}
        value={role}
        options={teamRoles.map((value) => ({ value, label: words.roles[value] }))}
        onChange={({ target }) => onRole(teamRoles.find((value) => value === target.value) ?? 'member')}
      />
    </div>
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
