/** How many tokens a request may use, as the limit of tokens per minute counts it until its real usage is known. */

import type { RequestFacts } from '../../formats/format.ts';
import type { Consumption } from '../../operations/consumption.ts';

/** Bytes bound the tokens from above; this is what they usually are. */
const bytesPerToken = 4;
/** Assumed for each reply that nothing limits: ordinary ones are shorter, and the real usage takes its place. */
const outputTokensAssumed = 4_096;

/** Of a conversation. */
export function tokensAsked(
  facts: Pick<RequestFacts, 'inputTokensMax' | 'outputTokensMax' | 'candidates'>,
  tokensPerMinute: number | undefined,
): number {
  // Most tokens have no such limit, and then the number is not used.
  if (tokensPerMinute === undefined) return 0;
  const { inputTokensMax, outputTokensMax, candidates } = facts;
  const input = Math.ceil(inputTokensMax / bytesPerToken);
  if (outputTokensMax !== undefined) return fitting(input, outputTokensMax * candidates, tokensPerMinute);
  return fitting(input, Math.min(outputTokensAssumed * candidates, tokensPerMinute), tokensPerMinute);
}

/** Of an operation, by the most that it can use. */
export function operationTokensAsked({ tokens }: Consumption, tokensPerMinute: number | undefined): number {
  if (tokensPerMinute === undefined) return 0;
  const input = Math.ceil((tokens?.input.total ?? 0) / bytesPerToken);
  return fitting(input, tokens?.output.total ?? 0, tokensPerMinute);
}

/** Where each side fits by itself the request is admitted alone, in an empty minute; else the limiter says what is too much. */
function fitting(input: number, output: number, tokensPerMinute: number): number {
  return input <= tokensPerMinute && output <= tokensPerMinute
    ? Math.min(input + output, tokensPerMinute)
    : input + output;
}
