/** Ends idempotency keys whose process died: free again where nothing can have been billed, used up where something may have been. */

import type { AttemptRow } from './ledger.ts';
import type { LedgerStore } from './ledger-store.ts';

/** How many keys are looked at together. */
const pageSize = 100;

/** Ends every key of an instance that is known to be dead and whose attempts were ended before. Returns how many there were. */
export async function endKeysOf(
  { attempts, idempotency }: Pick<LedgerStore, 'attempts' | 'idempotency'>,
  instanceId: string,
): Promise<number> {
  let ended = 0;
  for (;;) {
    const keys = await idempotency.heldBy(instanceId, pageSize);
    if (keys.length === 0) return ended;
    await Promise.all(
      keys.map(async ({ tokenId, key, requestId }) => {
        const made = await attempts.ofRequest(requestId);
        if (made.some(mayBeBilled)) await idempotency.lose(tokenId, key, requestId);
        else await idempotency.forget(tokenId, key, requestId);
      }),
    );
    ended += keys.length;
  }
}

/** The verdicts of attempts that a provider may have begun to work on: it served, it died with its process, or its outcome is unknown. */
const billable: ReadonlySet<string | undefined> = new Set(['', 'lost', 'uncertain', undefined]);

export function mayBeBilled({ verdict, costNano, estimated }: AttemptRow): boolean {
  return billable.has(verdict) || costNano !== 0n || estimated;
}
