/** Why attempts failed, on both engines: written once, read with the request, and removed with its row. */

import { expect } from 'bun:test';
import type { RequestError } from '../../src/ledger/ledger.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const hour = 3_600_000;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`request errors on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    const error = (requestId: string, attempt: number, given: Partial<RequestError> = {}): RequestError => ({
      ...{ requestId, attempt, atMs: 1_000, provider: 'up', keyId: 'k', code: 'upstream_failed', message: 'Boom.' },
      ...given,
    });

    test('come back in the order of the attempts, with and without a status', async () => {
      const first = error('r', 0, { provider: '', keyId: '', message: 'No provider answered.' });
      const second = error('r', 1, { status: 500, message: 'It said \0 “no”.' });
      await store.requestErrors.insertMany([second, first, error('s', 1)]);
      expect(await store.requestErrors.ofRequest('r')).toEqual([first, { ...second, message: 'It said \ufffd “no”.' }]);
      expect(await store.requestErrors.ofRequest('none')).toEqual([]);
    });

    test('many go in at once, and again without effect', async () => {
      const many = Array.from({ length: 53 }, (_, index) => error('r', index));
      await store.requestErrors.insertMany(many);
      await store.requestErrors.insertMany(many.map((row) => ({ ...row, message: 'Another.' })));
      const found = await store.requestErrors.ofRequest('r');
      expect([found.length, new Set(found.map(({ message }) => message))]).toEqual([53, new Set(['Boom.'])]);
    });

    test('go when the rows of their requests may go', async () => {
      await store.requestErrors.insertMany([error('old', 1, { atMs: hour - 1 }), error('new', 1, { atMs: 3 * hour })]);
      const { rollup } = store.analytics;
      expect(await rollup.removeErrors(10)).toBe(0);
      while (await rollup.step(5 * hour));
      await rollup.retainFrom(2 * hour);
      expect(await rollup.removeErrors(10)).toBe(1);
      expect(await store.requestErrors.ofRequest('old')).toEqual([]);
      expect((await store.requestErrors.ofRequest('new')).length).toBe(1);
    });
  });
}
