/** What the console keeps and lists beside its accounts, on both engines: contents of requests, changed settings, pages of tasks. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

setDefaultTimeout(300_000);

for (const { name, place } of engines) {
  const { afterAll, beforeAll, describe, test } = needing(name);
  describe(name, () => {
    let home: StorePlace;
    let store: Store;
    beforeAll(async () => {
      home = await place();
      store = await home.open();
    });
    afterAll(() => home.dispose());

    test('contents are there until they expire, and the first of a request stays', async () => {
      const row = { requestId: 'req_1', tokenId: 'tok', content: 'sealed', atMs: 10, expiresAtMs: 100.4 };
      await store.contents.put(row);
      await store.contents.put({ ...row, tokenId: 'thief', content: 'other' });
      expect(await store.contents.get('req_1', 99)).toEqual({ ...row, expiresAtMs: 100 });
      expect(await store.contents.has('req_1', 99)).toBe(true);
      expect(await store.contents.get('req_1', 100)).toBeUndefined();
      expect(await store.contents.has('req_1', 100)).toBe(false);
      expect(await store.contents.get('req_2', 0)).toBeUndefined();
      await store.contents.expire(99);
      expect(await home.query('SELECT COUNT(*) FROM request_contents')).toEqual([[1n]]);
      await store.contents.expire(100);
      expect(await home.query('SELECT COUNT(*) FROM request_contents')).toEqual([[0n]]);
    });

    test('many that expire at once are all removed', async () => {
      const many = Array.from({ length: 450 }, (_, index) => `many_${index}`);
      await Promise.all(
        many.map((requestId) => store.contents.put({ requestId, tokenId: 't', content: 'c', atMs: 1, expiresAtMs: 5 })),
      );
      await store.contents.expire(5);
      expect(await home.query('SELECT COUNT(*) FROM request_contents')).toEqual([[0n]]);
      const times = Array.from({ length: 10 }, (_, index) => index);
      await Promise.all(
        times.map((at) =>
          store.contents.put({ requestId: `n${at}`, tokenId: 't', content: 'c', atMs: at, expiresAtMs: at + 9 }),
        ),
      );
      await store.contents.trim(10);
      expect(await home.query('SELECT COUNT(*) FROM request_contents')).toEqual([[10n]]);
      await store.contents.trim(3);
      expect(await home.query('SELECT COUNT(*), MIN(at_ms) FROM request_contents')).toEqual([[3n, 7n]]);
      await store.contents.trim(0);
    });

    test('settings come back as they went in, all or none, and every change is seen by its revision', async () => {
      expect(await store.consoleSettings.all()).toEqual(new Map());
      const before = await store.revision();
      const values = new Map<string, unknown>([
        ['a.number', 3],
        ['a.list', ['x', 'y']],
        ['a.text', 'line\nline ☃'],
        ['a.flag', false],
      ]);
      await store.consoleSettings.change(values);
      expect(await store.consoleSettings.all()).toEqual(values);
      expect(await store.revision()).toBeGreaterThan(before);
      await store.consoleSettings.change(
        new Map<string, unknown>([
          ['a.number', undefined],
          ['a.flag', true],
        ]),
      );
      expect(Object.fromEntries(await store.consoleSettings.all())).toEqual({
        'a.list': ['x', 'y'],
        'a.text': 'line\nline ☃',
        'a.flag': true,
      });
      // Other rows of the same table are not the console's.
      await store.settings.put('key-check', 'x');
      expect((await store.consoleSettings.all()).has('key-check')).toBe(false);
    });

    test('a page of tasks where there are none is empty, however it is narrowed', async () => {
      const none = { items: [], next: undefined };
      expect(await store.taskPages.list({}, { limit: 5 })).toEqual(none);
      const all = { state: 'failed', model: 'm', tokenId: 't', ownerId: 'o' } as const;
      expect(await store.taskPages.list(all, { limit: 5, after: { atMs: 5, id: 'x' } })).toEqual(none);
    });
  });
}
