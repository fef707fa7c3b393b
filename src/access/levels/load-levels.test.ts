import { describe, expect, test } from 'bun:test';
import type { TokenRecord } from '../caller.ts';
import type { UnitRecord } from '../organization.ts';
import { createLevelLoader } from './load-levels.ts';

const token = (id: string, more: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  hint: '',
  createdAtMs: 0,
  terms: { name: id },
  ...more,
});
const units: readonly UnitRecord[] = [
  { id: 'org', kind: 'organization', name: 'O', terms: { rpm: 1 }, createdAtMs: 0 },
  { id: 'team_a', kind: 'team', parentId: 'org', name: 'A', terms: { rpm: 2 }, createdAtMs: 0 },
  { id: 'proj_b', kind: 'project', parentId: 'team_a', name: 'B', terms: { rpm: 3 }, createdAtMs: 0 },
];

function setUp(tokens: readonly TokenRecord[] = []) {
  const reads: string[] = [];
  const loader = createLevelLoader({
    async unit(id) {
      reads.push(id);
      return units.find((unit) => unit.id === id);
    },
    async person(id) {
      reads.push(id);
      return id === 'acc' ? { name: 'Kim', terms: { rpm: 4 } } : undefined;
    },
    token: async (id) => tokens.find((each) => each.id === id),
  });
  return { loader, reads };
}

const idsOf = async (loader: ReturnType<typeof setUp>['loader'], record: TokenRecord) =>
  (await loader.aboveOf(record)).levels.map(({ id }) => id);

describe('the levels above a token', () => {
  test('are the organization, the units from the top, and the person', async () => {
    const { loader } = setUp();
    expect(await idsOf(loader, token('t', { unitId: 'proj_b', ownerId: 'acc' }))).toEqual([
      'org',
      'team_a',
      'proj_b',
      'acc',
    ]);
    expect(await idsOf(loader, token('t'))).toEqual(['org']);
    expect(await idsOf(loader, token('t', { ownerId: 'gone' }))).toEqual(['org']);
  });

  test('are read once until something changes', async () => {
    const { loader, reads } = setUp();
    await Promise.all([loader.aboveOf(token('t', { unitId: 'team_a' })), loader.aboveOf(token('u'))]);
    await loader.aboveOf(token('v', { unitId: 'team_a' }));
    expect(reads.sort()).toEqual(['org', 'team_a']);
    loader.clear();
    await loader.aboveOf(token('v'));
    expect(reads).toHaveLength(3);
  });

  test('include the tokens that it was created by, three at most, the oldest first', async () => {
    const chain = [
      token('a'),
      token('b', { parentId: 'a' }),
      token('c', { parentId: 'b' }),
      token('d', { parentId: 'c' }),
    ];
    const { loader } = setUp(chain);
    const { creators } = await loader.aboveOf(token('e', { parentId: 'd' }));
    expect(creators.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  test('that are gone are reported', async () => {
    const { loader } = setUp();
    expect(await loader.aboveOf(token('t', { unitId: 'team_z' }))).toMatchObject({ missing: 'unit' });
    expect(await loader.aboveOf(token('t', { parentId: 'x' }))).toMatchObject({ missing: 'creator' });
  });
});
