/** How much of a token's budget is spent, wide for a panel and narrow for a row. */

import type { BudgetView } from '../../../admin/contracts/contract.ts';
import { Progress } from '../../components/progress.tsx';
import { moneyText } from '../../texts/money.ts';
import { useSpeech } from '../../words/use-words.tsx';

const nanoPerUsd = 1_000_000_000;

/** Amounts of the admin interface are decimal texts; a bar needs no more than a number. */
function nanoOf(usd: string | undefined): bigint {
  return usd === undefined ? 0n : BigInt(Math.round(Number(usd) * nanoPerUsd));
}

function useBudget(budget: BudgetView) {
  const { words, tag } = useSpeech();
  const limitNano = BigInt(budget.limitNano);
  const spentNano = nanoOf(budget.spentUsd);
  return {
    share: Number(spentNano) / Number(limitNano),
    text: words.parts.of(moneyText(spentNano, tag), moneyText(limitNano, tag)),
    label: words.tokens.periods[budget.period],
    heldNano: nanoOf(budget.heldUsd),
    tag,
    words: words.tokens,
  };
}

export function BudgetBar({ budget }: { readonly budget: BudgetView }) {
  const { share, text, label, heldNano, tag, words } = useBudget(budget);
  return (
    <div className="grid gap-1">
      <Progress label={`${words.columns.budget}, ${label}`} share={share} text={text} />
      {heldNano > 0n && <p className="text-xs text-quiet">{words.held(moneyText(heldNano, tag))}</p>}
    </div>
  );
}

const warnShare = 0.8;

export function BudgetCell({ budget }: { readonly budget: BudgetView | undefined }) {
  return budget === undefined ? <NoBudget /> : <NarrowBar budget={budget} />;
}

function NoBudget() {
  const { words } = useSpeech();
  return <span className="text-quiet">{words.tokens.noLimit}</span>;
}

function NarrowBar({ budget }: { readonly budget: BudgetView }) {
  const { share, text, label } = useBudget(budget);
  const held = Math.max(0, Math.min(1, share));
  const tone = share >= 1 ? 'bg-bad' : share >= warnShare ? 'bg-warn-fill' : 'bg-accent';
  return (
    <div className="flex items-center gap-3" title={`${text}, ${label}`}>
      <div aria-hidden="true" className="h-1.5 w-16 shrink-0 overflow-hidden rounded-sm bg-pressed">
        <div className={`h-full ${tone}`} style={{ width: `${held * 100}%` }} />
      </div>
      <span className="font-mono text-[0.93em] tabular-nums whitespace-nowrap">{text}</span>
      <span className="text-xs text-quiet whitespace-nowrap">{label}</span>
    </div>
  );
}
