/** What the store promises about admin keys and writes that are done once, on both engines. */

import { expect } from 'bun:test';
import { createIdempotentWrites } from '../../src/admin/keys/idempotent-writes.ts';
import { GatewayError } from '../../src/conversation/gateway-error.ts';
import { createSealing } from '../../src/secrets/sealing.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedKeys } from '../harness/fixed-keys.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const dayMs = 24 * 60 * 60 * 1_000;

for (const engine of engines) {
  const { afterAll, beforeAll, describe, test } = needing(engine.name);
  describe(`admin keys on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let nowMs = 1_000_000;

    beforeAll(async () => {
      place = await engine.place();
      store = await place.open(() => nowMs);
    });
    afterAll(() => place.dispose());

    test('are listed newest first in pages, all or those of some teams, and limited in number', async () => {
      const key = { hint: 'abcd', name: 'k', role: 'admin', createdBy: 'acc' } as const;
      for (let index = 0; index < 6; index++) {
        const record = { ...key, id: `key_${index}`, createdAtMs: index, teamId: `team_${index % 3}` };
        expect(await store.adminKeys.insert(record, `digest-${index}`, 6)).toBe(true);
      }
      const another = { ...key, id: 'key_9', createdAtMs: 9 };
      expect(await store.adminKeys.insert(another, 'digest-9', 6)).toBe(false);
      await store.adminKeys.revoke('key_0', 10);
      expect(await store.adminKeys.insert(another, 'digest-9', 6)).toBe(true);
      const first = await store.adminKeys.list({ limit: 3 }, ['team_0', 'team_2']);
      expect(first.items.map(({ id }) => id)).toEqual(['key_5', 'key_3', 'key_2']);
      const second = await store.adminKeys.list({ limit: 3, after: first.next }, ['team_0', 'team_2']);
      expect([second.items.map(({ id }) => id), second.next]).toEqual([['key_0'], undefined]);
      expect((await store.adminKeys.list({ limit: 10 })).items).toHaveLength(7);
      expect((await store.adminKeys.list({ limit: 10 }, [])).items).toEqual([]);
    });

    test('a revoked key is not changed, and what is absent is removed', async () => {
      const changes = { name: 'n', scopes: ['tokens:read'], networks: ['10.0.0.0/8'] };
      expect(await store.adminKeys.change('key_0', changes)).toBe(false);
      expect(await store.adminKeys.change('key_1', changes)).toBe(true);
      expect(await store.adminKeys.byId('key_1')).toMatchObject(changes);
      await store.adminKeys.change('key_1', { name: 'n' });
      expect(await store.adminKeys.byId('key_1')).not.toHaveProperty('networks');
    });

    const claim = (key: string, atMs = nowMs) => ({ adminKeyId: 'key_1', key, content: 'c', atMs });

    test('one of many claims gets an idempotency key, and the number is limited', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => store.idempotentWrites.claim(claim('contested'), 0, 3)),
      );
      expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
      expect(outcomes.filter((outcome) => typeof outcome === 'object')).toHaveLength(9);
      expect(await store.idempotentWrites.claim(claim('b'), 0, 3)).toBe('claimed');
      expect(await store.idempotentWrites.claim(claim('c'), 0, 3)).toBe('claimed');
      expect(await store.idempotentWrites.claim(claim('d'), 0, 3)).toBe('full');
      expect(await store.idempotentWrites.claim({ ...claim('d'), adminKeyId: 'key_2' }, 0, 3)).toBe('claimed');
      await store.idempotentWrites.expire(nowMs);
      expect(await store.idempotentWrites.claim(claim('d'), 0, 3)).toBe('claimed');
    });

    test('a write without a reply is refused while it may run and afterwards, and is free after a day', async () => {
      const warnings: string[] = [];
      const writes = createIdempotentWrites({
        table: { ...store.idempotentWrites, finish: () => Promise.reject(new Error('the database went away')) },
        sealing: createSealing(fixedKeys(new Uint8Array(32).fill(1))),
        nowMs: () => nowMs,
        warn: (message) => void warnings.push(message),
      });
      const once = () =>
        writes.once({ adminKeyId: 'key_1', key: 'lost', request: ['POST', '/x'] }, async () => Response.json({ a: 1 }));
      const codeOf = async (work: Promise<unknown>) => {
        const error = await work.catch((thrown: unknown) => thrown);
        return error instanceof GatewayError ? error.code : 'none';
      };
      expect(await new Response((await once()).body).json()).toEqual({ a: 1 });
      expect(warnings).toHaveLength(1);
      expect(await codeOf(once())).toBe('idempotency_in_progress');
      nowMs += 5 * 60_000;
      expect(await codeOf(once())).toBe('idempotency_outcome_unknown');
      nowMs += dayMs;
      expect(await codeOf(once())).toBe('none');
    });
  });
}
