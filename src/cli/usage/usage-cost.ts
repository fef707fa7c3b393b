/** Costs for a terminal: `?` where no price is known, `~` where it is not exact, `*` where the price is a guess. */

import type { UsageRowView, UsageSumView } from '../../admin/contracts/contract.ts';
import { guessedFrom, incompleteIn } from '../../prices/price-source.ts';
import { printable } from '../table.ts';

interface Cost {
  readonly costUsd: string | null;
  readonly estimated?: boolean;
  readonly guess?: boolean;
}

export function costText({ costUsd, estimated = false, guess = false }: Cost): string {
  if (costUsd === null) return '?';
  return `${estimated || guess ? '~' : ''}$${costUsd}${guess ? '*' : ''}`;
}

const unpricedHint = 'Run weir usage --unpriced for the models and the lines that set a price.';
/** Of guessed prices that are named below a list. */
const namedMax = 3;

/** What the marks of a list mean; empty where it has none. */
export function rowNotes(rows: readonly UsageRowView[]): string {
  const hosts = new Set(rows.flatMap(({ priceVersion }) => guessedFrom(priceVersion ?? '') ?? []));
  const tables = new Set(rows.flatMap(({ priceVersion }) => incompleteIn(priceVersion ?? '') ?? []));
  const named = [...hosts].slice(0, namedMax).map(printable).join(', ');
  const notes = [
    rows.some(({ costUsd }) => costUsd === null) && `? No price set. ${unpricedHint}\n`,
    tables.size > 0 &&
      `* Without a unit that is not known (${[...tables].slice(0, namedMax).map(printable).join(', ')}).\n`,
    hosts.size > 0 && `* Estimated from another provider’s price for the same model (${named}).\n`,
  ];
  return noteText(notes);
}

/** How many requests sums leave out. */
export function sumNotes(sums: readonly UsageSumView[]): string {
  const left = sums.reduce((count, { unpriced }) => count + unpriced, 0);
  if (left === 0) return '';
  const what = left === 1 ? '1 request has no price and is' : `${left} requests have no price and are`;
  return noteText([`${what} not included in these costs. ${unpricedHint}\n`]);
}

function noteText(notes: readonly (string | false)[]): string {
  const said = notes.filter((note) => note !== false);
  return said.length === 0 ? '' : `\n${said.join('')}`;
}
