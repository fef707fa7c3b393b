/** The budgets of a level: a bar for a row, and all of them with their numbers for a panel. */

import type { LevelTermsView } from '../../../admin/contracts/organization-contract.ts';
import { Until } from '../../components/amounts.tsx';
import { Progress } from '../../components/progress.tsx';
import { moneyText } from '../../texts/money.ts';
import { shortCountText } from '../../texts/number.ts';
import { exactTimeText } from '../../texts/time.ts';
import { nanoOfUsd } from '../../texts/usd.ts';
import { useSpeech, useWords } from '../../words/use-words.tsx';

type Budget = NonNullable<LevelTermsView['budgets']>[number];

/** `amount` names the unit, `number` leaves it out beside an amount of the same unit. */
function useAmounts() {
  const { words, tag } = useSpeech();
  const number = (unit: Budget['unit'], value: string): string =>
    unit === 'usd' ? moneyText(nanoOfUsd(value), tag) : shortCountText(Number(value), tag);
  const amount = (unit: Budget['unit'], value: string): string =>
    unit === 'usd' ? number(unit, value) : words.teams.amounts[unit](number(unit, value));
  return { amount, number };
}

/** With a raise that has not ended. */
const limitNow = ({ raise, limit }: Budget): string =>
  raise !== undefined && Date.parse(raise.until) > Date.now() ? raise.limit : limit;

const warnShare = 0.8;

/** The budget that is nearest to its end. */
export function BudgetBar({ budgets = [] }: { readonly budgets: readonly Budget[] | undefined }) {
  const { words } = useSpeech();
  const { amount, number } = useAmounts();
  const [nearest, ...others] = budgets.toSorted((one, other) => other.share - one.share);
  if (nearest === undefined) return <span className="text-quiet">{words.teams.noBudget}</span>;
  const { unit, share, spent, period } = nearest;
  const text = words.parts.of(number(unit, spent), amount(unit, limitNow(nearest)));
  const tone = share >= 1 ? 'bg-bad' : share >= warnShare ? 'bg-warn-fill' : 'bg-accent';
  return (
    <div className="flex items-center gap-1.5 text-xs tabular-nums">
      <div aria-hidden="true" className="h-1.5 w-16 shrink-0 overflow-hidden rounded-sm bg-pressed">
        <div className={`h-full ${tone}`} style={{ width: `${Math.min(1, share) * 100}%` }} />
      </div>
      <span className="whitespace-nowrap">{text}</span>
      <span className="truncate text-quiet">
        {words.tokens.periods[period]}
        {others.length > 0 && ` ${words.teams.moreBudgets(others.length)}`}
      </span>
    </div>
  );
}

export function BudgetRows({ budgets = [] }: { readonly budgets: readonly Budget[] | undefined }) {
  const words = useWords().teams;
  if (budgets.length === 0) return <p className="text-sm text-quiet">{words.noBudget}</p>;
  return (
    <ul className="grid gap-4">
      {budgets.map((budget) => (
        <li key={budget.id} className="grid gap-1">
          <BudgetRow budget={budget} />
        </li>
      ))}
    </ul>
  );
}

function BudgetRow({ budget }: { readonly budget: Budget }) {
  const { words, tag } = useSpeech();
  const { amount, number } = useAmounts();
  const { unit, share, spent, held, left, period, models = [], raise, resetsAt } = budget;
  const label = words.teams.budgetOf(words.tokens.periods[period], models.join(', '));
  const numbers = words.tokenList.budget.numbers(number(unit, spent), number(unit, held), number(unit, left));
  return (
    <>
      <Progress
        label={label}
        share={share}
        text={words.parts.of(number(unit, spent), amount(unit, limitNow(budget)))}
      />
      <p className="flex flex-wrap gap-x-3 text-xs text-quiet">
        <span>{numbers}</span>
        {resetsAt !== undefined && (
          <span>
            {words.tokenList.budget.resets} <Until at={resetsAt} />
          </span>
        )}
        {raise !== undefined && (
          <span>{words.teams.raised(amount(unit, raise.limit), exactTimeText(Date.parse(raise.until), tag))}</span>
        )}
      </p>
    </>
  );
}
