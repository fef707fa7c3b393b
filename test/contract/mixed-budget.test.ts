/** One budget for chats, which are opened one by one or in a batch, and for videos, which are opened with their task: exact. */

import { describe, expect } from 'bun:test';
import { needing } from '../harness/needs.ts';
import { anOpening, engines, type StorePlace } from '../harness/store-places.ts';
import { aBeginning } from '../harness/task-records.ts';

const rounds = 25;

describe.each(engines)('on $name', (engine) => {
  const { test } = needing(engine.name);

  test('of many chats and videos at once, as many are admitted as fit', async () => {
    const place: StorePlace = await engine.place();
    try {
      const store = await place.open();
      await store.instances.register();
      for (let round = 0; round < rounds; round += 1) {
        const tokenId = `mixed-${round}`;
        const scopes = [{ scope: `token:${tokenId}`, unit: 'usd' as const, windowStartMs: 0, limit: 700n }];
        const chat = async (nth: number): Promise<boolean> => {
          const requestId = `chat-${round}-${nth}`;
          const opening = anOpening({ attemptId: `${requestId}.1`, requestId, tokenId, scopes, reserveNano: 100n });
          return (store.attempts.openNow(opening) ?? (await store.attempts.open(opening))).admitted;
        };
        const video = async (): Promise<boolean> => {
          const { opening, task } = aBeginning({ tokenId }, { scopes, reserveNano: 100n });
          return (await store.tasks.create(opening, task, 1_000)).admitted;
        };
        // Some are known to the process before the others begin, in another order each time.
        const before = await Promise.all(Array.from({ length: round % 4 }, (_, nth) => chat(1_000 + nth)));
        const kinds = Array.from({ length: 24 }, (_, nth) => ((nth * 7 + round) % 3 === 0 ? video() : chat(nth)));
        const admitted = [...before, ...(await Promise.all(kinds))].filter((one) => one);
        expect(admitted).toHaveLength(7);
        expect(await store.budgets.read(`token:${tokenId}`, 0)).toEqual({ spentNano: 0n, heldNano: 700n });
      }
      await store.close();
    } finally {
      await place.dispose();
    }
  });
});
