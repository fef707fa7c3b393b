/** Who may sign in, and as what. */

import { useMemo } from 'react';
import type { AccountView } from '../../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import type { NarrowRow } from '../../../components/tables/column.ts';
import { useSortedRows } from '../../../components/tables/use-sort.ts';
import { useQueryWord } from '../../../router/router.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Section } from '../section.tsx';
import { accountsPath } from './accounts-path.ts';
import { CreatePerson } from './create-person.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InvitePerson } from './invite-person.tsx';
import { PersonPanel } from './person-panel.tsx';

const newPerson = 'new';
const invited = 'invite';

export function People() {
  const all = useWords();
  const words = all.settings;
  const [personId, setPersonId] = useQueryWord('person');
  const { data, error, refetch } = useAsk<{ readonly items: readonly AccountView[] }>(accountsPath);
  const columns = useColumns();
  const { rows, sort } = useSortedRows(columns, data?.items);
  const narrow = useNarrowPerson();
  const person = data?.items.find(({ id }) => id === personId);
  const close = () => setPersonId(undefined);
  return (
    <Section
      id="people"
      tools={
        <div className="flex gap-2">
          <Button icon="send" onClick={() => setPersonId(invited)}>
            {all.factors.people.invite}
          </Button>
          <Button icon="plus" onClick={() => setPersonId(newPerson)}>
            {words.addPerson}
          </Button>
        </div>
      }
    >
      {error !== null ? (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      ) : (
        <Table
          label={words.peopleList}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          openKey={personId}
          onOpen={({ id }) => setPersonId(id)}
          sort={sort}
          narrow={narrow}
          empty={<EmptyState icon="account" title={words.nobodyYet} />}
        />
      )}
      <InvitationList />
      {personId === invited && <InvitePerson onClose={close} />}
      {personId === newPerson && <CreatePerson onClose={close} />}
      {person !== undefined && <PersonPanel key={person.id} person={person} onClose={close} />}
    </Section>
  );
}

function useColumns(): readonly Column<AccountView>[] {
  const words = useWords();
  return useMemo(
    () => [
      {
        id: 'name',
        head: words.session.name,
        sortBy: ({ name }) => name,
        cell: (person) => <Name person={person} />,
      },
      {
        id: 'role',
        head: words.settings.role,
        widthPx: 128,
        sortBy: ({ role }) => words.session.roles[role],
        cell: ({ role }) => words.session.roles[role],
      },
      {
        id: 'state',
        head: words.settings.state,
        widthPx: 112,
        sortBy: ({ state }) => words.settings.accountStates[state],
        cell: ({ state }) => <State state={state} />,
      },
      {
        id: 'lastSignIn',
        head: words.settings.lastSignIn,
        widthPx: 128,
        sortBy: ({ lastSignInAt }) => lastSignInAt,
        cell: ({ lastSignInAt }) => <LastSignIn at={lastSignInAt} />,
      },
    ],
    [words],
  );
}

/** A person on a phone. */
function useNarrowPerson(): (person: AccountView) => NarrowRow {
  const words = useWords();
  return (person) => ({
    title: <Name person={person} />,
    titleEnd: <State state={person.state} />,
    detail: words.session.roles[person.role],
    detailEnd: <LastSignIn at={person.lastSignInAt} />,
  });
}

function Name({ person: { id, name } }: { readonly person: AccountView }) {
  const words = useWords().settings;
  const me = useSession().account.id;
  return (
    <span className="flex items-center gap-2 font-medium">
      <span className="truncate">{name}</span>
      {id === me && <Badge tone="accent">{words.you}</Badge>}
    </span>
  );
}

function State({ state }: { readonly state: AccountView['state'] }) {
  const words = useWords().settings;
  return (
    <Badge tone={state === 'active' ? 'ok' : 'plain'} dot>
      {words.accountStates[state]}
    </Badge>
  );
}

function LastSignIn({ at }: { readonly at: string | undefined }) {
  const words = useWords().settings;
  return at === undefined ? <span className="text-quiet">{words.never}</span> : <Time at={at} />;
}
