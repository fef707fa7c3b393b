/** Who may sign in, and as what. */

import type { AccountView } from '../../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../../api/use-ask.ts';
import { Time } from '../../../components/amounts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { useQueryWord } from '../../../router/router.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { Section } from '../section.tsx';
import { accountsPath } from './accounts-path.ts';
import { CreatePerson } from './create-person.tsx';
import { PersonPanel } from './person-panel.tsx';

const newPerson = 'new';

export function People() {
  const words = useWords().settings;
  const [personId, setPersonId] = useQueryWord('person');
  const { data, error, refetch } = useAsk<{ readonly items: readonly AccountView[] }>(accountsPath);
  const columns = useColumns();
  const person = data?.items.find(({ id }) => id === personId);
  const close = () => setPersonId(undefined);
  return (
    <Section
      id="people"
      tools={
        <Button icon="plus" onClick={() => setPersonId(newPerson)}>
          {words.addPerson}
        </Button>
      }
    >
      {error !== null ? (
        <ErrorNotice error={error} onAgain={() => void refetch()} />
      ) : (
        <Table
          label={words.peopleList}
          columns={columns}
          rows={data?.items}
          keyOf={({ id }) => id}
          openKey={personId}
          onOpen={({ id }) => setPersonId(id)}
          empty={<EmptyState icon="account" title={words.nobodyYet} />}
        />
      )}
      {personId === newPerson && <CreatePerson onClose={close} />}
      {person !== undefined && <PersonPanel key={person.id} person={person} onClose={close} />}
    </Section>
  );
}

function useColumns(): readonly Column<AccountView>[] {
  const words = useWords();
  const me = useSession().account.id;
  return [
    {
      id: 'name',
      head: words.session.name,
      cell: ({ id, name }) => (
        <span className="flex items-center gap-2 font-medium">
          <span className="truncate">{name}</span>
          {id === me && <Badge tone="accent">{words.settings.you}</Badge>}
        </span>
      ),
    },
    { id: 'role', head: words.settings.role, widthPx: 128, cell: ({ role }) => words.session.roles[role] },
    {
      id: 'state',
      head: words.settings.state,
      widthPx: 112,
      cell: ({ state }) => (
        <Badge tone={state === 'active' ? 'ok' : 'plain'} dot>
          {words.settings.accountStates[state]}
        </Badge>
      ),
    },
    {
      id: 'lastSignIn',
      head: words.settings.lastSignIn,
      widthPx: 128,
      cell: ({ lastSignInAt }) =>
        lastSignInAt === undefined ? (
          <span className="text-quiet">{words.settings.never}</span>
        ) : (
          <Time at={lastSignInAt} />
        ),
    },
  ];
}
