/** The columns of the list of requests, which of them are shown at first, and what this browser remembers of the person's own choice. */

import { useCallback, useMemo, useState } from 'react';
import type { AnalyzedRowView } from '../../../admin/contracts/analytics-contract.ts';
import { Count, Duration, Money, Time } from '../../components/amounts.tsx';
import { Icon } from '../../components/icon.tsx';
import type { Column } from '../../components/table.tsx';
import { remember, remembered } from '../../remembered.ts';
import { countText } from '../../texts/number.ts';
import { guessedFrom } from '../../texts/price-version.ts';
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

const shapes: Readonly<Record<ColumnId, Shape>> = {
  at: { widthPx: 96, cell: ({ at }) => <Time at={at} /> },
  status: { cell: ({ status, code }) => <StatusBadge status={status} code={code} /> },
  model: { cell: ({ model }) => model },
  provider: { cell: (row) => <Served row={row} /> },
  upstreamModel: { cell: ({ upstreamModel }) => quiet(upstreamModel) },
  token: { cell: ({ tokenId, tokenName }) => quiet(tokenName ?? tokenId) },
  endpoint: { cell: ({ endpoint }) => quiet(endpoint) },
  stream: { cell: ({ stream }) => <Streamed stream={stream} /> },
  attempts: { align: 'end', cell: ({ attempts }) => <Count value={attempts} /> },
  input: { align: 'end', cell: ({ inputTokens }) => <Count value={inputTokens} /> },
  output: { align: 'end', cell: ({ outputTokens }) => <Count value={outputTokens} /> },
  firstEvent: { align: 'end', cell: ({ firstEventMs }) => <Duration ms={firstEventMs} /> },
  total: { align: 'end', cell: ({ totalMs }) => <Duration ms={totalMs} /> },
  cost: { align: 'end', cell: (row) => <Cost row={row} /> },
  id: { cell: ({ requestId }) => <code>{requestId}</code> },
};

export const columnIds = Object.keys(shapes) as readonly ColumnId[];

/** What is not exact says so: an estimate of what was used, or a guess at what that costs. */
function Cost({ row: { costNano, estimated, guess, priceVersion } }: { readonly row: AnalyzedRowView }) {
  const words = useWords().requests;
  if (costNano === null || !(estimated || guess === true)) return <Money nano={costNano} />;
  const hint = guess === true ? words.guessHint(guessedFrom(priceVersion ?? '')) : words.estimated;
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
  return { ids, toggle, reset };
}

/** Always in the order of the list above, whatever was chosen first. */
export function useColumns(ids: readonly ColumnId[]): readonly Column<AnalyzedRowView>[] {
  const words = useWords().requests.columns;
  return useMemo(
    () => columnIds.filter((id) => ids.includes(id)).map((id) => ({ id, head: words[id], ...shapes[id] })),
    [ids, words],
  );
}
