/** Hands a reply that its provider finishes in the background to what follows it, whole or streamed. */

import { isObject } from '../../conversation/json-tree.ts';
import { tokensAsked } from '../admission/tokens-asked.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { isExact } from '../cost-bounds/usage-estimate.ts';
import type { Delivery, Passage } from '../lanes/lane.ts';

/** Undefined where the reply is settled like any other: it came with its usage, or nothing is known to ask for. */
export function followWhole(attempt: Attempt, { reply, usage }: Delivery): Promise<void> | undefined {
  const { followed, format } = attempt.call;
  if (followed === undefined || isExact({ usage, code: '' })) return undefined;
  const id = isObject(reply) ? format.memory?.idOf(reply) : undefined;
  return id === undefined ? undefined : followed.accepted(id).then(() => letGo(attempt));
}

/**
 * Before the client reads the first event: however the stream ends, the reply is asked for until its usage is known. What
 * it resolves with ends the stream in place of a settlement.
 */
export async function followStream(attempt: Attempt, passage: Passage): Promise<(() => Promise<void>) | undefined> {
  const { followed } = attempt.call;
  const id = passage.made?.[0];
  if (followed === undefined || id === undefined) return undefined;
  await followed.accepted(id);
  return async () => {
    const { finished, usage } = passage;
    letGo(attempt);
    if (finished && isExact({ usage, code: '' })) await followed.reported(usage);
  };
}

/** The request is over, and its cost is not known yet: what it asked for counts against its tokens per minute. */
function letGo(attempt: Attempt): void {
  const { admission, facts } = attempt.call;
  attempt.handOver();
  admission.leave(tokensAsked(facts, Number.POSITIVE_INFINITY));
}
