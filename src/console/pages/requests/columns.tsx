/** The columns of the list of requests, which of them are shown at first, and what this browser remembers of the person's own choice. */

import { useCallback, useMemo, useState } from 'react';
import type { AnalyzedRowView } from '../../../admin/contracts/analytics-contract.ts';
import { Count, Duration, Money, Time } from '../../components/amounts.tsx';
import { Icon } from '../../components/icon.tsx';
import type { Column } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { remember, remembered } from '../../remembered.ts';
import { countText } from '../../texts/number.ts';
import { guessHint } from '../../texts/price-version.ts';
import type { Words } from '../../words/en.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { StatusBadge } from './status-badge.tsx';

export type ColumnId = keyof Words['requests']['columns'];

const shownAtFirst: readonly ColumnId[] = [
  'at',
  'status',
  'model',
  'provider',
  'token',
  'input',
  'output',
  'firstEvent',
  'total',
  'cost',
];

type Shape = Omit<Column<AnalyzedRowView>, 'head' | 'id'>;

const quiet = (text: string) => <span className="text-quiet">{text}</span>;

const nanoOf = (costNano: string | null): bigint | undefined => (costNano === null ? undefined : BigInt(costNano));

/** When, status, model and cost stay at every width. */
const shapes: Readonly<Record<ColumnId, Shape>> = {
  at: { widthPx: 84, sortBy: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  status: {
    minPx: 164,
    sortBy: ({ status }) => status,
    cell: (row) => <Status row={row} />,
  },
  model: { minPx: 178, sortBy: ({ model }) => model, cell: ({ model }) => model },
  provider: { minPx: 112, drop: 3, sortBy: ({ provider }) => provider, cell: (row) => <Served row={row} /> },
  upstreamModel: { drop: 9, sortBy: (row) => row.upstreamModel, cell: ({ upstreamModel }) => quiet(upstreamModel) },
  token: {
    minPx: 120,
    drop: 2,
    sortBy: ({ tokenId, tokenName }) => tokenName ?? tokenId,
    cell: ({ tokenId, tokenName }) => quiet(tokenName ?? tokenId),
  },
  endpoint: { drop: 8, sortBy: ({ endpoint }) => endpoint, cell: ({ endpoint }) => quiet(endpoint) },
  stream: { widthPx: 104, drop: 10, cell: ({ stream }) => <Streamed stream={stream} /> },
  attempts: {
    widthPx: 88,
    drop: 7,
    align: 'end',
    sortBy: ({ attempts }) => attempts,
    cell: ({ attempts }) => <Count value={attempts} />,
  },
  input: {
    widthPx: 100,
    drop: 5,
    align: 'end',
    sortBy: ({ inputTokens }) => inputTokens,
    cell: ({ inputTokens }) => <Count value={inputTokens} />,
  },
  output: {
    widthPx: 112,
    drop: 5,
    align: 'end',
    sortBy: ({ outputTokens }) => outputTokens,
    cell: ({ outputTokens }) => <Count value={outputTokens} />,
  },
  firstEvent: {
    widthPx: 88,
    drop: 4,
    align: 'end',
    sortBy: ({ firstEventMs }) => firstEventMs,
    cell: ({ firstEventMs }) => <Duration ms={firstEventMs} />,
  },
  total: {
    widthPx: 90,
    drop: 1,
    align: 'end',
    sortBy: ({ totalMs }) => totalMs,
    cell: ({ totalMs }) => <Duration ms={totalMs} />,
  },
  id: { minPx: 250, drop: 11, cell: ({ requestId }) => <code>{requestId}</code> },
  cost: { widthPx: 108, align: 'end', sortBy: ({ costNano }) => nanoOf(costNano), cell: (row) => <Cost row={row} /> },
};

/** A request on a phone. */
export function narrowRequest(row: AnalyzedRowView): NarrowRow {
  const { at, model, provider, tokenId, tokenName } = row;
  return {
    title: model,
    titleEnd: <Status row={row} />,
    detail: (
      <>
        <Time at={at} /> · {[tokenName ?? tokenId, provider].filter((text) => text !== '').join(' · ')}
      </>
    ),
    detailEnd: <Cost row={row} />,
  };
}

export const columnIds = Object.keys(shapes) as readonly ColumnId[];

/** A row may count several refused requests. */
function Status({ row: { status, code, requests = 1 } }: { readonly row: AnalyzedRowView }) {
  const words = useWords().requests;
  if (requests === 1) return <StatusBadge status={status} code={code} />;
  return (
    <span className="inline-flex items-center gap-1.5" title={words.countedHint(requests)}>
      <StatusBadge status={status} code={code} />
      <span className="text-quiet tabular-nums">×{requests}</span>
    </span>
  );
}

/** What is not exact says so: an estimate of what was used, or a guess at what that costs. */
function Cost({ row: { costNano, estimated, guess, priceVersion } }: { readonly row: AnalyzedRowView }) {
  const words = useWords().requests;
  if (costNano === null || !(estimated || guess === true)) return <Money nano={costNano} />;
  const hint = guess === true ? guessHint(priceVersion, words) : words.estimated;
  return (
    <span className="whitespace-nowrap" title={hint}>
      <span className="text-quiet">~</span>
      <Money nano={costNano} />
      {guess === true && <span className="text-warn">*</span>}
    </span>
  );
}

/** Who served it; a mark where that was not the first who was asked. */
function Served({ row: { provider, attempts } }: { readonly row: AnalyzedRowView }) {
  const { words, tag } = useSpeech();
  if (attempts <= 1) return quiet(provider);
  const hint = words.requests.fellBackHint(countText(attempts, tag));
  return (
    // The words for the ear are placed within the cell, or they would widen the page beside a table that scrolls.
    <span className="relative inline-flex items-center gap-1.5" title={hint}>
      {quiet(provider)}
      <Icon name="fallback" className="text-warn" />
      <span className="sr-only">{hint}</span>
    </span>
  );
}

function Streamed({ stream }: { readonly stream: boolean }) {
  const words = useWords().requests;
  return quiet(stream ? words.streamed : words.notStreamed);
}

/** What was remembered by an older version may name columns that are gone. */
function chosenColumns(text: string | undefined): readonly ColumnId[] {
  const named = (text ?? '').split(',');
  const known = columnIds.filter((id) => named.includes(id));
  return known.length === 0 ? shownAtFirst : known;
}

export interface ColumnChoice {
  readonly ids: readonly ColumnId[];
  /** A person's own choice is shown as a whole, even where it has to be scrolled sideways. */
  readonly isOwn: boolean;
  toggle(id: ColumnId, isShown: boolean): void;
  reset(): void;
}

export function useColumnChoice(): ColumnChoice {
  const [ids, setIds] = useState(() => chosenColumns(remembered('request-columns')));
  const toggle = useCallback(
    (id: ColumnId, isShown: boolean) => {
      const next = columnIds.filter((other) => (other === id ? isShown : ids.includes(other)));
      remember('request-columns', next.join(','));
      setIds(next);
    },
    [ids],
  );
  const reset = useCallback(() => {
    remember('request-columns', undefined);
    setIds(shownAtFirst);
  }, []);
  return { ids, isOwn: ids !== shownAtFirst, toggle, reset };
}

interface ColumnOptions {
  readonly keepsAll?: boolean;
  /** What can be sorted: all columns where the rows are all there are, else what the server sorts by, or nothing. */
  readonly sorts?: 'all' | 'server' | 'none';
}

/** Of all that match, the server finds those that cost or took the most. */
const byServer: Readonly<Partial<Record<ColumnId, Pick<Shape, 'sortBy' | 'greatestFirst'>>>> = {
  cost: { sortBy: 'server', greatestFirst: true },
  total: { sortBy: 'server', greatestFirst: true },
};

/** What the server is asked for, as the address says it. */
export function topOf(sort: string | undefined): 'cost' | 'total' | undefined {
  return sort === '-cost' ? 'cost' : sort === '-total' ? 'total' : undefined;
}

/** Always in the order of the list above, whatever was chosen first. */
export function useColumns(
  ids: readonly ColumnId[],
  { keepsAll = false, sorts = 'none' }: ColumnOptions = {},
): readonly Column<AnalyzedRowView>[] {
  const words = useWords().requests.columns;
  return useMemo(
    () =>
      columnIds
        .filter((id) => ids.includes(id))
        .map((id) => {
          const { drop, sortBy, ...shape } = shapes[id];
          return {
            id,
            head: words[id],
            ...shape,
            ...(drop !== undefined && !keepsAll && { drop }),
            ...(sortBy !== undefined && sorts === 'all' && { sortBy }),
            ...(sorts === 'server' && byServer[id]),
          };
        }),
    [ids, words, keepsAll, sorts],
  );
}
