/** Whose ids are whose: noted before they are durable, kept through faults of the database, and bounded. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { referencesMax } from '../../conversation/references/find-references.ts';
import type { References } from '../../conversation/references/references.ts';
import type { IdsConfig } from '../../settings/config.ts';
import { type IdTable, OwnedIds } from './owned-ids.ts';

const naming = (...ids: string[]): References => ({
  ids: ids.map((id) => ({ kind: 'file', id, param: 'file_id' })),
  outbound: [],
});
const calling = (target: string): References => ({ ids: [], outbound: [{ target, param: 'server_url' }] });

function make(given: Partial<IdsConfig> = {}, people = 2) {
  const rows = new Map<string, { tokenId: string; deleted: boolean }>();
  const state = { fails: false, hold: undefined as Promise<void> | undefined, writes: 0, kept: [] as unknown[] };
  const table: IdTable = {
    async add(added) {
      state.writes++;
      await state.hold;
      if (state.fails) throw new Error('away');
      for (const { digest, tokenId } of added) if (!rows.has(digest)) rows.set(digest, { tokenId, deleted: false });
    },
    find: async (digests) => new Map(digests.flatMap((digest) => [[digest, rows.get(digest)] as const]).filter(isRow)),
    async remove(digest, tokenId) {
      rows.set(digest, { tokenId, deleted: true });
    },
    expire: async () => undefined,
    async keepNewest(most, tokenId) {
      state.kept.push([most, tokenId]);
    },
    holders: async () => people,
  };
  const warnings: string[] = [];
  const settings: IdsConfig = {
    unknown: 'auto',
    retentionDays: 90,
    perTokenMax: 100_000,
    totalMax: 1_000_000,
    mcpHosts: undefined,
    ...given,
  };
  const ids = new OwnedIds({ table, settings, wallMs: () => 1_000, warn: (message) => warnings.push(message) });
  return { ids, rows, state, warnings };
}

const isRow = (pair: readonly [string, unknown]): pair is readonly [string, { tokenId: string; deleted: boolean }] =>
  pair[1] !== undefined;

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'passes',
    (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
  );

describe('an id', () => {
  test('is its token’s as soon as it is noted, also while the database is still writing', async () => {
    const { ids, state } = make();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.hold = promise;
    const noted = ids.note('a', ['one']);
    void ids.note('a', ['two']);
    expect(await codeOf(ids.check('a', naming('one', 'two')))).toBe('passes');
    expect(await codeOf(ids.check('b', naming('two')))).toBe('reference_not_found');
    resolve();
    await noted;
    await ids.flush();
    expect(state.writes).toBe(2);
    expect(await codeOf(ids.check('a', naming('one', 'two')))).toBe('passes');
  });

  test('stays with the first token, and has no owner once it was deleted', async () => {
    const { ids } = make({ unknown: 'allow' });
    await ids.note('a', ['one']);
    await ids.note('b', ['one']);
    expect(await ids.passes('a', 'one')).toBe(true);
    expect(await ids.passes('b', 'one')).toBe(false);
    await ids.remove('a', 'one');
    expect(await ids.passes('a', 'one')).toBe(false);
  });

  test('that the request named itself is not noted', () => {
    const { ids } = make();
    expect(ids.note('a', ['one', ''], naming('one'))).toBeUndefined();
  });

  test('is not lost with a write that failed: it goes with the next one', async () => {
    const { ids, state, rows, warnings } = make();
    state.fails = true;
    await ids.note('a', ['one']);
    expect([rows.size, warnings.length]).toEqual([0, 1]);
    expect(await codeOf(ids.check('a', naming('one')))).toBe('passes');
    state.fails = false;
    await ids.note('a', ['two']);
    expect(rows.size).toBe(2);
  });

  test('from elsewhere passes by setting, or by the number of people who hold tokens', async () => {
    const outcomes = [
      [{ unknown: 'auto' }, 1],
      [{ unknown: 'auto' }, 2],
      [{ unknown: 'allow' }, 2],
      [{ unknown: 'refuse' }, 1],
    ] as const;
    const found = outcomes.map(([settings, people]) => codeOf(make(settings, people).ids.check('a', naming('x'))));
    expect(await Promise.all(found)).toEqual(['passes', 'reference_not_found', 'passes', 'reference_not_found']);
  });
});

test('a request may name so many ids and no more', async () => {
  const { ids } = make({ unknown: 'allow' });
  const many = Array.from({ length: referencesMax }, (_, index) => `id-${index}`);
  expect(await codeOf(ids.check('a', naming(...many)))).toBe('passes');
  expect(await codeOf(ids.check('a', naming(...many, 'more')))).toBe('field_invalid');
});

test('servers are allowed by pattern, or all of them while one person holds all tokens', async () => {
  const outcome = (target: string, mcpHosts: readonly string[] | undefined, people = 2) =>
    codeOf(make({ mcpHosts }, people).ids.check('a', calling(target)));
  expect(await outcome('https://a.test/x', undefined)).toBe('egress_not_allowed');
  expect(await outcome('https://a.test/x', undefined, 1)).toBe('passes');
  expect(await outcome('https://a.test/x', [], 1)).toBe('egress_not_allowed');
  expect(await outcome('https://A.test:444/x', ['a.TEST'])).toBe('passes');
  expect(await outcome('https://b.a.test/', ['*.a.test'])).toBe('passes');
  expect(await outcome('https://a.test@b.test/', ['a.test'])).toBe('egress_not_allowed');
  expect(await outcome('connector_x', ['connector_x'])).toBe('passes');
  expect(await outcome('not a url', ['*'])).toBe('passes');
});

test('the oldest are dropped after every tenth of what may be kept, of the token and of all', async () => {
  const { ids, state } = make({ perTokenMax: 20, totalMax: 40 });
  await ids.note('a', ['1']);
  expect(state.kept).toEqual([]);
  await ids.note('a', ['2']);
  expect(state.kept).toEqual([[20, 'a']]);
  await ids.note('b', ['3']);
  await ids.note('c', ['4']);
  expect(state.kept).toEqual([
    [20, 'a'],
    [40, undefined],
  ]);
});
