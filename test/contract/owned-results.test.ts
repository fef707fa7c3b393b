/** Whose results there are and how many bytes of them, on both engines: the oldest go where a token has too many, or all have. */

import { expect } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FolderResults } from '../../src/store/results/folder-results.ts';
import { OwnedResults } from '../../src/store/results/owned-results.ts';
import type { KeptResultRow } from '../../src/store/results/result-rows.ts';
import { ResultTooLargeError } from '../../src/store/results/result-store.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

async function* once(bytes: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(bytes);
}

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`owned results on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let nowMs: number;
    beforeEach(async () => {
      nowMs = 1_000;
      place = await engine.place();
      store = await place.open(() => nowMs);
    });
    afterEach(() => place.dispose());

    const row = (given: Partial<KeptResultRow> = {}): KeptResultRow => ({
      ...{ name: 'a', kind: 'image', tokenId: 'token-1', bytes: 100, atMs: 1_000, expiresAtMs: 2_000 },
      ...given,
    });

    test('a row comes back as it went in, and ends at its time', async () => {
      await store.keptResults.put(row());
      expect(await store.keptResults.get('a', 1_999)).toEqual(row());
      expect(await store.keptResults.get('a', 2_000)).toBeUndefined();
      expect(await store.keptResults.expired('image', 1_999, 10)).toEqual([]);
      expect(await store.keptResults.expired('image', 2_000, 10)).toEqual(['a']);
      expect(await store.keptResults.expired('video', 2_000, 10)).toEqual([]);
      await store.keptResults.remove('a');
      expect(await store.keptResults.get('a', 1_999)).toBeUndefined();
    });

    test('results beyond a limit are listed, the oldest first, exact to the byte', async () => {
      for (const [index, tokenId] of ['big', 'big', 'small', 'big', 'other'].entries()) {
        await store.keptResults.put(row({ name: `${index}`, tokenId, atMs: 1_000 + index }));
      }
      await store.keptResults.put(row({ name: 'v', kind: 'video', bytes: 10_000, atMs: 1 }));
      const excess = (token: number, all: number) => store.keptResults.excess('image', token, all, 10);
      expect(await excess(300, 500)).toEqual([]);
      expect(await excess(299, 500)).toEqual(['0']);
      expect(await excess(199, 500)).toEqual(['0', '1']);
      expect(await excess(300, 499)).toEqual(['0']);
      expect(await excess(300, 299)).toEqual(['0', '1', '2']);
      expect(await store.keptResults.excess('image', 1, 1, 2)).toEqual(['0', '1']);
    });

    test('writing keeps to the limits: files and rows go together', async () => {
      const folder = join(place.folder, 'kept');
      const faults: unknown[] = [];
      const results = new OwnedResults({
        place: new FolderResults({ folder }),
        rows: store.keptResults,
        kind: 'image',
        limits: { tokenBytesMax: 1_600, bytesMax: 3_200 },
        lifetimeMs: 60_000,
        wallMs: () => nowMs++,
        onFault: (_message, cause) => void faults.push(cause),
      });
      for (let index = 0; index < 10; index++) {
        await results.write(`greedy-${index}`, 'image/png', once(800), 1e6, 'greedy');
        await results.trim();
      }
      expect(readdirSync(folder).sort()).toEqual(['greedy-8', 'greedy-9']);
      for (let index = 0; index < 4; index++) {
        await results.write(`modest-${index}`, 'image/png', once(800), 1e6, `modest-${index}`);
        await results.trim();
      }
      expect(readdirSync(folder).sort()).toEqual(['modest-0', 'modest-1', 'modest-2', 'modest-3']);
      expect([await results.isKnown('greedy-9'), await results.isKnown('modest-0')]).toEqual([false, true]);
      expect(faults).toEqual([]);
      await results.write('modest-4', 'image/png', once(1_600), 1e6, 'modest-4');
      const larger = results.write('modest-5', 'image/png', once(1_601), 1e6, 'modest-5');
      expect(await larger.catch((error: unknown) => error)).toBeInstanceOf(ResultTooLargeError);
      nowMs += 60_000;
      await results.expire();
      expect([readdirSync(folder), await place.query('SELECT name FROM kept_results')]).toEqual([[], []]);
    });
  });
}
