/** The table of kept replies, on both engines. */

import { expect } from 'bun:test';
import type { KeptReplyRow } from '../../src/store/requests/kept-replies.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`kept replies on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    const row = (given: Partial<KeptReplyRow> = {}): KeptReplyRow => ({
      tokenId: 'token-1',
      id: 'resp_1',
      kind: 'content',
      provider: '',
      keyId: '',
      tokens: undefined,
      content: 'sealed==',
      expiresAtMs: 2_000,
      ...given,
    });

    test('a row comes back as it went in, and the last one of an id counts', async () => {
      await store.keptReplies.put(row());
      expect(await store.keptReplies.get('token-1', 'resp_1', 1_000)).toEqual(row());
      const noted = row({ kind: 'at-provider', provider: 'up', keyId: 'key-1', tokens: 7, content: undefined });
      await store.keptReplies.put(noted);
      expect(await store.keptReplies.get('token-1', 'resp_1', 1_000)).toEqual(noted);
    });

    test('a row belongs to its token', async () => {
      await store.keptReplies.put(row());
      await store.keptReplies.put(row({ tokenId: 'token-2', content: 'theirs' }));
      expect(await store.keptReplies.get('token-3', 'resp_1', 1_000)).toBeUndefined();
      expect(await store.keptReplies.remove('token-3', 'resp_1', 1_000)).toBe(false);
      expect(await store.keptReplies.remove('token-1', 'resp_1', 1_000)).toBe(true);
      expect(await store.keptReplies.remove('token-1', 'resp_1', 1_000)).toBe(false);
      expect((await store.keptReplies.get('token-2', 'resp_1', 1_000))?.content).toBe('theirs');
    });

    test('a row is gone at its end, and swept after it', async () => {
      await store.keptReplies.put(row());
      expect(await store.keptReplies.get('token-1', 'resp_1', 1_999)).toBeDefined();
      expect(await store.keptReplies.get('token-1', 'resp_1', 2_000)).toBeUndefined();
      expect(await store.keptReplies.remove('token-1', 'resp_1', 2_000)).toBe(false);
      const many = Array.from({ length: 450 }, (_, index) => row({ id: `resp_old${index}` }));
      await Promise.all(many.map((each) => store.keptReplies.put(each)));
      await store.keptReplies.put(row({ id: 'resp_young', expiresAtMs: 2_001 }));
      await store.keptReplies.expire(2_000);
      const left = await place.query('SELECT id FROM kept_replies');
      expect(left.map(([id]) => id)).toEqual(['resp_young']);
    });

    test('large content survives, a restart too', async () => {
      const content = 'x'.repeat(6_000_000);
      await store.keptReplies.put(row({ content }));
      await store.close();
      store = await place.open(() => 1_000);
      expect((await store.keptReplies.get('token-1', 'resp_1', 1_000))?.content === content).toBe(true);
    });

    test('the oldest are dropped beyond a count and beyond bytes, of their token alone', async () => {
      const put = (id: number, given: Partial<KeptReplyRow> = {}) =>
        store.keptReplies.put(row({ id: `resp_${id}`, content: '12345678', expiresAtMs: 2_000 + id, ...given }));
      const ids = async () =>
        (await place.query("SELECT id FROM kept_replies WHERE token_id = 'token-1' ORDER BY expires_at_ms")).flat();
      for (let id = 1; id <= 6; id++) await put(id);
      await put(9, { tokenId: 'token-2', expiresAtMs: 1_500 });
      expect(await store.keptReplies.trim('token-1', 6, 48)).toBe(0);
      expect(await store.keptReplies.trim('token-1', 5, 48)).toBe(1);
      expect(await store.keptReplies.trim('token-1', 5, 39)).toBe(1);
      expect(await ids()).toEqual(['resp_3', 'resp_4', 'resp_5', 'resp_6']);
      expect(await store.keptReplies.trimAll(32)).toBe(1);
      expect(await store.keptReplies.get('token-2', 'resp_9', 1_000)).toBeUndefined();
      expect((await ids()).length).toBe(4);
    });
  });
}
