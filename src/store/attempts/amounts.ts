/**
 * What an attempt holds and is charged, in each unit that a budget can count. The rules are here, and once more in SQL for
 * PostgreSQL's function, which ends attempts whose reservation only the database knows.
 */

import type { BudgetUnit } from '../../access/organization.ts';
import type { KnownClosing, KnownOpening } from '../sql/driver.ts';
import type { Money } from '../sql/statement.ts';
import { type ClosingCells, closingTable, type OpeningCells, openingTable } from './attempt-table.ts';

export type Amounts = Readonly<Record<BudgetUnit, bigint>>;

/** What an opening has to say about amounts. */
type Reserve = Omit<KnownOpening, 'id'>;
/** What a closing has to say about amounts. */
type Charge = Omit<KnownClosing, 'id'>;

/** An attempt is one request, whatever it costs. */
export const reservedAmounts = ({ reserveNano, reserveTokens }: Reserve): Amounts => ({
  usd: BigInt(reserveNano),
  requests: 1n,
  tokens: BigInt(reserveTokens ?? 0),
});

export const reserveOf = (opening: OpeningCells): KnownOpening => ({
  id: openingTable.get(opening, 'id'),
  reserveNano: openingTable.get(opening, 'reserveNano'),
  // Cells of earlier versions lack it.
  reserveTokens: openingTable.get(opening, 'reserveTokens') ?? null,
});

export const chargeOf = (closing: ClosingCells): KnownClosing => ({
  id: closingTable.get(closing, 'id'),
  costNano: closingTable.get(closing, 'costNano'),
  verdict: closingTable.get(closing, 'verdict'),
  tokens: closingTable.get(closing, 'tokens') ?? null,
});

/**
 * Where the tokens are unknown, an attempt that served or cost something is charged those that it reserved. One that used
 * anything is a request, also where it did not serve: a client that leaves before the end of each reply is counted too.
 */
export function chargedAmounts({ costNano, verdict, tokens }: Charge, reservedTokens: bigint): Amounts {
  const usd = BigInt(costNano);
  const served = verdict === '';
  const unknown = served || usd > 0n ? reservedTokens : 0n;
  const used = tokens === null ? unknown : BigInt(tokens);
  return { usd, requests: served || usd > 0n || used > 0n ? 1n : 0n, tokens: used };
}

/** The same in SQL, for the tokens alone; each is an expression. */
export const chargedTokensSql = (tokens: string, cost: string, verdict: string): string =>
  `COALESCE(${tokens}, CASE WHEN ${verdict} = '' OR ${cost} > 0 THEN reserve_tokens ELSE 0 END)`;

/** Its process died: what it did is unknown, so that it counts as a request that used all tokens that it reserved. */
export const lostAmounts = (costNano: Money, reserveTokens: number | null): Amounts => ({
  usd: BigInt(costNano),
  requests: 1n,
  tokens: BigInt(reserveTokens ?? 0),
});

export const differenceOf = (after: Amounts, before: Amounts): Amounts => ({
  usd: after.usd - before.usd,
  requests: after.requests - before.requests,
  tokens: after.tokens - before.tokens,
});

export const sumOf = (one: Amounts, other: Amounts): Amounts => ({
  usd: one.usd + other.usd,
  requests: one.requests + other.requests,
  tokens: one.tokens + other.tokens,
});
