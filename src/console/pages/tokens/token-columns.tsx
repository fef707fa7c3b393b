/** The columns of the list of tokens. */

import type { OwnedTokenView } from '../../../admin/contracts/account-contract.ts';
import { Time } from '../../components/amounts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import { shortCountText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';
import { BudgetCell } from './budget-bar.tsx';

export const stateTones: Readonly<Record<OwnedTokenView['state'], Tone>> = {
  active: 'ok',
  expired: 'warn',
  revoked: 'plain',
};

/** `withOwner` is false for those who only see their own. */
export function useTokenColumns(withOwner: boolean): readonly Column<OwnedTokenView>[] {
  const { words: all } = useSpeech();
  const words = all.tokens;
  const owner: Column<OwnedTokenView> = {
    id: 'owner',
    head: words.columns.owner,
    cell: ({ ownerName }) => <span className="text-quiet">{ownerName ?? words.nobody}</span>,
  };
  return [
    { id: 'name', head: words.columns.name, cell: ({ name }) => <span className="font-medium">{name}</span> },
    {
      id: 'state',
      head: words.columns.state,
      widthPx: 96,
      cell: ({ state }) => (
        <Badge tone={stateTones[state]} dot>
          {words.states[state]}
        </Badge>
      ),
    },
    {
      id: 'hint',
      head: words.columns.hint,
      widthPx: 128,
      cell: ({ hint }) => <code className="text-[0.93em] text-quiet">{hint}</code>,
    },
    ...(withOwner ? [owner] : []),
    { id: 'budget', head: words.columns.budget, widthPx: 264, cell: ({ budget }) => <BudgetCell budget={budget} /> },
    { id: 'limits', head: words.columns.limits, cell: (token) => <LimitsText token={token} /> },
    {
      id: 'expires',
      head: words.columns.expires,
      widthPx: 104,
      cell: ({ expiresAt }) =>
        expiresAt === undefined ? <span className="text-quiet">{words.never}</span> : <Time at={expiresAt} />,
    },
    {
      id: 'lastUse',
      head: words.columns.lastUse,
      widthPx: 104,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? <span className="text-quiet">{words.never}</span> : <Time at={lastUsedAt} />,
    },
  ];
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
