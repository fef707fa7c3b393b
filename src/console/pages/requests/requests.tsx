/** Every request with its story: narrowed by anything, live or page by page, and to take along as a file. */

import { useCallback, useEffect, useMemo } from 'react';
import type { AnalyzedRowView, CountView } from '../../../admin/contracts/analytics-contract.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Table } from '../../components/table.tsx';
import { useSortedRows } from '../../components/tables/use-sort.ts';
import { FilterBar } from '../../filter/filter-bar.tsx';
import { type Filter, useFilter } from '../../filter/use-filter.ts';
import { PageTools, SandboxBadge } from '../../frame/top-line.tsx';
import { useShortcut } from '../../keyboard/use-shortcut.tsx';
import { isUpToNow } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { useRange, useZoom } from '../../range/use-range.ts';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import { type ColumnChoice, narrowRequest, topOf, useColumnChoice, useColumns } from './columns.tsx';
import { RequestPanel } from './detail/request-panel.tsx';
import { HeldRows } from './held-rows.tsx';
import { NoRequests } from './no-requests.tsx';
import { Paging } from './paging.tsx';
import { RequestTotals } from './request-totals.tsx';
import { isSandboxOnly } from './sandbox-only.ts';
import { Toolbar } from './toolbar.tsx';
import { type Place, pageRows, useCount, useRequests } from './use-requests.ts';

export function Page() {
  const [range, chooseRange] = useRange();
  const filter = useFilter(range);
  const place = usePlace();
  const [live, setLive] = useQueryWord('live', { replace: true });
  const { conditions } = filter;
  const question = useMemo(() => ({ range, conditions }), [range, conditions]);
  const zoom = useZoom();
  useShortcut('Escape', zoom.reset);
  const count = useCount(question);
  const [sortWord] = useQueryWord('sort');
  const isWhole = place.current === undefined && !count.isPlaceholderData && isOnePage(count.data);
  const top = isWhole || place.current !== undefined ? undefined : topOf(sortWord);
  const mayBeLive = place.current === undefined && isUpToNow(range) && top === undefined;
  const isLive = live === 'on' && mayBeLive;
  const requests = useRequests({ ...question, place: place.current, live: isLive, top });
  const columns = useColumnChoice();
  useWholePages(place, requests.data?.items.length, requests.isPlaceholderData);
  const refresh = () => {
    void requests.refetch();
    void count.refetch();
  };
  const isSandbox = isSandboxOnly((requests.data?.items ?? []).map(({ provider }) => provider));
  return (
    <>
      <PageTools>
        <span className="grow max-sm:hidden">{isSandbox && <SandboxBadge />}</span>
        <span className="grow sm:hidden" />
        <RangePicker range={range} onChoose={chooseRange} isBusy={requests.isFetching && !isLive} onRefresh={refresh} />
      </PageTools>
      <div className="grid min-w-0 gap-3">
        {isSandbox && (
          <div className="sm:hidden">
            <SandboxBadge />
          </div>
        )}
        <FilterBar {...filter} onChange={filter.set} onBegin={filter.begin} />
        <RequestTotals question={question} zoom={zoom} isLive={isLive} />
        <Toolbar
          count={count.data}
          isLive={isLive}
          mayBeLive={mayBeLive}
          columns={columns}
          onLive={(isOn) => setLive(isOn ? 'on' : undefined)}
          question={question}
        />
        {requests.error !== null && <ErrorNotice error={requests.error} onAgain={refresh} />}
        {(requests.error === null || requests.data !== undefined) && (
          <List
            rows={requests.data?.items}
            isLive={isLive}
            sorts={isLive || place.current !== undefined ? 'none' : isWhole ? 'all' : 'server'}
            choice={columns}
            filter={filter}
          />
        )}
        <Paging
          onNewest={place.current === undefined ? undefined : () => place.go(undefined)}
          onNewer={place.current === undefined ? undefined : placeAt(place, 'newer', requests.data?.newer)}
          onOlder={placeAt(place, 'older', requests.data?.older)}
          isCut={requests.data?.isComplete === false}
        />
      </div>
    </>
  );
}

interface ListProps {
  readonly rows: readonly AnalyzedRowView[] | undefined;
  readonly isLive: boolean;
  readonly sorts: 'all' | 'server' | 'none';
  readonly choice: ColumnChoice;
  readonly filter: Filter;
}

function List({ rows, isLive, sorts, choice, filter }: ListProps) {
  const words = useWords().requests;
  const [openId, setOpenId] = useQueryWord('request');
  const columns = useColumns(choice.ids, { keepsAll: choice.isOwn, sorts });
  const sorted = useSortedRows(columns, rows);
  return (
    <>
      {sorts === 'server' && sorted.sort.current !== undefined && rows !== undefined && (
        <p className="text-sm text-quiet">{words.greatest(rows.length)}</p>
      )}
      <HeldRows rows={sorted.rows} isLive={isLive}>
        {(shown) => (
          <Table
            label={words.list}
            columns={columns}
            rows={shown}
            keyOf={keyOfRow}
            openKey={openId}
            onOpen={({ requestId }) => setOpenId(requestId)}
            sort={sorted.sort}
            narrow={narrowRequest}
            empty={<NoRequests filter={filter} />}
          />
        )}
      </HeldRows>
      <RequestPanel requestId={openId} onClose={() => setOpenId(undefined)} />
    </>
  );
}

/** Every request that matches is on the first page. */
function isOnePage(count: CountView | undefined): boolean {
  return count?.exact === true && count.requests <= pageRows;
}

const keyOfRow = ({ requestId }: AnalyzedRowView): string => requestId;

interface Places {
  readonly current: Place | undefined;
  go(place: Place | undefined, how?: { readonly replace?: boolean }): void;
}

/** The address says after or before which row the page begins. */
function usePlace(): Places {
  const navigation = useNavigation();
  const [older] = useQueryWord('older');
  const [newer] = useQueryWord('newer');
  const current = useMemo((): Place | undefined => {
    if (older !== undefined) return { direction: 'older', cursor: older };
    return newer === undefined ? undefined : { direction: 'newer', cursor: newer };
  }, [older, newer]);
  const go = useCallback(
    (place: Place | undefined, how?: { readonly replace?: boolean }) => {
      const words = { older: undefined, newer: undefined, ...(place && { [place.direction]: place.cursor }) };
      navigation.go(withQuery(navigation.address(), words), how);
    },
    [navigation],
  );
  return useMemo(() => ({ current, go }), [current, go]);
}

function placeAt({ go }: Places, direction: Place['direction'], cursor: string | undefined): (() => void) | undefined {
  return cursor === undefined ? undefined : () => go({ direction, cursor });
}

/** Whoever goes towards the newest and finds less than a page is at the newest page. */
function useWholePages({ current, go }: Places, rows: number | undefined, isOther: boolean): void {
  const isShort = current?.direction === 'newer' && !isOther && rows !== undefined && rows < pageRows;
  useEffect(() => {
    if (isShort) go(undefined, { replace: true });
  }, [isShort, go]);
}
