/** The error of a request that a budget has no room for: what it could cost, what is left, and what would fit. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs, windowStartMs } from '../../ledger/window.ts';
import { budgetSpent } from '../admission/ledger-errors.ts';
import type { RelayParts } from '../relay-parts.ts';

/** The bounds of the refused request. */
interface RefusedBounds {
  mostNano(): bigint;
  /** The largest output limit that fits into what is left, where a limit can help. */
  outputFitting?(leftNano: bigint): number | undefined;
}

const periods = { total: '', day: ' a day', week: ' a week', month: ' a month' } as const;

const dollars = (nano: bigint): string => `$${usdText(nano)}`;

export async function budgetRefusal(
  parts: Pick<RelayParts, 'budgetOf' | 'wallMs'>,
  { terms: { budget }, tokenId }: Caller,
  bounds: RefusedBounds,
): Promise<GatewayError> {
  if (budget === undefined) return budgetSpent();
  const { limitNano, period } = budget;
  const atMs = parts.wallMs();
  // The request stays refused, whatever a second query returns.
  const standing = await parts.budgetOf(`token:${tokenId}`, windowStartMs(period, atMs)).catch(() => undefined);
  if (standing === undefined) return budgetSpent();
  const { spentNano, heldNano } = standing;
  const roomNano = limitNano - spentNano - heldNano;
  const leftNano = roomNano > 0n ? roomNano : 0n;
  const held = heldNano > 0n ? ` (${dollars(heldNano)} is held by requests in flight)` : '';
  const fitting = bounds.outputFitting?.(leftNano);
  const resetsAtMs = windowEndMs(period, atMs);
  const sentences = [
    `This request could cost up to ${dollars(bounds.mostNano())}, and ${dollars(leftNano)} is left of the token's budget of ${dollars(limitNano)}${periods[period]}${held}.`,
    ...(fitting === undefined ? [] : [`It fits with an output limit of ${fitting} tokens or less.`]),
    ...(resetsAtMs === undefined ? [] : [`The budget resets at ${new Date(resetsAtMs).toISOString()}.`]),
  ];
  return new GatewayError('budget_spent', sentences.join(' '));
}
