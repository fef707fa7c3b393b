/** A token's budget in numbers: what is spent, held by requests in flight and left, and when it resets. */

import type { BudgetView } from '../../../admin/contracts/contract.ts';
import { Until } from '../../components/amounts.tsx';
import { Icon } from '../../components/icon.tsx';
import { Progress } from '../../components/progress.tsx';
import { moneyText } from '../../texts/money.ts';
import { exactTimeText } from '../../texts/time.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useSpeech } from '../../words/use-words.tsx';

function useBudget(budget: BudgetView) {
  const { words, tag } = useSpeech();
  const limitNano = BigInt(budget.limitNano);
  const [spentNano, heldNano, leftNano] = [budget.spentUsd, budget.heldUsd, budget.leftUsd].map((usd) =>
    BigInt(nanoOfUsd(usd ?? '0')),
  ) as [bigint, bigint, bigint];
  const money = (nano: bigint) => moneyText(nano, tag);
  return {
    share: Number(spentNano) / Number(limitNano),
    heldShare: Number(heldNano) / Number(limitNano),
    isHeld: heldNano > 0n,
    spent: money(spentNano),
    held: money(heldNano),
    left: money(leftNano),
    text: words.parts.of(money(spentNano), money(limitNano)),
    label: words.tokens.periods[budget.period],
    words: words.tokenList.budget,
    tag,
  };
}

/** For a panel. */
export function BudgetFigures({ budget }: { readonly budget: BudgetView }) {
  const all = useSpeech().words.tokens;
  const { share, spent, held, left, text, label, words } = useBudget(budget);
  const cells = [
    { name: words.spent, value: spent },
    { name: words.held, value: held, hint: words.heldHint },
    { name: words.left, value: left },
  ];
  return (
    <div className="grid gap-3">
      <Progress label={`${all.columns.budget}, ${label}`} share={share} text={text} />
      <dl className="grid grid-cols-2 overflow-hidden rounded-md border border-line sm:grid-cols-4">
        {cells.map(({ name, value, hint }) => (
          <div
            key={name}
            title={hint}
            className="grid gap-0.5 border-r border-line p-3 max-sm:nth-2:border-r-0 max-sm:nth-[-n+2]:border-b"
          >
            <dt className="text-xs text-quiet">{name}</dt>
            <dd className="font-mono text-[0.93em] tabular-nums">{value}</dd>
          </div>
        ))}
        <div className="grid gap-0.5 p-3">
          <dt className="text-xs text-quiet">{words.resets}</dt>
          <dd>{budget.resetsAt === undefined ? words.never : <Until at={budget.resetsAt} />}</dd>
        </div>
      </dl>
      {budget.least !== undefined && <TooLittle budget={budget} />}
    </div>
  );
}

function TooLittle({ budget }: { readonly budget: BudgetView }) {
  const { words } = useBudget(budget);
  return (
    <p className="flex items-start gap-2 text-sm">
      <Icon name="warn" className="mt-0.5 shrink-0 text-warn" />
      <span>
        {useTooLittleText(budget)} {words.remedy}
      </span>
    </p>
  );
}

/** Undefined where what is left is enough for some request. */
function useTooLittleText(budget: BudgetView): string | undefined {
  const { left, words, tag } = useBudget(budget);
  const { least } = budget;
  return least && words.tooLittle(left, moneyText(nanoOfUsd(least.usd), tag), least.model);
}

const warnShare = 0.8;

/** For a row; the rest is shown on hover. */
export function BudgetCell({ budget }: { readonly budget: BudgetView | undefined }) {
  return budget === undefined ? <NoBudget /> : <NarrowBar budget={budget} />;
}

function NoBudget() {
  const { words } = useSpeech();
  return <span className="text-quiet">{words.tokens.noLimit}</span>;
}

const percent = (share: number): string => `${Math.max(0, Math.min(1, share)) * 100}%`;

function NarrowBar({ budget }: { readonly budget: BudgetView }) {
  const { share, heldShare, isHeld, spent, held, left, text, label, words, tag } = useBudget(budget);
  const tooLittle = useTooLittleText(budget);
  const tone = share >= 1 ? 'bg-bad' : share >= warnShare ? 'bg-warn-fill' : 'bg-accent';
  const resets = budget.resetsAt === undefined ? [] : [words.resetsAt(exactTimeText(Date.parse(budget.resetsAt), tag))];
  const hint = [`${text}, ${label}`, words.numbers(spent, held, left), ...resets, tooLittle].filter(Boolean).join('\n');
  return (
    <div className="flex items-center gap-1.5 text-xs tabular-nums" title={hint}>
      <div aria-hidden="true" className="flex h-1.5 w-10 shrink-0 overflow-hidden rounded-sm bg-pressed">
        <div className={`h-full ${tone}`} style={{ width: percent(share) }} />
        <div className="h-full bg-quiet" style={{ width: percent(heldShare) }} />
      </div>
      <span className="whitespace-nowrap">{text}</span>
      <span className={`flex min-w-0 items-center gap-1 ${tooLittle === undefined ? 'text-quiet' : 'text-warn'}`}>
        {tooLittle !== undefined && <Icon name="warn" className="size-3.5 shrink-0" />}
        <span className="truncate">
          {[words.leftShort(left), ...(isHeld ? [words.heldShort(held)] : [])].join(', ')}
        </span>
      </span>
    </div>
  );
}
