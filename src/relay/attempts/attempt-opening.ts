/** The reservation of an attempt: what is held for it, in which budgets, and what a crash would charge. */

import type { AttemptOpening } from '../../ledger/ledger.ts';
import type { Price } from '../../prices/price.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Call } from '../admission/call.ts';
import { budgetsOf } from '../cost-bounds/budget-scopes.ts';
import type { PriceBounds } from '../cost-bounds/price-bounds.ts';
import { requireBounds } from '../cost-bounds/require-bounds.ts';
import type { RelayParts } from '../relay-parts.ts';

interface OpenedAttempt {
  readonly attemptId: string;
  readonly keyId: string;
  readonly call: Call;
  readonly target: Target;
  readonly price: Price | undefined;
  readonly bounds: PriceBounds;
  /** Of a request that was counted with an earlier exchange. */
  readonly isFurtherPart: boolean;
}

export function attemptOpening(
  { priceTables, wallMs }: Pick<RelayParts, 'priceTables' | 'wallMs'>,
  { attemptId, keyId, call, target, price, bounds, isFurtherPart }: OpenedAttempt,
): AttemptOpening {
  const { caller, requestId, facts } = call;
  const atMs = wallMs();
  const budgets = budgetsOf({ caller, model: facts.model, target, price, most: facts.most }, priceTables, atMs);
  requireBounds(budgets, bounds, target, caller.tokenId);
  return {
    attemptId,
    requestId,
    tokenId: caller.tokenId,
    scopes: isFurtherPart ? budgets.furtherScopes : budgets.scopes,
    // Without a budget nothing is reserved.
    reserveNano: budgets.money === undefined ? 0n : bounds.mostNano(),
    reserveTokens: budgets.tokens === undefined ? 0 : bounds.mostTokens(),
    estimateNano: bounds.likelyNano(),
    provider: target.provider.name,
    model: target.model,
    keyId,
    atMs,
  };
}
