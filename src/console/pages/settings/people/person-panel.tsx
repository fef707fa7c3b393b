/** One person's account as those see it who look after it: role, sessions, password, and the way out. */

import { useState } from 'react';
import type {
  AccountChanges,
  AccountView,
  IssuedAccountView,
  SessionView,
} from '../../../../admin/contracts/account-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { isSaved, useChange } from '../../../api/use-change.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Id } from '../../../components/code-block.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FactRows } from '../../../components/fact-rows.tsx';
import { SidePanel } from '../../../components/overlays/side-panel.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { Part } from '../../../components/part.tsx';
import { SkeletonText } from '../../../components/skeleton.tsx';
import { Link } from '../../../router/router.tsx';
import { useUnsaved, withWords } from '../../../router/unsaved.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { PersonLimits } from '../../teams/person-limits.tsx';
import { accountsPath } from './accounts-path.ts';
import { OneTimePassword } from './one-time-password.tsx';
import { DisableDialog, ResetDialog } from './person-dialogs.tsx';
import { PersonFactors } from './person-factors.tsx';
import { RoleChoice } from './role-choice.tsx';
import { SessionRows } from './session-list.tsx';

const auditPath = '/console/api/audit';
const withPanel = withWords('person');

export function PersonPanel({ person, onClose }: { readonly person: AccountView; readonly onClose: () => void }) {
  const words = useWords().settings;
  const me = useSession().account;
  const deeds = usePersonDeeds(person);
  const { change, reset } = deeds;
  if (reset.data?.password !== undefined) {
    return (
      <SidePanel
        open
        title={words.newPasswordFor(person.name)}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={() => reset.reset()}>
            {words.handedOver}
          </Button>
        }
      >
        <OneTimePassword name={person.name} password={reset.data.password} />
      </SidePanel>
    );
  }
  // An admin has no power over owners.
  const mayChange = person.role !== 'owner' || me.role === 'owner';
  return (
    <SidePanel
      open
      title={person.name}
      onClose={onClose}
      // Nobody locks themselves out by a slip.
      actions={mayChange && person.id !== me.id && <PersonActions person={person} deeds={deeds} />}
    >
      <div className="grid gap-6">
        <PersonFacts person={person} />
        <PersonRole person={person} deeds={deeds} mayChange={mayChange} />
        {change.error !== null && deeds.asking === undefined && <ErrorNotice error={change.error} />}
        <PersonLimits accountId={person.id} mayChange={mayChange} />
        <PersonFactors person={person} mayRemove={mayChange && person.id !== me.id} />
        <PersonSessions person={person} mayEnd={mayChange} />
      </div>
    </SidePanel>
  );
}

interface PersonRoleProps {
  readonly person: AccountView;
  readonly deeds: PersonDeeds;
  readonly mayChange: boolean;
}

/** Chosen, then saved: arrow keys pass through every role on their way, and none of them may be given by passing. */
function PersonRole({ person, deeds, mayChange }: PersonRoleProps) {
  const words = useWords().settings;
  const me = useSession().account;
  const [chosen, setChosen] = useState(person.role);
  const { change, apply } = deeds;
  const isChanged = chosen !== person.role;
  useUnsaved(isChanged && !isSaved(change, { role: chosen }), withPanel);
  return (
    <div className="grid gap-3">
      <RoleChoice value={chosen} mayOwn={me.role === 'owner'} disabled={!mayChange} onChange={setChosen} />
      {isChanged && (
        <div>
          <Button
            kind="primary"
            busy={change.isPending}
            onClick={() => apply({ role: chosen }, words.roleChanged(person.name))}
          >
            {words.saveRole}
          </Button>
        </div>
      )}
    </div>
  );
}

type PersonDeeds = ReturnType<typeof usePersonDeeds>;

