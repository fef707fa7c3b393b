/** Short-lived credentials: unknown, expired and moved ones open nothing, and the table gives none of them away. */

import { expect, test } from 'bun:test';
import { fixedKeys } from '../../test/harness/fixed-keys.ts';
import { type ClientSecretRow, ClientSecrets } from './client-secrets.ts';

function scene() {
  const rows = new Map<string, ClientSecretRow>();
  const clock = { ms: 1_000_000 };
  const secrets = new ClientSecrets({
    table: {
      async put(row, { nowMs, perTokenMax, max }) {
        const alive = [...rows.values()].filter(({ expiresAtMs }) => expiresAtMs > nowMs);
        if (alive.length >= Math.min(perTokenMax, max)) return false;
        rows.set(row.digest, row);
        return true;
      },
      get: async (digest, nowMs) => {
        const row = rows.get(digest);
        return row !== undefined && row.expiresAtMs > nowMs ? row : undefined;
      },
      expire: async (nowMs) => {
        for (const [digest, row] of rows) if (row.expiresAtMs <= nowMs) rows.delete(digest);
      },
    },
    digestKeys: fixedKeys(new Uint8Array(32).fill(1)),
    contentKeys: fixedKeys(new Uint8Array(32).fill(2)),
    perTokenMax: 3,
    max: 10,
    wallMs: () => clock.ms,
  });
  return { rows, clock, secrets };
}

const given = { tokenId: 'tok_1', model: 'a-realtime', session: { instructions: 'keep this to yourself' } };
const codeOf = (work: Promise<unknown>) => work.then(String, (error: { code?: string }) => error.code);

test('gives back what it was made with, until its last millisecond', async () => {
  const { clock, secrets } = scene();
  const { value, expiresAtMs } = await secrets.mint(given, 10_000);
  expect(expiresAtMs).toBe(clock.ms + 10_000);
  clock.ms += 9_999;
  expect(await secrets.find(value)).toEqual(given);
  clock.ms += 1;
  expect(await codeOf(secrets.find(value))).toBe('token_expired');
  clock.ms += 3_600_000;
  await secrets.expire();
  expect(await codeOf(secrets.find(value))).toBe('token_unknown');
});

test('leaves neither itself nor its settings in the table', async () => {
  const { rows, secrets } = scene();
  const { value } = await secrets.mint(given, 10_000);
  const kept = JSON.stringify([...rows.values()]);
  expect(kept).not.toContain(value.slice(3));
  expect(kept).not.toContain('keep this');
  const [digest] = rows.keys();
  for (const other of [digest ?? '', `ek_${digest}`, `${value}A`, value.slice(0, -1), 'ek_']) {
    expect(await codeOf(secrets.find(other))).toBe('token_unknown');
  }
});

test('does not open what was moved to another row', async () => {
  const { rows, secrets } = scene();
  const first = await secrets.mint(given, 10_000);
  await secrets.mint({ ...given, session: { instructions: 'other' } }, 10_000);
  const [mine, other] = [...rows.values()];
  if (mine === undefined || other === undefined) throw new Error('two rows were made');
  rows.set(mine.digest, { ...mine, content: other.content });
  await expect(secrets.find(first.value)).rejects.toThrow();
});

test('refuses settings that are too large', async () => {
  const { secrets } = scene();
  const large = { ...given, session: { instructions: 'x'.repeat(65_536) } };
  expect(await codeOf(secrets.mint(large, 10_000))).toBe('field_invalid');
});

test('refuses more than may be alive, until one has expired', async () => {
  const { clock, secrets } = scene();
  for (let made = 0; made < 3; made++) await secrets.mint(given, 10_000);
  expect(await codeOf(secrets.mint(given, 10_000))).toBe('storage_limited');
  clock.ms += 10_000;
  await secrets.mint(given, 10_000);
});
