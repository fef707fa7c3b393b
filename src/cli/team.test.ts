/** What `weir team` prints and changes, on a database of its own. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { engines, type StorePlace } from '../../test/harness/store-places.ts';
import type { Store } from '../store/store.ts';
import { teamCommand } from './team.ts';

const now = Date.parse('2030-01-01');
let place: StorePlace;
let store: Store;

beforeAll(async () => {
  const sqlite = engines.find(({ name }) => name === 'sqlite');
  if (sqlite === undefined) throw new Error('There is no SQLite.');
  place = await sqlite.place();
  store = await place.open(() => now);
  const account = { id: 'acc_1', name: 'Mara', nameKey: 'mara', role: 'member', passwordHash: 'x' } as const;
  await store.accounts.insert({ ...account, createdAtMs: now });
});
afterAll(() => place.dispose());

async function run(...argv: readonly string[]) {
  const texts = { out: '', err: '' };
  const output = {
    out: (text: string) => {
      texts.out += text;
    },
    err: (text: string) => {
      texts.err += text;
    },
  };
  return { code: await teamCommand({ ...output, store, nowMs: () => now }, argv), ...texts };
}

test('teams and projects are created, listed and refused', async () => {
  expect((await run('list')).err).toContain('No teams yet');
  const created = await run('create', '--name', 'Search', '--budget-usd', '50', '--models', 'gpt-*', '--rpm', '60');
  expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^team_[0-9a-f]{16}\n$/)]);
  expect(await run('create', '--name', 'SEARCH')).toMatchObject({ code: 2, err: '--name: is already taken\n' });
  expect((await run('create', '--name', 'Ranking', '--in', 'search')).out).toStartWith('proj_');
  expect((await run('create', '--name', 'x', '--in', 'nothing')).err).toContain('No team has this ID or name.');
  expect((await run('create', '--name', 'x', '--budget-usd', '-1')).code).toBe(2);
  const { out } = await run('list');
  expect(out.split('\n')[1]).toMatch(/^team_\w+ {2}Search\s+0\.00 of 50\.00 usd\/month\s+0\s+0$/);
  expect(out.split('\n')[2]).toMatch(/^proj_\w+ {2}Search {2}Ranking\s+0\s+0$/);
  expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([
    { team: 'Search', terms: { models: ['gpt-*'], rpm: 60 } },
    { team: 'Search', project: 'Ranking' },
  ]);
});

test('members are added, changed and removed', async () => {
  expect((await run('member', 'Search', 'mara', '--role', 'owner')).code).toBe(2);
  expect((await run('member', 'Search', 'nadia', '--role', 'member')).err).toContain('No account has this ID or name.');
  expect((await run('member', 'Search', 'mara', '--role', 'admin')).err).toBe('Mara is admin of Search.\n');
  expect(await store.organization.membershipsOf('acc_1')).toMatchObject([{ role: 'admin', source: 'manual' }]);
  expect((await run('member', 'Search', 'acc_1', '--role', 'none')).err).toBe('Mara was removed from Search.\n');
  expect((await run('member', 'Search', 'acc_1', '--role', 'none')).err).toBe('Mara is not in Search.\n');
});
