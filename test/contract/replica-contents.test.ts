/** What replicas share for a short time, on both engines: sealed, found by the other process, and bounded by token and in all. */

import { expect } from 'bun:test';
import { ReplicaContents, type ReplicaLimits } from '../../src/relay/memory/replica-contents.ts';
import { createSealing } from '../../src/secrets/sealing.ts';
import type { ReplicaContentRow } from '../../src/store/requests/replica-content-queries.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedKeys } from '../harness/fixed-keys.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const sealing = createSealing(fixedKeys(new Uint8Array(32).fill(5)));
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`replica contents on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
    });
    afterEach(() => place.dispose());

    const row = (given: Partial<ReplicaContentRow> = {}): ReplicaContentRow => ({
      tokenId: 'token-1',
      id: 'a',
      kind: 'reply',
      content: 'sealed==',
      bytes: 100,
      atMs: 1_000,
      expiresAtMs: 2_000,
      ...given,
    });
    const ids = async (): Promise<readonly unknown[]> =>
      (await place.query('SELECT token_id, id FROM replica_contents ORDER BY at_ms')).map(
        ([token, id]) => `${token} ${id}`,
      );

    test('a row is its token’s alone, ends at its time and is removed after it', async () => {
      await store.replicaContents.put(row());
      await store.replicaContents.put(row({ content: 'sealed again', expiresAtMs: 3_000 }));
      await store.replicaContents.put(row({ id: 'b' }));
      expect([...(await store.replicaContents.get('token-1', ['a', 'b', 'c'], 1_999))].sort()).toEqual([
        ['a', 'sealed again'],
        ['b', 'sealed=='],
      ]);
      expect((await store.replicaContents.get('token-2', ['a'], 1_999)).size).toBe(0);
      expect([...(await store.replicaContents.get('token-1', ['a', 'b'], 2_000)).keys()]).toEqual(['a']);
      await store.replicaContents.expire(2_000);
      expect(await ids()).toEqual(['token-1 a']);
      const many = Array.from({ length: 70 }, (_, index) => `many-${index}`);
      for (const id of many) await store.replicaContents.put(row({ id }));
      expect((await store.replicaContents.get('token-1', many, 1_500)).size).toBe(70);
    });

    test('the oldest go where one token or all together have too much; exactly the allowed amount stays', async () => {
      for (const [index, tokenId] of ['big', 'big', 'small', 'big', 'other'].entries()) {
        await store.replicaContents.put(row({ tokenId, id: `${index}`, atMs: 1_000 + index }));
      }
      await store.replicaContents.put(row({ tokenId: 'big', id: 'seals', kind: 'seals', atMs: 1 }));
      await store.replicaContents.trim('reply', 300, 500);
      expect(await ids()).toHaveLength(6);
      await store.replicaContents.trim('reply', 299, 500);
      expect(await ids()).toEqual(['big seals', 'big 1', 'small 2', 'big 3', 'other 4']);
      await store.replicaContents.trim('reply', 299, 399);
      expect(await ids()).toEqual(['big seals', 'small 2', 'big 3', 'other 4']);
    });

    test('one process writes, the other reads; moved or without the key it does not open', async () => {
      const limits: ReplicaLimits = { lifetimeMs: 600_000, tokenBytesMax: 1_000_000, bytesMax: 2_000_000 };
      const warn = (message: string): never => {
        throw new Error(message);
      };
      const over = (table: Store['replicaContents'], sealed = sealing): ReplicaContents =>
        new ReplicaContents({ table, sealing: sealed, kind: 'reply', limits, wallMs: () => 1_000, warn });
      const here = over(store.replicaContents);
      // An embedded database has one process, so its second look is through the same one.
      const there = over(
        engine.name === 'sqlite' ? store.replicaContents : (await place.open(() => 1_000)).replicaContents,
      );
      await here.put('token-1', 'req_1', bytesOf('canary'));
      expect(Buffer.from((await there.get('token-1', ['req_1'])).get('req_1') ?? '').toString()).toBe('canary');
      expect((await there.get('token-2', ['req_1'])).size).toBe(0);
      const stranger = createSealing(fixedKeys(new Uint8Array(32).fill(6)));
      expect((await over(store.replicaContents, stranger).get('token-1', ['req_1'])).size).toBe(0);
      expect(JSON.stringify(await place.query('SELECT content FROM replica_contents'))).not.toContain('canary');
      await place.query("UPDATE replica_contents SET token_id = 'token-2'");
      expect((await there.get('token-2', ['req_1'])).size).toBe(0);
    });

    test('writing keeps to the limits by itself', async () => {
      const limits: ReplicaLimits = { lifetimeMs: 600_000, tokenBytesMax: 3_000, bytesMax: 100_000 };
      let trimmed: Promise<void> = Promise.resolve();
      const table = {
        ...store.replicaContents,
        trim: (...given: Parameters<Store['replicaContents']['trim']>) =>
          (trimmed = store.replicaContents.trim(...given)),
      };
      let nowMs = 1_000;
      const wallMs = (): number => nowMs++;
      const shared = new ReplicaContents({ table, sealing, kind: 'reply', limits, wallMs, warn: () => undefined });
      for (let index = 0; index < 10; index++) {
        await shared.put('token-1', `req_${index}`, new Uint8Array(800));
        await trimmed;
      }
      // 800 bytes and what a row costs: three fit.
      expect(await ids()).toEqual(['token-1 reply req_7', 'token-1 reply req_8', 'token-1 reply req_9']);
    });
  });
}
