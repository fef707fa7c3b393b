/** The people whom requests name: what each spent and may spend, and who is blocked. */

import type { PageView } from '../../../admin/contracts/account-contract.ts';
import type { EndUserView } from '../../../admin/contracts/end-user-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Choice } from '../../components/fields/choice.tsx';
import { FilterField } from '../../components/fields/filter-field.tsx';
import { Table } from '../../components/table.tsx';
import { ListPaging } from '../../components/tables/list-paging.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useSettled } from '../../use-settled.ts';
import { useWords } from '../../words/use-words.tsx';
import { placesOf, useTeams } from '../tokens/fields/place-field.tsx';
import { endUsersPath, narrowEndUser, useEndUserColumns } from './end-user-columns.tsx';
import { EndUserPanel } from './end-user-panel.tsx';

const pageUsers = 50;

export function Page() {
  const navigation = useNavigation();
  const filter = useEndUserFilter();
  const text = useSettled(filter.text);
  const [openId] = useQueryWord('id');
  const [after, setAfter] = useQueryWord('after');
  const query = new URLSearchParams({ limit: String(pageUsers) });
  const words = { q: text, token: filter.token, team: filter.team, blocked: filter.blocked, after };
  for (const [word, value] of Object.entries(words)) if (value !== undefined) query.set(word, value);
  const { data, error, refetch } = useAsk<PageView<EndUserView>>(`${endUsersPath}?${query}`, { everyMs: 30_000 });
  const open = (id: string | undefined) => navigation.go(withQuery(navigation.address(), { id, edit: undefined }));
  return (
    <div className="grid gap-4">
      <FilterBar filter={filter} />
      {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
      {(data !== undefined || error === null) && (
        <UserTable items={data?.items} filter={filter} openId={openId} onOpen={open} />
      )}
      <ListPaging next={data?.next} after={after} onGo={setAfter} />
      {openId !== undefined && (
        <EndUserPanel
          key={openId}
          id={openId}
          listed={data?.items.find(({ id }) => id === openId)}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  );
}

interface EndUserFilter {
  readonly text: string | undefined;
  readonly blocked: 'true' | 'false' | undefined;
  /** A team or project. */
  readonly team: string | undefined;
  readonly token: string | undefined;
  change(words: Readonly<Record<string, string | undefined>>, how?: { readonly replace: boolean }): void;
}

/** As the address says it; the server does the looking. */
function useEndUserFilter(): EndUserFilter {
  const navigation = useNavigation();
  const [text] = useQueryWord('q');
  const [blocked] = useQueryWord('blocked');
  const [team] = useQueryWord('team');
  const [token] = useQueryWord('token');
  return {
    text: text?.trim() === '' ? undefined : text,
    blocked: blocked === 'true' || blocked === 'false' ? blocked : undefined,
    team,
    token,
    change: (words, how) => navigation.go(withQuery(navigation.address(), { ...words, after: undefined }), how),
  };
}

function FilterBar({ filter }: { readonly filter: EndUserFilter }) {
  const all = useWords();
  const words = all.endUsers;
  const places = placesOf(useTeams()?.teams ?? [], all).map(({ value, label }) => [value, label] as const);
  return (
    <search className="flex flex-wrap items-center gap-2">
      <div className="min-w-64 grow sm:max-w-80">
        <FilterField
          label={words.filter}
          value={filter.text ?? ''}
          onChange={(q) => filter.change({ q }, { replace: true })}
        />
      </div>
      <Choice
        label={words.columns.state}
        value={filter.blocked}
        options={[
          ['', words.allStates],
          ['false', words.active],
          ['true', words.blocked],
        ]}
        onChoose={(blocked) => filter.change({ blocked })}
      />
      {places.length > 0 && (
        <Choice
          label={all.teams.place.label}
          value={filter.team}
          options={[['', all.teams.place.all], ...places]}
          onChoose={(team) => filter.change({ team })}
        />
      )}
      {filter.token !== undefined && (
        // Someone came here from a token's page.
        <Choice
          label={words.token}
          value={filter.token}
          options={[
            ['', words.allTokens],
            [filter.token, words.oneToken],
          ]}
          onChoose={(token) => filter.change({ token })}
        />
      )}
    </search>
  );
}

interface UserTableProps {
  readonly items: readonly EndUserView[] | undefined;
  readonly filter: EndUserFilter;
  readonly openId: string | undefined;
  onOpen(id: string): void;
}

function UserTable({ items, filter, openId, onOpen }: UserTableProps) {
  const words = useWords().endUsers;
  const columns = useEndUserColumns();
  const isFiltered = [filter.text, filter.blocked, filter.team, filter.token].some((word) => word !== undefined);
  const clear = () => filter.change({ q: undefined, blocked: undefined, team: undefined, token: undefined });
  const empty = isFiltered ? (
    <EmptyState icon="search" title={words.noMatch} action={<Button onClick={clear}>{words.clearFilter}</Button>}>
      {words.noMatchHint}
    </EmptyState>
  ) : (
    <EmptyState icon="endUsers" title={words.empty}>
      {words.emptyHint}
    </EmptyState>
  );
  return (
    <Table
      label={words.list}
      columns={columns}
      rows={items}
      keyOf={({ id }) => id}
      openKey={openId}
      onOpen={({ id }) => onOpen(id)}
      narrow={narrowEndUser}
      empty={empty}
    />
  );
}
