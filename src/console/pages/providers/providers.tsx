/** Who serves models, with which keys, and how they do. */

import { useMemo } from 'react';
import type { ConfiguredProviderView } from '../../../admin/contracts/configuration-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FilterField } from '../../components/fields/filter-field.tsx';
import { type PaletteItem, usePaletteItems } from '../../frame/palette-context.ts';
import { PageTools } from '../../frame/top-line.tsx';
import { useShortcut } from '../../keyboard/use-shortcut.tsx';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';
import { AddProvider, choosing } from './adding/add-provider.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { addressOf, matchingProviders } from './find-providers.ts';
import { ProviderCard, WaitingCard } from './provider-card.tsx';
import { providersPath } from './provider-changes.ts';
import { ProviderPanel } from './provider-panel.tsx';

const refreshMs = 5_000;

export function Page() {
  const session = useSession();
  const navigation = useNavigation();
  const [openName, setOpenName] = useQueryWord('provider');
  const [adding, setAdding] = useQueryWord('add');
  const [exporting, setExporting] = useQueryWord('export');
  const providers = useAsk<{ readonly items: readonly ConfiguredProviderView[] }>(providersPath, {
    everyMs: refreshMs,
  });
  const mayAdd = session.may('POST /console/api/providers');
  const startAdding = () => navigation.go(withQuery(navigation.address(), { add: choosing, provider: undefined }));
  const openAdded = (name: string) =>
    navigation.go(withQuery(navigation.address(), { add: undefined, provider: name }), { replace: true });
  const items = providers.data?.items;
  usePaletteItems(useAddItem(mayAdd));
  return (
    <>
      <PageTools>
        <Tools
          mayAdd={mayAdd}
          mayExport={session.may('GET /console/api/export')}
          onAdd={startAdding}
          onExport={() => setExporting('1')}
        />
      </PageTools>
      {providers.isError && items === undefined ? (
        <ErrorNotice error={providers.error} onAgain={() => void providers.refetch()} />
      ) : (
        <Cards providers={items} openName={openName} onAdd={mayAdd ? startAdding : undefined} />
      )}
      <ProviderPanel
        name={adding === undefined ? openName : undefined}
        providers={items}
        onClose={() => setOpenName(undefined)}
      />
      {mayAdd && <AddProvider kind={adding} providers={items ?? []} onKind={setAdding} onAdded={openAdded} />}
      <ExportDialog open={exporting !== undefined} onClose={() => setExporting(undefined)} />
    </>
  );
}

interface ToolsProps {
  readonly mayAdd: boolean;
  readonly mayExport: boolean;
  onAdd(): void;
  onExport(): void;
}

function Tools({ mayAdd, mayExport, onAdd, onExport }: ToolsProps) {
  const words = useWords().providers;
  return (
    <span className="ml-auto flex gap-2">
      {mayExport && (
        <Button icon="download" onClick={onExport} aria-label={words.export}>
          <span className="max-lg:hidden">{words.export}</span>
        </Button>
      )}
      {mayAdd && (
        <Button kind="primary" icon="plus" onClick={onAdd} aria-label={words.add}>
          <span className="max-sm:hidden">{words.add}</span>
        </Button>
      )}
    </span>
  );
}

/** Found from the palette while the page is shown; the providers themselves it finds anywhere. */
function useAddItem(mayAdd: boolean): readonly PaletteItem[] {
  const words = useWords();
  const navigation = useNavigation();
  return useMemo(() => {
    const add: PaletteItem = {
      id: 'add-provider',
      group: words.palette.groups.actions,
      title: words.providers.add,
      icon: 'plus',
      run: () => navigation.go(withQuery('/console/providers', { add: choosing })),
    };
    return mayAdd ? [add] : [];
  }, [mayAdd, words, navigation]);
}

interface CardsProps {
  readonly providers: readonly ConfiguredProviderView[] | undefined;
  readonly openName: string | undefined;
  /** Absent where the person only looks. */
  readonly onAdd: (() => void) | undefined;
}

const waitingCards = 4;

function Cards({ providers, openName, onAdd }: CardsProps) {
  const words = useWords().providers;
  const [filter, setFilter] = useQueryWord('filter', { replace: true });
  useCardKeys();
  const shown = providers === undefined ? undefined : matchingProviders(providers, filter ?? '');
  if (providers?.length === 0) {
    return (
      <EmptyState
        icon="providers"
        title={words.empty}
        action={
          onAdd && (
            <Button kind="primary" icon="plus" onClick={onAdd}>
              {words.add}
            </Button>
          )
        }
      >
        {words.emptyHint}
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-4">
      <FilterField label={words.filter} value={filter ?? ''} onChange={setFilter} />
      {shown?.length === 0 ? (
        <EmptyState
          icon="search"
          title={words.nothingFound}
          action={<Button onClick={() => setFilter(undefined)}>{words.clearFilter}</Button>}
        >
          {words.nothingFoundHint}
        </EmptyState>
      ) : (
        <ul
          aria-label={words.label}
          aria-busy={shown === undefined || undefined}
          className="grid gap-3 md:grid-cols-2 2xl:grid-cols-3"
        >
          {shown?.map((provider) => (
            <ProviderCard key={addressOf(provider)} provider={provider} open={addressOf(provider) === openName} />
          )) ?? Array.from({ length: waitingCards }, (_, index) => <WaitingCard key={index} />)}
        </ul>
      )}
    </div>
  );
}

/** j and k go from card to card, as they go from row to row in tables. */
function useCardKeys(): void {
  const move = (step: number) => {
    const cards = [...document.querySelectorAll<HTMLElement>('main [data-card]')];
    const place = cards.indexOf(document.activeElement as HTMLElement);
    const next = place === -1 ? 0 : Math.max(0, Math.min(cards.length - 1, place + step));
    cards[next]?.focus();
  };
  useShortcut('j', () => move(1));
  useShortcut('k', () => move(-1));
}
