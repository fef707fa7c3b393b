/** The error of a request that a budget has no room for: whose budget it is, what it has left, and what would fit. */

import type { Caller } from '../../access/caller.ts';
import { levelName } from '../../access/levels/levels.ts';
import type { BudgetUnit } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs, windowStartMs } from '../../ledger/window.ts';
import { budgetSpent } from '../admission/ledger-errors.ts';
import type { RelayParts } from '../relay-parts.ts';
import { allBudgets, type KnownBudget, limitAt } from './level-budgets.ts';

/** The bounds of the refused request. */
interface RefusedBounds {
  mostNano(): bigint;
  mostTokens(): number;
  /** The largest output limit that fits into what is left, where a limit can help. */
  outputFitting?(leftNano: bigint): number | undefined;
}

interface BudgetStanding {
  readonly limit: bigint;
  readonly spent: bigint;
  readonly held: bigint;
  readonly left: bigint;
  readonly resetsAtMs: number | undefined;
}

const periods = { total: '', day: ' a day', week: ' a week', month: ' a month' } as const;

/** As a sentence has it. */
function amountText(unit: BudgetUnit, amount: bigint): string {
  if (unit === 'usd') return `$${usdText(amount)}`;
  return `${amount} ${amount === 1n ? unit.slice(0, -1) : unit}`;
}

/** As a program reads it: dollars, or a whole number. */
const plainAmount = (unit: BudgetUnit, amount: bigint): string => (unit === 'usd' ? usdText(amount) : `${amount}`);

/** `scope` is the budget without room, as the ledger named it. */
export async function budgetRefusal(
  parts: Pick<RelayParts, 'budgetOf' | 'wallMs'>,
  caller: Caller,
  scope: string,
  bounds: RefusedBounds,
): Promise<GatewayError> {
  const known = allBudgets(caller).find((budget) => budget.scope === scope);
  if (known === undefined) return budgetSpent();
  const atMs = parts.wallMs();
  // The request stays refused, whatever a second query returns.
  const standing = await standingOf(parts, known, atMs).catch(() => undefined);
  if (standing === undefined) return budgetSpent();
  const sentences = [
    `${neededText(known, bounds)} ${leftText(caller, known, standing)}.`,
    ...fittingText(known, standing, bounds),
    ...(standing.resetsAtMs === undefined ? [] : [`The budget resets at ${isoTime(standing.resetsAtMs)}.`]),
  ];
  return new GatewayError('budget_spent', sentences.join(' '), { headers: budgetHeaders(known, standing) });
}

export async function standingOf(
  { budgetOf }: Pick<RelayParts, 'budgetOf'>,
  { scope, budget }: KnownBudget,
  atMs: number,
): Promise<BudgetStanding> {
  const { spentNano: spent, heldNano: held } = await budgetOf(scope, windowStartMs(budget.period, atMs));
  const limit = limitAt(budget, atMs);
  const room = limit - spent - held;
  return { limit, spent, held, left: room > 0n ? room : 0n, resetsAtMs: windowEndMs(budget.period, atMs) };
}

function neededText({ budget: { unit } }: KnownBudget, bounds: RefusedBounds): string {
  if (unit === 'usd') return `This request could cost up to ${amountText(unit, bounds.mostNano())}, and`;
  if (unit === 'tokens') return `This request could use up to ${amountText(unit, BigInt(bounds.mostTokens()))}, and`;
  return 'This is one request, and';
}

function leftText({ tokenId }: Caller, { level, budget }: KnownBudget, standing: BudgetStanding): string {
  const { unit, period } = budget;
  const { limit, spent, held, left } = standing;
  const whole = `${amountText(unit, limit)}${periods[period]}`;
  const whose =
    level.id === tokenId
      ? `the token's budget of ${whole}`
      : `the budget of ${whole} of the ${levelName(level, tokenId)}`;
  const isLeft = unit === 'usd' || left === 1n ? 'is' : 'are';
  const used = [
    ...(spent > 0n ? [`${amountText(unit, spent)} spent`] : []),
    ...(held > 0n ? [`${amountText(unit, held)} held by requests in flight`] : []),
  ];
  return `${amountText(unit, left)} ${isLeft} left of ${whose}${used.length === 0 ? '' : ` (${used.join(', ')})`}`;
}

/** Only a budget in money: the limit of output is all that a caller can lower without a shorter request. */
function fittingText({ budget }: KnownBudget, { left }: BudgetStanding, bounds: RefusedBounds): readonly string[] {
  const fitting = budget.unit === 'usd' ? bounds.outputFitting?.(left) : undefined;
  return fitting === undefined ? [] : [`It fits with an output limit of ${fitting} tokens or less.`];
}

const isoTime = (atMs: number): string => new Date(atMs).toISOString();

function budgetHeaders({ level, budget }: KnownBudget, standing: BudgetStanding): Readonly<Record<string, string>> {
  const { unit, period } = budget;
  return {
    'x-weir-budget-level': `${level.kind}:${level.id}`,
    'x-weir-budget-unit': unit,
    'x-weir-budget-period': period,
    'x-weir-budget-limit': plainAmount(unit, standing.limit),
    'x-weir-budget-spent': plainAmount(unit, standing.spent),
    'x-weir-budget-held': plainAmount(unit, standing.held),
    'x-weir-budget-left': plainAmount(unit, standing.left),
    ...(standing.resetsAtMs !== undefined && { 'x-weir-budget-reset': isoTime(standing.resetsAtMs) }),
  };
}
