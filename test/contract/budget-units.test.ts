/** Budgets of money, requests and tokens on several levels of one attempt, on both engines. */

import { expect } from 'bun:test';
import type { BudgetUnit } from '../../src/access/organization.ts';
import type { AttemptClosing, AttemptOpening, BudgetScope } from '../../src/ledger/ledger.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { anOpening, checkMoney, engines, type StorePlace } from '../harness/store-places.ts';
import { aBeginning, aClosing, aGuess, anEnd } from '../harness/task-records.ts';

const budget = (scope: string, unit: BudgetUnit, limit: bigint): BudgetScope => ({
  ...{ scope, unit, limit, windowStartMs: 0 },
});
const money = budget('token:t', 'usd', 1_000_000n);
const requests = budget('team:a#r', 'requests', 1_000n);
const tokens = budget('org:org#t', 'tokens', 1_000_000n);
const all = [tokens, requests, money];

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`budget units on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await engine.place();
      store = await place.open(() => 1_000);
      await store.instances.register();
    });
    afterEach(() => place.dispose());

    const opened = async (given: Partial<AttemptOpening> = {}): Promise<AttemptOpening> => {
      const opening = anOpening({ scopes: all, reserveNano: 1_000n, reserveTokens: 80, ...given });
      const verdict = store.attempts.openNow(opening) ?? (await store.attempts.open(opening));
      expect(verdict).toEqual({ admitted: true });
      return opening;
    };
    const closingOf = ({ attemptId }: AttemptOpening, given: Partial<AttemptClosing> = {}): AttemptClosing => ({
      ...{ attemptId, costNano: 5n, estimated: false, atMs: 1_010 },
      ...given,
    });
    const close = (opening: AttemptOpening, given?: Partial<AttemptClosing>) =>
      store.attempts.close(closingOf(opening, given));

    /** Spent and held of each, in the order of `all`. */
    const standings = () =>
      Promise.all(
        all.map(async ({ scope, windowStartMs }) => {
          const { spentNano, heldNano } = await store.budgets.read(scope, windowStartMs);
          return [spentNano, heldNano];
        }),
      );
    const exact = (open = 0) => exactly(place, open);

    test('each is held and charged in its own unit', async () => {
      const [served, unknown, failed, costly] = [await opened(), await opened(), await opened(), await opened()];
      expect(await standings()).toEqual([
        [0n, 320n],
        [0n, 4n],
        [0n, 4_000n],
      ]);
      await Promise.all([
        close(served, { tokens: 33 }),
        close(unknown),
        close(failed, { costNano: 0n, verdict: 'refused' }),
        close(costly, { costNano: 7n, verdict: 'uncertain' }),
      ]);
      expect(await standings()).toEqual([
        [193n, 0n],
        [3n, 0n],
        [17n, 0n],
      ]);
      await exact();
    });

    test('a request counts once, whichever of its attempts served', async () => {
      for (let ordinal = 1; ordinal <= 4; ordinal += 1) {
        const attempt = await opened({ requestId: 'r', attemptId: `r.${ordinal}` });
        await close(attempt, ordinal < 4 ? { costNano: 0n, verdict: 'target-down' } : { tokens: 12 });
      }
      expect(await standings()).toEqual([
        [12n, 0n],
        [1n, 0n],
        [5n, 0n],
      ]);
    });

    test('the first without room in the order of the caller refuses, and nothing is held', async () => {
      const scopes = [
        budget('team:z#r', 'requests', 0n),
        budget('org:org#t', 'tokens', 10n),
        budget('project:p#m', 'usd', 1n),
        budget('aaa:first#m', 'usd', 10_000n),
      ];
      const open = (given: readonly BudgetScope[]) =>
        store.attempts.open(anOpening({ scopes: given, reserveNano: 1_000n, reserveTokens: 80 }));
      expect(await open(scopes)).toEqual({ admitted: false, scope: 'team:z#r' });
      expect(await open(scopes.toReversed())).toEqual({ admitted: false, scope: 'project:p#m' });
      expect(await open(scopes.slice(1))).toEqual({ admitted: false, scope: 'org:org#t' });
      // All at once, so that one batch has them all.
      const orders = [scopes, scopes.toReversed(), scopes.slice(1), scopes.slice(3), scopes.slice(2)];
      const verdicts = await Promise.all(orders.map(open));
      expect(verdicts.map((verdict) => ('scope' in verdict ? verdict.scope : ''))).toEqual([
        ...['team:z#r', 'project:p#m', 'org:org#t', '', 'project:p#m'],
      ]);
      const used = 'SELECT scope, held_nano FROM budgets WHERE spent_nano <> 0 OR held_nano <> 0';
      await store.budgets.read('aaa:first#m', 0);
      expect(await place.query(used)).toEqual([['aaa:first#m', 1_000n]]);
      await exact(1);
    });

    test('budgets that bind on different levels admit exactly as many as each has room for', async () => {
      const tight = (unit: BudgetUnit, limit: bigint) => [
        budget(`org:org#${unit}`, 'usd', 10n ** 9n),
        budget(`team:${unit}#tight`, unit, limit),
        budget(`token:${unit}`, 'usd', 10n ** 9n),
      ];
      const lists = [tight('usd', 7_999n), tight('requests', 11n), tight('tokens', 80n * 5n + 79n)];
      const verdicts = await Promise.all(
        Array.from({ length: 90 }, async (_, nth) => {
          const scopes = lists[nth % 3] ?? [];
          return { nth, verdict: await store.attempts.open(anOpening({ scopes, reserveTokens: 80 })) };
        }),
      );
      const admitted = [0, 1, 2].map(
        (list) => verdicts.filter(({ nth, verdict }) => nth % 3 === list && verdict.admitted).length,
      );
      expect(admitted).toEqual([7, 11, 5]);
      await store.budgets.read('token:usd', 0);
      await exact(23);
    });

    test('a lost attempt is charged as a request with all tokens that it held, and a late closing corrects it once', async () => {
      const [served, failed, silent] = [await opened(), await opened(), await opened()];
      expect(await store.attempts.sweep(store.instanceId, 1_100)).toBe(3);
      expect(await standings()).toEqual([
        [240n, 0n],
        [3n, 0n],
        [1_200n, 0n],
      ]);
      await exact();
      await Promise.all([close(served, { tokens: 33 }), close(served, { tokens: 33 })]);
      await close(served, { tokens: 1 });
      await close(failed, { costNano: 0n, verdict: 'refused' });
      expect(await standings()).toEqual([
        [113n, 0n],
        [2n, 0n],
        [405n, 0n],
      ]);
      await close(silent, { costNano: 0n, verdict: 'unused' });
      expect(await standings()).toEqual([
        [33n, 0n],
        [1n, 0n],
        [5n, 0n],
      ]);
      await exact();
    });

    test('the end of a task that was guessed is corrected in all units', async () => {
      const begun = aBeginning({}, { scopes: all, reserveNano: 1_000n, reserveTokens: 80 });
      expect(await store.tasks.create(begun.opening, begun.task, 9)).toEqual({ admitted: true });
      const guess = aClosing(begun, 300n, { estimated: true, verdict: 'uncertain' });
      expect(await store.tasks.end(begun.task.id, 1, aGuess(), guess, undefined)).toBe(true);
      expect(await standings()).toEqual([
        [80n, 0n],
        [1n, 0n],
        [300n, 0n],
      ]);
      const known = aClosing(begun, 120n, { tokens: 9 });
      expect(await store.tasks.correct(begun.task.id, 2, anEnd(), known, undefined)).toBe(true);
      expect(await standings()).toEqual([
        [9n, 0n],
        [1n, 0n],
        [120n, 0n],
      ]);
      await exact();
    });

    test('an attempt that an earlier version opened is closed and swept as before', async () => {
      const columns =
        'id, request_id, token_id, scopes, reserve_nano, estimate_nano, state, instance_id, provider, model, at_ms';
      for (const id of ['closed', 'swept', 'sole']) {
        await place.query(
          `INSERT INTO attempt_rows (${columns}) VALUES ('${id}.1', '${id}', 't', '${id === 'sole' ? '' : '[["token:t",0]]'}', 1000, 400,
             'dispatched', '${id === 'swept' ? 'old' : 'other'}', 'up', 'm', 1)`,
        );
      }
      await place.query("INSERT INTO budgets VALUES ('token:t', 0, 0, 2000)");
      await opened();
      await store.attempts.close({ attemptId: 'closed.1', costNano: 5n, estimated: false, atMs: 2, tokens: 12 });
      await store.attempts.close({ attemptId: 'sole.1', costNano: 5n, estimated: false, atMs: 2 });
      expect(await store.attempts.sweep('old', 3)).toBe(1);
      expect(await standings()).toEqual([
        [0n, 80n],
        [0n, 1n],
        [405n, 1_000n],
      ]);
      await exact(1);
      await store.attempts.close({ attemptId: 'swept.1', costNano: 90n, estimated: false, atMs: 4 });
      expect((await standings())[2]).toEqual([95n, 1_000n]);
    });
  });
}

