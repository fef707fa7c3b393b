/** Kept replies: theirs alone, encrypted to their row, gone in time, and never in the way of a reply. */

import { describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { createSealing } from '../../secrets/sealing.ts';
import { contentBytesMax, KeptReplies, type KeptRow, type ReplyTable } from './kept-replies.ts';

const sealing = createSealing(fixedKeys(new Uint8Array(32).fill(7)));

function make(given: Partial<ReplyTable> = {}) {
  const rows = new Map<string, KeptRow>();
  const warnings: string[] = [];
  const trims: unknown[] = [];
  let now = 1_000;
  const table: ReplyTable = {
    put: async (row) => void rows.set(`${row.tokenId} ${row.id}`, row),
    get: async (tokenId, id, nowMs) => {
      const row = rows.get(`${tokenId} ${id}`);
      return row !== undefined && row.expiresAtMs > nowMs ? row : undefined;
    },
    has: async (id) => [...rows.values()].some((row) => row.id === id),
    remove: async (tokenId, id) => rows.delete(`${tokenId} ${id}`),
    trim: async (...asked) => trims.push(asked),
    trimAll: async () => 0,
    expire: async () => undefined,
    ...given,
  };
  const kept = new KeptReplies({
    table,
    ownedIds: { passes: async () => false, remove: async () => undefined },
    sealing,
    storesContent: true,
    lifetimeMs: 500,
    ceilings: () => ({ repliesPerTokenMax: 9, replyBytesPerTokenMax: 99, replyBytesMax: 999 }),
    wallMs: () => now,
    warn: (message) => warnings.push(message),
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { kept, rows, trims, warnings, pass };
}

const content = { asked: [{ role: 'user', content: 'CANARY ☃' }], reply: { id: 'resp_1', output: [] } };

describe('content', () => {
  test('comes back as it went in, to its own token, until it expires', async () => {
    const { kept, pass } = make();
    await kept.keepContent('a', 'resp_1', content);
    expect(await kept.find('a', 'resp_1')).toMatchObject({ kind: 'content', content });
    expect(await kept.find('b', 'resp_1')).toBeUndefined();
    pass(499);
    expect(await kept.find('a', 'resp_1')).toBeDefined();
    pass(1);
    expect(await kept.find('a', 'resp_1')).toBeUndefined();
  });

  test('is nothing without the key, differs each time, and opens in its own row only', async () => {
    const { kept, rows } = make();
    await kept.keepContent('a', 'resp_1', content);
    const first = rows.get('a resp_1');
    await kept.keepContent('a', 'resp_1', content);
    const second = rows.get('a resp_1');
    if (first?.content === undefined || second === undefined) throw new Error('nothing was kept');
    expect(first.content).not.toBe(second.content);
    expect(Buffer.from(first.content, 'base64').toString('latin1')).not.toContain('CANARY');
    rows.set('b resp_1', { ...first, tokenId: 'b' });
    rows.set('a resp_2', { ...first, id: 'resp_2' });
    await expect(kept.find('b', 'resp_1')).rejects.toThrow();
    await expect(kept.find('a', 'resp_2')).rejects.toThrow();
  });

  test('is kept up to its limit and not beyond', async () => {
    const { kept } = make();
    const sized = (bytes: number) => ({ asked: ['x'.repeat(bytes - '{"asked":[""],"reply":{}}'.length)], reply: {} });
    await kept.keepContent('a', 'fits', sized(contentBytesMax));
    await kept.keepContent('a', 'large', sized(contentBytesMax + 1));
    expect(await kept.find('a', 'fits')).toMatchObject({ kind: 'content', bytes: contentBytesMax });
    expect(await kept.find('a', 'large')).toEqual({ kind: 'too-large' });
  });
});

test('a place is noted without content', async () => {
  const { kept, rows } = make();
  await kept.keepPlace('a', 'resp_1', { provider: 'up', keyId: 'key-1', tokens: 12 });
  expect(rows.get('a resp_1')?.content).toBeUndefined();
  expect(await kept.find('a', 'resp_1')).toMatchObject({
    kind: 'at-provider',
    keeper: { provider: 'up', keyId: 'key-1', tokens: 12 },
  });
});

test('ids that Weir cannot have issued reach no database', async () => {
  const { kept, rows } = make();
  for (const id of ['', 'a b', 'x\0y', 'ü', 'x'.repeat(201)]) {
    await kept.keepContent('a', id, content);
    expect(await kept.find('a', id)).toBeUndefined();
    expect(await kept.remove('a', id)).toBe(false);
  }
  expect(rows.size).toBe(0);
});

test('a database that fails is a warning, and one that hangs is not waited for', async () => {
  const failing = make({ put: () => Promise.reject(new Error('away')) });
  await failing.kept.keepContent('a', 'resp_1', content);
  expect(failing.warnings).toHaveLength(1);
  const hanging = make({ put: () => new Promise(() => undefined) });
  await hanging.kept.keepContent('a', 'resp_1', content);
  expect(hanging.rows.size).toBe(0);
});

test('the ceilings of a token are looked at after every 50 of its replies, and with the expiry', async () => {
  const { kept, trims } = make();
  const keep = async (tokenId: string, count: number) => {
    for (let at = 0; at < count; at++) await kept.keepContent(tokenId, `resp_${at}`, content);
  };
  await keep('a', 49);
  await keep('b', 1);
  expect(trims).toEqual([]);
  await keep('a', 1);
  expect(trims).toEqual([['a', 9, 99]]);
  await kept.expire();
  expect(trims.slice(1)).toEqual([['b', 9, 99]]);
});
