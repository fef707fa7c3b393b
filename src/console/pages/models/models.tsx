/** What is served, by whom, and at what price. */

import { useMemo } from 'react';
import type { ModelView } from '../../../admin/contracts/account-contract.ts';
import type { RouteView } from '../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FilterField } from '../../components/fields/filter-field.tsx';
import { Table } from '../../components/table.tsx';
import { useSortedRows } from '../../components/tables/use-sort.ts';
import { type PaletteItem, usePaletteItems } from '../../frame/palette-context.ts';
import { PageTools } from '../../frame/top-line.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { countText } from '../../texts/number.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { useModelColumns, useNarrowModel, useOperationText } from './model-columns.tsx';
import { ModelPanel } from './model-panel.tsx';
import { type ModelRow, matchingRows, modelRows } from './model-rows.ts';
import { PriceTables } from './price-tables.tsx';
import { AliasSheet, fromNothing } from './route/alias-sheet.tsx';
import { modelsPath, routesPath } from './route-changes.ts';

const refreshMs = 10_000;

export function Page() {
  const session = useSession();
  const navigation = useNavigation();
  const [openId] = useQueryWord('model');
  const [aliasFrom, setAliasFrom] = useQueryWord('alias');
  const mayCreate = session.may('POST /console/api/routes');
  const maySee = session.may('GET /console/api/routes');
  const models = useAsk<{ readonly items: readonly ModelView[] }>(modelsPath, { everyMs: refreshMs });
  const routes = useAsk<{ readonly items: readonly RouteView[] }>(routesPath, { everyMs: refreshMs, when: maySee });
  const routeItems = maySee ? routes.data?.items : noRoutes;
  const rows = useMemo(
    () =>
      models.data === undefined || (routeItems === undefined && !routes.isError)
        ? undefined
        : modelRows(models.data.items, routeItems ?? []),
    [models.data, routeItems, routes.isError],
  );
  const go = (query: Record<string, string | undefined>) => navigation.go(withQuery(navigation.address(), query));
  const startAlias = () => go({ alias: fromNothing, model: undefined, view: undefined });
  usePaletteItems(useAliasItem(mayCreate));
  const error = models.error ?? routes.error;
  return (
    <>
      <PageTools>{mayCreate && <CreateTool onCreate={startAlias} />}</PageTools>
      <div className="grid gap-4">
        {error !== null && (
          <ErrorNotice error={error} onAgain={() => void Promise.all([models.refetch(), maySee && routes.refetch()])} />
        )}
        {(error === null || rows !== undefined) && (
          <ModelTable
            rows={rows}
            openId={openId}
            mayAddProvider={session.may('POST /console/api/providers')}
            onOpen={(id) => go({ model: id, view: undefined })}
          />
        )}
        <PriceTables />
      </div>
      <ModelPanel
        id={aliasFrom === undefined ? openId : undefined}
        routes={routeItems}
        onClose={() =>
          go({ model: undefined, view: undefined, price: undefined, range: undefined, from: undefined, to: undefined })
        }
      />
      {mayCreate && aliasFrom !== undefined && (
        <AliasSheet
          from={aliasFrom}
          models={models.data?.items.map(({ id }) => id) ?? []}
          routes={routeItems ?? []}
          onFrom={setAliasFrom}
          onCreated={(alias) => go({ alias: undefined, model: alias, view: 'route' })}
        />
      )}
    </>
  );
}

const noRoutes: readonly RouteView[] = [];

function CreateTool({ onCreate }: { readonly onCreate: () => void }) {
  const words = useWords().models;
  return (
    <span className="ml-auto flex">
      <Button kind="primary" icon="plus" onClick={onCreate} aria-label={words.createAlias}>
        <span className="max-sm:hidden">{words.createAlias}</span>
      </Button>
    </span>
  );
}

/** Found from the palette while the page is shown; the models themselves it finds anywhere. */
function useAliasItem(mayCreate: boolean): readonly PaletteItem[] {
  const words = useWords();
  const navigation = useNavigation();
  return useMemo(() => {
    const create: PaletteItem = {
      id: 'create-alias',
      group: words.palette.groups.actions,
      title: words.models.createAlias,
      icon: 'plus',
      run: () => navigation.go(withQuery('/console/models', { alias: fromNothing })),
    };
    return mayCreate ? [create] : [];
  }, [mayCreate, words, navigation]);
}

interface ModelTableProps {
  readonly rows: readonly ModelRow[] | undefined;
  readonly openId: string | undefined;
  readonly mayAddProvider: boolean;
  onOpen(id: string): void;
}

const kinds = ['all', 'alias', 'own'] as const;

function ModelTable({ rows, openId, mayAddProvider, onOpen }: ModelTableProps) {
  const { words: all, tag } = useSpeech();
  const words = all.models;
  const navigation = useNavigation();
  const operationText = useOperationText();
  const [filter, setFilter] = useQueryWord('filter', { replace: true });
  const [kind = 'all', setKind] = useQueryWord('kind', { replace: true });
  const columns = useModelColumns();
  const narrow = useNarrowModel();
  const matching = rows && matchingRows(rows, { text: filter ?? '', kind, operationText });
  const { rows: shown, sort } = useSortedRows(columns, matching);
  const isNarrowed = filter !== undefined || kind !== 'all';
  const empty = isNarrowed ? (
    <EmptyState
      icon="search"
      title={words.nothingFound}
      action={
        <Button onClick={() => navigation.go(withQuery(navigation.address(), { filter: undefined, kind: undefined }))}>
          {words.clearFilter}
        </Button>
      }
    >
      {words.nothingFoundHint}
    </EmptyState>
  ) : (
    <EmptyState
      icon="models"
      title={words.empty}
      action={
        mayAddProvider && (
          <Button kind="primary" icon="plus" onClick={() => navigation.go('/console/providers?add=-')}>
            {words.addProvider}
          </Button>
        )
      }
    >
      {words.emptyHint}
    </EmptyState>
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <FilterField label={words.filter} value={filter ?? ''} onChange={setFilter} />
        <KindSwitch kind={kind} onKind={(next) => setKind(next === 'all' ? undefined : next)} />
        <span role="status" className="ml-auto text-sm text-quiet">
          {shown !== undefined && words.count(countText(shown.length, tag))}
        </span>
      </div>
      <Table
        label={words.label}
        columns={columns}
        rows={shown}
        keyOf={({ id }) => id}
        openKey={openId}
        onOpen={({ id }) => onOpen(id)}
        sort={sort}
        narrow={narrow}
        empty={empty}
      />
    </>
  );
}

function KindSwitch({ kind, onKind }: { readonly kind: string; readonly onKind: (kind: string) => void }) {
  const words = useWords().models;
  return (
    <fieldset aria-label={words.kindsLabel} className="flex rounded-md border border-line bg-raised p-0.5">
      {kinds.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={kind === each}
          onClick={() => onKind(each)}
          className="h-6.5 cursor-pointer rounded-sm px-2.5 text-sm text-quiet hover:text-text aria-pressed:bg-wash aria-pressed:text-accent"
        >
          {words.kinds[each]}
        </button>
      ))}
    </fieldset>
  );
}
