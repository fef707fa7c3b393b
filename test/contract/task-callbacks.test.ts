/** Messages about ended tasks and the credentials of realtime clients, on both engines. */

import { expect } from 'bun:test';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';
import { aBeginning, aClosing, aGuess, anEnd, type Beginning } from '../harness/task-records.ts';

const guessed = { url: 'https://caller.example/hook', body: '{"status":"failed"}' };
const corrected = { url: 'https://caller.example/hook', body: '{"status":"completed","text":"a\u2028b😀"}' };

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`messages about tasks on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    async function guess(atMs = 9_000): Promise<Beginning> {
      const begun = aBeginning();
      await store.tasks.create(begun.opening, begun.task, 1_000);
      const closing = aClosing(begun, 5n, { estimated: true });
      expect(await store.tasks.end(begun.task.id, 1, aGuess({ atMs }), closing, guessed)).toBe(true);
      return begun;
    }
    const correct = ({ task }: Beginning, atMs: number) =>
      store.tasks.correct(task.id, 2, anEnd({ atMs }), aClosing({ task }, 9n), corrected);

    test('a message is taken by one worker, counts its tries, and comes again when that worker died', async () => {
      const { task } = await guess();
      const message = { taskId: task.id, tokenId: 'token-1', ...guessed, createdAtMs: 9_000 };
      expect(await store.tasks.claimCallbacks(8_999, 500, 10)).toEqual([]);
      const both = await Promise.all([1, 2].map(() => store.tasks.claimCallbacks(9_000, 500, 10)));
      expect(both.flat()).toEqual([{ ...message, tries: 0 }]);
      expect(await store.tasks.claimCallbacks(9_499, 500, 10)).toEqual([]);
      expect(await store.tasks.claimCallbacks(9_500, 500, 10)).toEqual([{ ...message, tries: 1 }]);
      await store.tasks.postponeCallback(task.id, 20_000);
      expect(await store.tasks.claimCallbacks(19_999, 500, 10)).toEqual([]);
      expect(await store.tasks.claimCallbacks(20_000, 500, 10)).toEqual([{ ...message, tries: 2 }]);
      await store.tasks.endCallback(task.id);
      await store.tasks.postponeCallback(task.id, 20_000);
      expect(await store.tasks.claimCallbacks(1e12, 500, 10)).toEqual([]);
    });

    test('the earliest are taken first, and no more than were asked for', async () => {
      const ids: string[] = [];
      for (const atMs of [9_300, 9_100, 9_200]) ids.push((await guess(atMs)).task.id);
      expect((await store.tasks.claimCallbacks(9_500, 500, 1)).map(({ taskId }) => taskId)).toEqual([ids[1] ?? '']);
      const rest = await store.tasks.claimCallbacks(9_500, 500, 10);
      expect(rest.map(({ taskId }) => taskId).toSorted()).toEqual([ids[0] ?? '', ids[2] ?? ''].toSorted());
    });

    test('a correction takes the place of a message that was not delivered', async () => {
      const begun = await guess();
      await correct(begun, 9_200);
      const expected = { taskId: begun.task.id, tokenId: 'token-1', ...corrected, createdAtMs: 9_200, tries: 0 };
      expect(await store.tasks.claimCallbacks(9_200, 500, 10)).toEqual([expected]);
    });

    test('a correction is sent after a message that was delivered', async () => {
      const begun = await guess();
      await store.tasks.claimCallbacks(9_000, 500, 10);
      await store.tasks.endCallback(begun.task.id);
      await correct(begun, 9_200);
      expect(await store.tasks.claimCallbacks(9_200, 500, 10)).toMatchObject([corrected]);
    });

    test('a correction survives the end of the delivery that it came in the midst of', async () => {
      for (const outcome of ['endCallback', 'postponeCallback'] as const) {
        const begun = await guess();
        expect(await store.tasks.claimCallbacks(9_000, 500, 10)).toMatchObject([guessed]);
        await correct(begun, 9_200);
        // Not before the lease of the delivery that is still in flight.
        expect(await store.tasks.claimCallbacks(9_499, 500, 10)).toEqual([]);
        await store.tasks[outcome](begun.task.id, 99_000);
        expect(await store.tasks.claimCallbacks(9_500, 500, 10)).toMatchObject([{ ...corrected, tries: 0 }]);
        await store.tasks.endCallback(begun.task.id);
      }
      expect(await place.query('SELECT COUNT(*) FROM task_callbacks')).toEqual([[0n]]);
    });
  });

  describe(`client secrets on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    const secret = (digest: string, expiresAtMs = 2_000) => ({
      digest,
      tokenId: 'token-1',
      model: 'talk',
      content: '{"voice":"slt"}',
      expiresAtMs,
    });

    test('a secret comes back until its end, and only by its digest', async () => {
      await store.clientSecrets.put(secret('d1'));
      expect(await store.clientSecrets.get('d1', 1_999)).toEqual(secret('d1'));
      expect(await store.clientSecrets.get('d1', 2_000)).toBeUndefined();
      expect(await store.clientSecrets.get('d2', 1_000)).toBeUndefined();
    });

    test('the number of valid client secrets is limited, per token and in all', async () => {
      const ceiling = { nowMs: 1_000, perTokenMax: 2, max: 3 };
      const put = (digest: string, tokenId: string, expiresAtMs = 2_000) =>
        store.clientSecrets.put({ ...secret(digest, expiresAtMs), tokenId }, ceiling);
      expect(await put('a1', 'a', 900)).toBe(true);
      expect([await put('a2', 'a'), await put('a3', 'a'), await put('a4', 'a')]).toEqual([true, true, false]);
      expect([await put('b1', 'b'), await put('b2', 'b')]).toEqual([true, false]);
      // What has expired is known without its settings.
      expect((await store.clientSecrets.get('a1', 0))?.content).toBe('');
    });

    test('all that have expired are removed, and no other', async () => {
      await Promise.all(Array.from({ length: 450 }, (_, index) => store.clientSecrets.put(secret(`old${index}`))));
      await store.clientSecrets.put(secret('young', 2_001));
      await store.clientSecrets.expire(2_000);
      expect(await place.query('SELECT digest FROM client_secrets')).toEqual([['young']]);
    });
  });
}
