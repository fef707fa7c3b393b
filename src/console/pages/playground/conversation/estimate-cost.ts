/** What a reply would cost by the price list, for those who cannot read the books; always shown as an estimate. */

import type { PlaygroundModel } from '../playground-contract.ts';

/** Prices have up to this many decimals; the sum is rounded to billionths once, at its end. */
const decimals = 18n;
const nanoDecimals = 9n;

interface UsedTokens {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export function estimatedCostNano(model: PlaygroundModel | undefined, facts: UsedTokens): string | undefined {
  const { inputTokens, outputTokens } = facts;
  if (model?.pricing === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
  const prompt = scaled(model.pricing.prompt);
  const completion = scaled(model.pricing.completion);
  if (prompt === undefined || completion === undefined) return undefined;
  const step = 10n ** (decimals - nanoDecimals);
  return ((prompt * BigInt(inputTokens) + completion * BigInt(outputTokens) + step / 2n) / step).toString();
}

function scaled(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole + fraction.slice(0, Number(decimals)).padEnd(Number(decimals), '0'));
}
