/** Who may call, what for, and how much. */

import { useState } from 'react';
import type { OwnedTokenView, PageView } from '../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Table } from '../../components/table.tsx';
import { ListPaging } from '../../components/tables/list-paging.tsx';
import { sortText } from '../../components/tables/sort.ts';
import { type TableSort, useSort } from '../../components/tables/use-sort.ts';
import { PageTools } from '../../frame/top-line.tsx';
import { useShortcut } from '../../keyboard/use-shortcut.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useSettled } from '../../use-settled.ts';
import { useWords } from '../../words/use-words.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { CreateToken, tokensPath } from './create-token.tsx';
import { useTeams } from './fields/place-field.tsx';
import { FilterBar } from './filter-bar.tsx';
import { narrowToken, useTokenColumns } from './token-columns.tsx';
import { TokenPanel } from './token-panel.tsx';
import { isPreset, usualPreset } from './token-presets.ts';
import { useTokenFilter } from './use-token-filter.ts';

const pageTokens = 100;

export function Page() {
  const session = useSession();
  const navigation = useNavigation();
  const mayCreate = session.may('POST /console/api/tokens');
  const seesAll = session.account.role !== 'member';
  const seesOthers = useTeams()?.teams.some(({ role }) => role === 'admin' || role === 'viewer') ?? false;
  const [openId] = useQueryWord('token');
  const [wanted, setPreset] = useQueryWord('new', { replace: true });
  // Links from elsewhere only say that there is to be a new one.
  const preset = wanted === undefined || isPreset(wanted) ? wanted : usualPreset;
  const filter = useTokenFilter();
  const text = useSettled(filter.text);
  const [after, setAfter] = useQueryWord('after');
  const query = new URLSearchParams({ limit: String(pageTokens) });
  if (after !== undefined) query.set('after', after);
  if (filter.owner !== undefined) query.set('owner', filter.owner === 'me' ? session.account.id : filter.owner);
  if (filter.team !== undefined) query.set('team', filter.team);
  if (text !== undefined) query.set('q', text);
  if (filter.state !== undefined) query.set('state', filter.state);
  const columns = useTokenColumns(seesAll || seesOthers);
  const sort = useSort(columns);
  if (sort.current !== undefined) query.set('sort', sortText(sort.current));
  const { data, error, refetch } = useAsk<PageView<OwnedTokenView>>(`${tokensPath}?${query}`, { everyMs: 30_000 });
  const open = (id: string) =>
    navigation.go(withQuery(navigation.address(), { token: id, new: undefined, edit: undefined }));
  const create = () =>
    navigation.go(withQuery(navigation.address(), { new: usualPreset, token: undefined, edit: undefined }));
  const close = () => navigation.go(withQuery(navigation.address(), { token: undefined, edit: undefined }));
  useShortcut('n', mayCreate ? create : undefined);
  return (
    <div className="grid gap-4">
      <PageTools>{mayCreate && <CreateButton onCreate={create} />}</PageTools>
      <FilterBar seesAll={seesAll} />
      {error !== null && <ErrorNotice error={error} onAgain={() => void refetch()} />}
      {(data !== undefined || error === null) && (
        <TokenTable
          page={data}
          openId={openId}
          onOpen={open}
          onCreate={mayCreate ? create : undefined}
          columns={columns}
          sort={sort}
        />
      )}
      <ListPaging next={data?.next} after={after} onGo={setAfter} />
      {openId !== undefined && preset === undefined && (
        <TokenPanel key={openId} id={openId} listed={data?.items.find(({ id }) => id === openId)} onClose={close} />
      )}
      {mayCreate && preset !== undefined && (
        <CreateToken preset={preset} onPreset={setPreset} onClose={() => setPreset(undefined)} />
      )}
    </div>
  );
}

function CreateButton({ onCreate }: { readonly onCreate: () => void }) {
  const words = useWords().tokens;
  return (
    <Button kind="primary" icon="plus" className="ml-auto" aria-keyshortcuts="n" onClick={onCreate}>
      {words.create}
    </Button>
  );
}

interface TokenTableProps {
  readonly page: PageView<OwnedTokenView> | undefined;
  readonly openId: string | undefined;
  readonly columns: ReturnType<typeof useTokenColumns>;
  readonly sort: TableSort;
  readonly onCreate: (() => void) | undefined;
  onOpen(id: string): void;
}

function TokenTable({ page, openId, columns, sort, onOpen, onCreate }: TokenTableProps) {
  const words = useWords().tokens;
  const { text, state, clear } = useTokenFilter();
  const mayChange = useSession().may('PATCH /console/api/tokens/{id}');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const marked = page?.items.filter(({ id }) => selected.has(id)) ?? [];
  const isFiltered = text !== undefined || state !== undefined;
  const empty = isFiltered ? (
    <EmptyState icon="search" title={words.noMatch} action={<Button onClick={clear}>{words.clearFilter}</Button>}>
      {words.noMatchHint}
    </EmptyState>
  ) : (
    <EmptyState
      icon="tokens"
      title={words.empty}
      action={
        onCreate !== undefined && (
          <Button kind="primary" icon="plus" onClick={onCreate}>
            {words.create}
          </Button>
        )
      }
    >
      {onCreate === undefined ? words.emptyViewer : words.emptyHint}
    </EmptyState>
  );
  return (
    <>
      {marked.length > 0 && <BulkBar tokens={marked} onSelect={(ids) => setSelected(new Set(ids))} />}
      <Table
        label={words.list}
        columns={columns}
        rows={page?.items}
        keyOf={({ id }) => id}
        openKey={openId}
        onOpen={({ id }) => onOpen(id)}
        sort={sort}
        selection={mayChange ? { selected, change: setSelected, nameOf: ({ name }) => name } : undefined}
        narrow={narrowToken}
        empty={empty}
      />
    </>
  );
}
