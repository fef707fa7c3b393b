/** Whose tokens used a model that ends is counted from rows and from their sums alike, on both engines. */

import { expect, setDefaultTimeout } from 'bun:test';
import { createEndingModels } from '../../src/admin/usage/ending-models.ts';
import type { Target } from '../../src/routing/catalogue.ts';
import { retirementOf } from '../../src/routing/retirement.ts';
import { needing } from '../harness/needs.ts';
import { aUsageRow, engines } from '../harness/store-places.ts';

setDefaultTimeout(300_000);

const day = 24 * 3_600_000;
const now = Date.UTC(2026, 10, 16, 13, 37);

const up = { name: 'up' };
const targets: Readonly<Record<string, readonly Target[]>> = {
  old: [{ provider: up, model: 'old' } as Target],
  alias: [{ provider: up, model: 'old' } as Target],
  new: [{ provider: up, model: 'new' } as Target],
};

for (const engine of engines) {
  const { describe, test } = needing(engine.name);
  describe(`models that end on ${engine.name}`, () => {
    test('the last 30 days count, those that are summed and those that are not', async () => {
      const place = await engine.place();
      const store = await place.open();
      const use = (tokenId: string, model: string, daysAgo: number, more: object = {}) =>
        aUsageRow({ tokenId, model, atMs: now - daysAgo * day, ...more });
      await store.usage.insertMany([
        use('a', 'old', 29),
        use('a', 'alias', 12),
        use('a', 'old', 0.01),
        use('b', 'alias', 3),
        // Too old, of another provider, of another model.
        use('a', 'old', 31),
        use('c', 'alias', 2, { provider: 'other' }),
        use('a', 'new', 2),
      ]);
      while (await store.analytics.rollup.step(now));
      const endings = createEndingModels({
        catalogue: { resolve: (name) => targets[name] },
        pricing: {
          ready: () => undefined,
          retirementOf: ({ model }) => (model === 'old' ? retirementOf({ shutdownAt: '2027-01-14' }) : undefined),
        },
        analytics: store.analytics,
        tokenName: async (id) => id.toUpperCase(),
        nowMs: () => now,
      });
      expect(await endings()).toEqual([
        {
          provider: 'up',
          model: 'old',
          names: expect.arrayContaining(['alias', 'old']),
          shutdownAt: '2027-01-14',
          tokens: [
            { id: 'a', name: 'A', requests: 3 },
            { id: 'b', name: 'B', requests: 1 },
          ],
        },
      ]);
      await place.dispose();
    });
  });
}