needing(
  'postgres',
).test('200 requests at once on 4 replicas, budgets that bind on different levels, a replica that dies', async () => {
  const place = await engines[1].place();
  try {
    const replicas = await Promise.all([1, 2, 3, 4].map(() => place.open(() => 1_000)));
    const of = (nth: number): Store => replicas[nth % 4] ?? (replicas[0] as Store);
    const organization = budget('org:org#m', 'usd', 10n ** 9n);
    // One of four levels binds for each kind of request: the team, the project, the token, or the organization for all.
    const kinds = [
      [
        organization,
        budget('team:t#m', 'usd', 17_500n),
        budget('project:p#r', 'requests', 99n),
        budget('token:a', 'usd', 10n ** 9n),
      ],
      [
        organization,
        budget('team:u#t', 'tokens', 10n ** 9n),
        budget('project:q#r', 'requests', 13n),
        budget('token:b', 'usd', 10n ** 9n),
      ],
      [
        organization,
        budget('team:u#t', 'tokens', 10n ** 9n),
        budget('project:s#t', 'tokens', 1_000n),
        budget('token:c', 'usd', 9_000n),
      ],
      [
        organization,
        budget('team:v#r', 'requests', 50n),
        budget('project:w#t', 'tokens', 899n),
        budget('user:x#r', 'requests', 20n),
      ],
    ];
    const asked = Array.from({ length: 200 }, (_, nth) => {
      const requestId = `k${nth}`;
      const scopes = kinds[Math.floor(nth / 4) % kinds.length] ?? [];
      return anOpening({ requestId, attemptId: `${requestId}.1`, scopes, reserveNano: 1_000n, reserveTokens: 80 });
    });
    const verdicts = await Promise.all(asked.map((opening, nth) => of(nth).attempts.open(opening)));
    const admitted = asked.flatMap((opening, nth) => (verdicts[nth]?.admitted === true ? [{ opening, nth }] : []));
    const count = (kind: number) => admitted.filter(({ opening }) => opening.scopes === kinds[kind]).length;
    expect([count(0), count(1), count(2), count(3)]).toEqual([17, 13, 9, 11]);
    const refusing = new Set(verdicts.map((verdict) => ('scope' in verdict ? verdict.scope : '')));
    expect(refusing).toEqual(new Set(['', 'team:t#m', 'project:q#r', 'token:c', 'project:w#t']));
    await exactly(place, admitted.length);

    // One of those that have attempts open dies; the others end theirs while one of them sweeps it.
    const dying = (admitted.at(-1)?.nth ?? 0) % 4;
    const lost = admitted.filter(({ nth }) => nth % 4 === dying);
    const ended = admitted.filter(({ nth }) => nth % 4 !== dying);
    const [swept] = await Promise.all([
      of(dying + 1).attempts.sweep(of(dying).instanceId, 2_000),
      ...ended.map(({ opening, nth }) =>
        of(nth).attempts.close({
          attemptId: opening.attemptId,
          costNano: 300n,
          tokens: 30,
          estimated: false,
          atMs: 2_000,
        }),
      ),
    ]);
    expect(swept).toBe(lost.length);
    expect(lost.length).toBeGreaterThan(0);
    const spent = await of(0).budgets.read('org:org#m', 0);
    expect(spent).toEqual({ spentNano: BigInt(ended.length * 300 + lost.length * 400), heldNano: 0n });
    const requestsOf = async (scope: string) => (await of(1).budgets.read(scope, 0)).spentNano;
    expect(await requestsOf('project:p#r')).toBe(17n);
    expect(await requestsOf('project:q#r')).toBe(13n);
    expect(await requestsOf('user:x#r')).toBe(11n);
    await exactly(place, 0);
  } finally {
    await place.dispose();
  }
}, 120_000);

async function exactly(place: StorePlace, open: number): Promise<void> {
  expect(await checkMoney(place)).toEqual({ differing: [], open });
}
