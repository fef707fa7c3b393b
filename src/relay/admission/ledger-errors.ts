/** Errors of the ledger that every kind of work shares: the database cannot be reached, the budget is spent. */

import { GatewayError } from '../../conversation/gateway-error.ts';

/** For `catch`: throws `store_unavailable`, which says what could not be done; an error of Weir's own passes. */
export function storeUnavailable(consequence: string): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof GatewayError) throw cause;
    const message = `Weir cannot reach its database, so ${consequence}.`;
    throw new GatewayError('store_unavailable', message, { cause, retryAfterMs: 1_000 });
  };
}

export const nothingSent = storeUnavailable('nothing was sent');

export function budgetSpent(): GatewayError {
  return new GatewayError(
    'budget_spent',
    "This request could cost more than is left of the token's budget. A lower output limit makes it cost less.",
  );
}
