/** Who is in a team, with which role; those who manage it add, change and remove. */

import { type FormEvent, useState } from 'react';
import type { MemberView, TeamRole, TeamView } from '../../../admin/contracts/organization-contract.ts';
import { ask } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field, inputShape, Select } from '../../components/fields/field.tsx';
import { Question } from '../../components/overlays/question.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { Part } from '../../components/part.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { withWords } from '../../router/unsaved.tsx';
import { useWords } from '../../words/use-words.tsx';
import { InvitePerson } from '../settings/people/invite-person.tsx';
import { organizationPath, teamsPath } from './teams-path.ts';

const roles = ['viewer', 'member', 'admin'] as const satisfies readonly TeamRole[];
const roleOf = (text: string): TeamRole => roles.find((role) => role === text) ?? 'member';

export function Members({ team }: { readonly team: TeamView }) {
  const words = useWords().teams;
  const path = `${teamsPath}/${team.id}/members`;
  const { data, error, isPlaceholderData } = useAsk<{ readonly items: readonly MemberView[] }>(path);
  return (
    <Part title={words.members} tools={team.mayManage && <Invite teamId={team.id} />}>
      {error !== null ? (
        <ErrorNotice error={error} />
      ) : data === undefined || isPlaceholderData ? (
        <SkeletonText lines={2} />
      ) : data.items.length === 0 ? (
        <p className="text-sm text-quiet">{words.noMembers}</p>
      ) : (
        <ul className="text-sm">
          {data.items.map((member) => (
            <Member key={member.accountId} member={member} path={path} mayManage={team.mayManage} />
          ))}
        </ul>
      )}
      {team.mayManage && <AddMember path={path} />}
    </Part>
  );
}

const withUnit = withWords('unit');

function Invite({ teamId }: { readonly teamId: string }) {
  const words = useWords().factors.people;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" icon="send" onClick={() => setOpen(true)}>
        {words.invite}
      </Button>
      {isOpen && <InvitePerson teamId={teamId} stays={withUnit} onClose={() => setOpen(false)} />}
    </>
  );
}

interface MemberProps {
  readonly member: MemberView;
  readonly path: string;
  readonly mayManage: boolean;
}

function Member({ member, path, mayManage }: MemberProps) {
  const { teams: words, settings } = useWords();
  const tell = useTell();
  const [isAsking, setAsking] = useState(false);
  const own = `${path}/${encodeURIComponent(member.accountId)}`;
  const stale = [path, organizationPath, '/console/api/tokens', '/console/api/audit'];
  const change = useChange((role: TeamRole) => ask<MemberView>(own, { method: 'PUT', body: { role } }), stale);
  const remove = useChange(() => ask(own, { method: 'DELETE' }), stale);
  const choose = (role: TeamRole) =>
    change.mutate(role, {
      onSuccess: ({ name }) => tell({ tone: 'ok', text: words.roleChanged(name) }),
      onError: ({ message }) => tell({ tone: 'bad', text: message }),
    });
  const whenRemoved = () => {
    setAsking(false);
    tell({ tone: 'ok', text: words.removed(member.name) });
  };
  return (
    <li className="flex min-h-10 items-center gap-3 border-b border-line py-1 last:border-b-0">
      <span className="min-w-0 grow truncate font-medium" title={member.accountId}>
        {member.name}
      </span>
      {member.state === 'disabled' && <Badge tone="plain">{settings.accountStates.disabled}</Badge>}
      {member.source !== 'manual' && <Badge tone="plain">{words.fromDirectory(member.source)}</Badge>}
      {mayManage ? (
        <span className="w-36 shrink-0">
          <select
            aria-label={`${words.role}: ${member.name}`}
            value={member.role}
            disabled={change.isPending}
            onChange={({ target }) => choose(roleOf(target.value))}
            className={`${inputShape} h-8 cursor-pointer border-line-strong px-2 text-sm`}
          >
            {roles.map((role) => (
              <option key={role} value={role}>
                {words.roles[role]}
              </option>
            ))}
          </select>
        </span>
      ) : (
        <span className="text-quiet">{words.roles[member.role]}</span>
      )}
      {mayManage && (
        <IconButton icon="remove" label={words.removeMember(member.name)} onClick={() => setAsking(true)} />
      )}
      <Question
        open={isAsking}
        title={words.removeMemberAsk(member.name)}
        keep={words.keep}
        confirm={words.delete}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, { onSuccess: whenRemoved })}
        onClose={() => setAsking(false)}
      >
        <p>{words.removeMemberMeaning}</p>
      </Question>
    </li>
  );
}

function AddMember({ path }: { readonly path: string }) {
  const words = useWords().teams;
  const tell = useTell();
  const [name, setName] = useState('');
  const [role, setRole] = useState<TeamRole>('member');
  const add = useChange(
    (person: string) => ask<MemberView>(`${path}/${encodeURIComponent(person)}`, { method: 'PUT', body: { role } }),
    [path, organizationPath, '/console/api/audit'],
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    add.mutate(name.trim(), {
      onSuccess: (member) => {
        setName('');
        tell({ tone: 'ok', text: words.added(member.name) });
      },
    });
  };
  return (
    <form onSubmit={submit} className="mt-2 grid gap-3">
      <div className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_150px_auto]">
        <Field
          label={words.person}
          hint={words.personHint}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Select
          label={words.role}
          hint={words.roleHints[role]}
          options={roles.map((value) => ({ value, label: words.roles[value] }))}
          value={role}
          onChange={({ target }) => setRole(roleOf(target.value))}
        />
        <Button type="submit" className="sm:mt-[26px]" busy={add.isPending} disabled={name.trim() === ''}>
          {words.addMember}
        </Button>
      </div>
      {add.error !== null && <ErrorNotice error={add.error} />}
    </form>
  );
}