function usePersonDeeds(person: AccountView) {
  const tell = useTell();
  const path = `${accountsPath}/${person.id}`;
  const [asking, setAsking] = useState<'disable' | 'reset'>();
  const change = useChange(
    (body: AccountChanges) => ask<AccountView>(path, { method: 'PATCH', body }),
    [accountsPath, auditPath, '/console/api/tokens'],
  );
  const reset = useChange(() => ask<IssuedAccountView>(`${path}/password`, { body: {} }), [accountsPath, auditPath]);
  const apply = (body: AccountChanges, note: string) =>
    change.mutate(body, {
      onSuccess: () => {
        setAsking(undefined);
        tell({ tone: 'ok', text: note });
      },
    });
  return { asking, setAsking, change, reset, apply };
}

function PersonActions({ person, deeds }: { readonly person: AccountView; readonly deeds: PersonDeeds }) {
  const words = useWords().settings;
  const { asking, setAsking, change, reset, apply } = deeds;
  return (
    <>
      {person.state === 'active' ? (
        <Button kind="danger" className="mr-auto" onClick={() => setAsking('disable')}>
          {words.disable}
        </Button>
      ) : (
        <Button
          className="mr-auto"
          busy={change.isPending}
          onClick={() => apply({ disabled: false }, words.enabledNote(person.name))}
        >
          {words.enable}
        </Button>
      )}
      <Button onClick={() => setAsking('reset')}>{words.resetPassword}</Button>
      <DisableDialog
        name={person.name}
        open={asking === 'disable'}
        busy={change.isPending}
        error={change.error}
        onConfirm={(revokeTokens) => apply({ disabled: true, revokeTokens }, words.disabledNote(person.name))}
        onClose={() => setAsking(undefined)}
      />
      <ResetDialog
        name={person.name}
        open={asking === 'reset'}
        busy={reset.isPending}
        error={reset.error}
        onConfirm={() => reset.mutate(undefined, { onSuccess: () => setAsking(undefined) })}
        onClose={() => setAsking(undefined)}
      />
    </>
  );
}

function PersonFacts({ person }: { readonly person: AccountView }) {
  const words = useWords().settings;
  return (
    <FactRows
      facts={[
        {
          name: words.state,
          value: (
            <Badge tone={person.state === 'active' ? 'ok' : 'plain'} dot>
              {words.accountStates[person.state]}
            </Badge>
          ),
        },
        { name: words.id, value: <Id value={person.id} what={words.id} /> },
        { name: words.created, value: <Time at={person.createdAt} /> },
        {
          name: words.lastSignIn,
          value: person.lastSignInAt === undefined ? words.never : <Time at={person.lastSignInAt} />,
        },
        { name: words.passwordSet, value: <Time at={person.passwordChangedAt} /> },
        {
          name: words.tokens,
          value: (
            <Link
              to={`/console/tokens?${new URLSearchParams({ owner: person.id })}`}
              className="rounded-sm text-accent hover:underline"
            >
              {words.theirTokens}
            </Link>
          ),
        },
      ]}
    />
  );
}

function PersonSessions({ person, mayEnd }: { readonly person: AccountView; readonly mayEnd: boolean }) {
  const words = useWords().settings;
  const tell = useTell();
  const path = `${accountsPath}/${person.id}/sessions`;
  const { data, error, isPlaceholderData } = useAsk<{ readonly items: readonly SessionView[] }>(path);
  const end = useChange(() => ask(path, { method: 'DELETE' }), [path, auditPath]);
  const endAll = mayEnd && (data?.items.length ?? 0) > 0 && (
    <Button
      size="small"
      busy={end.isPending}
      onClick={() => end.mutate(undefined, { onSuccess: () => tell({ tone: 'ok', text: words.sessionEnded }) })}
    >
      {words.endAll}
    </Button>
  );
  return (
    <Part title={words.sessions} tools={endAll}>
      {error !== null ? (
        <ErrorNotice error={error} />
      ) : data === undefined || isPlaceholderData ? (
        <SkeletonText lines={2} />
      ) : data.items.length === 0 ? (
        <p className="text-sm text-quiet">{words.noSessions}</p>
      ) : (
        <SessionRows sessions={data.items} />
      )}
      {end.error !== null && <ErrorNotice error={end.error} />}
    </Part>
  );
}
