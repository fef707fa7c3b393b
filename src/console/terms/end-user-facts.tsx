/** The terms for each end user of a token or a level, name beside value, and the way to all of them. */

import type { EndUserTermsView } from '../../admin/contracts/budget-contract.ts';
import { Count } from '../components/amounts.tsx';
import { type FactRow, FactRows } from '../components/fact-rows.tsx';
import { Part } from '../components/part.tsx';
import { Link } from '../router/router.tsx';
import { moneyText } from '../texts/money.ts';
import { shortCountText } from '../texts/number.ts';
import { nanoOfUsd } from '../texts/usd.ts';
import { useSpeech } from '../words/use-words.tsx';

interface EndUserFactsProps {
  readonly terms: EndUserTermsView;
  /** The words by which the list finds them: `team=…`, `token=…`. */
  readonly filter: Readonly<Record<string, string>>;
}

export function EndUserFacts({ terms: { budgets = [], rpm, max }, filter }: EndUserFactsProps) {
  const { words, tag } = useSpeech();
  const { facts, fields } = words.endUsers;
  const amount = (unit: (typeof budgets)[number]['unit'], text: string): string =>
    unit === 'usd' ? moneyText(nanoOfUsd(text), tag) : words.teams.amounts[unit](shortCountText(Number(text), tag));
  const rows: FactRow[] = [
    ...budgets.map(({ id, unit, limit, period, models = [] }) => ({
      name: words.teams.budgetOf(words.tokens.periods[period], models.join(', ')),
      value: <span key={id}>{amount(unit, limit)}</span>,
    })),
    ...(rpm === undefined ? [] : [{ name: words.tokens.fields.rpm, value: <Count value={rpm} /> }]),
    { name: facts.max, value: <Count value={max ?? 10_000} /> },
  ];
  const all = (
    <Link
      to={`/console/end-users?${new URLSearchParams(filter)}`}
      className="rounded-sm text-sm text-accent hover:underline"
    >
      {facts.all}
    </Link>
  );
  return (
    <Part title={facts.title} tools={all}>
      {budgets.length === 0 && (
        <p className="text-xs text-quiet">
          {fields.budgets}: {words.teams.noBudget}
        </p>
      )}
      <FactRows facts={rows} />
    </Part>
  );
}
