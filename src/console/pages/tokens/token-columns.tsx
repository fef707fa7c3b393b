/** The columns of the list of tokens, and a token on a phone. */

import { useMemo } from 'react';
import type { OwnedTokenView } from '../../../admin/contracts/account-contract.ts';
import { Money, Time, Until } from '../../components/amounts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import type { NarrowRow } from '../../components/tables/column.ts';
import { countText, shortCountText } from '../../texts/number.ts';
import type { Words } from '../../words/en.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';
import { BudgetCell } from './budget-bar.tsx';

const stateTones: Readonly<Record<OwnedTokenView['state'], Tone>> = {
  active: 'ok',
  disabled: 'warn',
  expired: 'warn',
  revoked: 'plain',
};

export function StateBadge({ state }: { readonly state: OwnedTokenView['state'] }) {
  const words = useWords().tokens;
  return (
    <Badge tone={stateTones[state]} dot>
      {words.states[state]}
    </Badge>
  );
}

/** `withOwner` is false for those who only see their own. Name, state, budget and spend stay at every width. */
export function useTokenColumns(withOwner: boolean): readonly Column<OwnedTokenView>[] {
  const words = useWords();
  return useMemo(() => {
    const heads = { ...words.tokens.columns, ...words.tokenList.columns };
    const columns: readonly Column<OwnedTokenView>[] = [
      { id: 'name', head: heads.name, minPx: 150, sortBy: 'server', cell: (token) => <Name token={token} /> },
      { id: 'state', head: heads.state, widthPx: 98, cell: ({ state }) => <StateBadge state={state} /> },
      {
        id: 'owner',
        head: heads.owner,
        minPx: 120,
        drop: 3,
        sortBy: 'server',
        cell: (token) => <Owner token={token} />,
      },
      { id: 'labels', head: heads.labels, minPx: 90, drop: 4, cell: ({ labels }) => <Labels labels={labels} /> },
      { id: 'limits', head: heads.limits, minPx: 150, drop: 8, cell: (token) => <LimitsText token={token} /> },
      {
        id: 'hint',
        head: heads.hint,
        widthPx: 120,
        drop: 9,
        cell: ({ hint }) => <code className="text-[0.93em] text-quiet">{hint}</code>,
      },
      {
        id: 'lastUse',
        head: heads.lastUse,
        widthPx: 84,
        drop: 6,
        cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} />,
      },
      {
        id: 'expires',
        head: heads.expires,
        widthPx: 104,
        drop: 2,
        sortBy: 'server',
        cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
      },
      ...moneyColumns(words),
    ];
    return withOwner ? columns : columns.filter(({ id }) => id !== 'owner');
  }, [words, withOwner]);
}

function moneyColumns({ tokens, tokenList }: Words): readonly Column<OwnedTokenView>[] {
  const heads = { ...tokens.columns, ...tokenList.columns };
  return [
    {
      id: 'budget',
      head: heads.budget,
      minPx: 256,
      sortBy: 'server',
      cell: ({ budget }) => <BudgetCell budget={budget} />,
    },
    {
      id: 'resets',
      head: heads.resets,
      widthPx: 108,
      drop: 7,
      cell: ({ budget }) => budget?.resetsAt !== undefined && <Until at={budget.resetsAt} />,
    },
    {
      id: 'total',
      head: heads.total,
      widthPx: 108,
      align: 'end',
      drop: 5,
      sortBy: 'server',
      cell: ({ spend }) => <Spend nano={spend.totalNano} unpriced={spend.unpriced} />,
    },
    {
      id: 'month',
      head: heads.month,
      widthPx: 104,
      align: 'end',
      sortBy: 'server',
      cell: ({ spend }) => <Money nano={spend.monthNano} />,
    },
  ];
}

export function narrowToken(token: OwnedTokenView): NarrowRow {
  return {
    title: <Name token={token} />,
    titleEnd: <StateBadge state={token.state} />,
    detail: token.budget === undefined ? <Owner token={token} /> : <BudgetCell budget={token.budget} />,
    detailEnd: <Money nano={token.spend.monthNano} />,
  };
}

function Name({ token: { name } }: { readonly token: OwnedTokenView }) {
  return (
    <span className="font-medium" title={name}>
      {name}
    </span>
  );
}

export function Owner({ token: { ownerName } }: { readonly token: OwnedTokenView }) {
  const words = useWords().tokenList;
  return <span className="text-quiet">{ownerName ?? words.noOwner}</span>;
}

function Labels({ labels = [] }: { readonly labels?: readonly string[] | undefined }) {
  const words = useWords().parts;
  return <span className="text-quiet">{labels.length === 0 ? words.none : labels.join(', ')}</span>;
}

function LastUse({ at }: { readonly at: string | undefined }) {
  const words = useWords().tokens;
  return at === undefined ? <span className="text-quiet">{words.never}</span> : <Time at={at} />;
}

export function Expiry({ at }: { readonly at: string | undefined }) {
  const words = useWords().tokens;
  return at === undefined ? <span className="text-quiet">{words.never}</span> : <Until at={at} />;
}

/** What has no price is in no sum, and that is said. */
function Spend({ nano, unpriced }: { readonly nano: string; readonly unpriced: number }) {
  const { words, tag } = useSpeech();
  if (unpriced === 0) return <Money nano={nano} />;
  return (
    <span title={words.tokenList.unpricedHint(countText(unpriced, tag))}>
      <Money nano={nano} />
      <span className="text-warn">*</span>
    </span>
  );
}

function LimitsText({ token }: { readonly token: OwnedTokenView }) {
  const { words: all, tag } = useSpeech();
  const words = all.tokens;
  const parts = [
    token.rpm === undefined ? undefined : words.rpmShort(shortCountText(token.rpm, tag)),
    token.tpm === undefined ? undefined : words.tpmShort(shortCountText(token.tpm, tag)),
    token.concurrency === undefined ? undefined : words.concurrencyShort(shortCountText(token.concurrency, tag)),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? <span className="text-quiet">{words.noLimit}</span> : parts.join(' · ');
}
