/** The four numbers of the overview, each beside what it was in the same stretch of time before. */

import type { FiguresView, OverviewView } from '../../../admin/contracts/analytics-contract.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { exactMoneyText, moneyText } from '../../texts/money.ts';
import { countText, shareText, shortCountText } from '../../texts/number.ts';
import { type Change, changeOf, changeText, errorShare, pointsBetween } from '../../usage/change.ts';
import { useSpeech } from '../../words/use-words.tsx';

interface Figure {
  readonly id: 'requests' | 'spend' | 'tokens' | 'errors';
  readonly value: string;
  /** With every digit, on hover. */
  readonly exact: string;
  readonly note?: string;
  readonly change: Change;
}

const tokensOf = ({ inputTokens, outputTokens }: FiguresView): number => inputTokens + outputTokens;
const shortFrom = 100_000;

export function Figures({ overview }: { readonly overview: OverviewView | undefined }) {
  const { words, tag } = useSpeech();
  const { figures: names, figuresLabel, tokensParts, failedOf, leftOut } = words.overview;
  const count = (value: number) => (value < shortFrom ? countText : shortCountText)(value, tag);
  const list = overview === undefined ? undefined : figuresOf(overview);
  return (
    <section
      aria-label={figuresLabel}
      className="grid grid-cols-2 overflow-hidden rounded-md border border-line bg-raised lg:grid-cols-4"
    >
      {(['requests', 'spend', 'tokens', 'errors'] as const).map((id) => {
        const figure = list?.find((one) => one.id === id);
        return (
          <div
            key={id}
            data-figure={id}
            className="grid min-h-32 content-start gap-1 border-line px-4 py-3.5 not-nth-[2n+1]:border-l nth-[n+3]:border-t lg:nth-[n+2]:border-l lg:nth-[n+3]:border-t-0"
          >
            <h2 className="text-sm text-quiet">{names[id]}</h2>
            {figure === undefined ? <Waiting /> : <Shown figure={figure} />}
          </div>
        );
      })}
    </section>
  );

  function figuresOf({ total, before }: OverviewView): readonly Figure[] {
    const hasEarlier = before.requests > 0;
    const beforeShare = hasEarlier ? errorShare(before) : undefined;
    return [
      {
        id: 'requests',
        value: count(total.requests),
        exact: countText(total.requests, tag),
        change: changeOf(total.requests, before.requests, hasEarlier),
      },
      {
        id: 'spend',
        value: total.costNano === null ? '?' : moneyText(total.costNano, tag),
        exact: total.costNano === null ? words.parts.noPrice : exactMoneyText(total.costNano),
        ...(total.unpriced > 0 && { note: leftOut(count(total.unpriced), total.unpriced) }),
        change: changeOf(Number(total.costNano), Number(before.costNano), hasEarlier),
      },
      {
        id: 'tokens',
        value: count(tokensOf(total)),
        exact: countText(tokensOf(total), tag),
        note: tokensParts(count(total.inputTokens), count(total.outputTokens)),
        change: changeOf(tokensOf(total), tokensOf(before), hasEarlier),
      },
      {
        id: 'errors',
        value: shareText(errorShare(total), tag),
        exact: countText(total.failures, tag),
        note: failedOf(count(total.failures)),
        change: pointsBetween(errorShare(total), beforeShare),
      },
    ];
  }
}

function Waiting() {
  return (
    <>
      <Skeleton className="my-1.5 h-6 w-24" />
      <Skeleton className="my-0.5 h-3 w-32" />
    </>
  );
}

function Shown({ figure }: { readonly figure: Figure }) {
  return (
    <>
      <p className="truncate text-2xl font-semibold tracking-tight tabular-nums" title={figure.exact}>
        {figure.value}
      </p>
      <p className="text-xs text-quiet">
        <ChangeText figure={figure} />
      </p>
      {figure.note !== undefined && <p className="text-xs text-quiet">{figure.note}</p>}
    </>
  );
}

/** Only for errors is more a bad sign and less a good one; of everything else the person knows best. */
function ChangeText({ figure: { change } }: { readonly figure: Figure }) {
  const { words, tag } = useSpeech();
  const tone = change.kind !== 'points' ? '' : change.points > 0 ? 'text-bad' : 'text-ok';
  return <span className={tone}>{changeText(change, words.usage.change, tag)}</span>;
}
