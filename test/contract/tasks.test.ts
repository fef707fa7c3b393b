/** What the table of video tasks promises, on both engines. */

import { expect } from 'bun:test';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { Store } from '../../src/store/store.ts';
import type { Task } from '../../src/tasks/task.ts';
import type { NewTask } from '../../src/tasks/task-store.ts';
import { needing } from '../harness/needs.ts';
import { aScope, aUsageRow, checkMoney, engines, holdersIn, type StorePlace } from '../harness/store-places.ts';
import { aBeginning, aClosing, aGuess, anEnd, aStep, type Beginning } from '../harness/task-records.ts';

const scope = 'token:token-1';
const ticket = { id: 'up-1' };
const atHome = { url: 'https://caller.example/hook', body: '{"status":"completed"}' };

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`tasks on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let now = 1_000;

    beforeEach(async () => {
      now = 1_000;
      place = await engine.place();
      store = await place.open(() => now);
      // As a server does: on the embedded engine other attempts go through its journal from here on.
      await store.instances.register();
    });
    afterEach(() => place.dispose());

    const begin = async (beginning: Beginning, openMax = 1_000): Promise<Beginning> => {
      expect(await store.tasks.create(beginning.opening, beginning.task, openMax)).toEqual({ admitted: true });
      return beginning;
    };
    const make = (given: Partial<NewTask> = {}, limitNano = 1_000_000n): Promise<Beginning> =>
      begin(aBeginning(given, { scopes: [aScope(limitNano)] }));
    const budget = () => store.budgets.read(scope, 0);
    const settled = async () => expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    const rowsOf = async (table: string) => Number((await place.query(`SELECT COUNT(*) FROM ${table}`))[0]?.[0]);

    describe('beginnings', () => {
      test('a task comes back as it went in, queued and unasked', async () => {
        const { task } = await begin(aBeginning({ callbackUrl: `https://caller.example/?${'x'.repeat(2_000)}` }));
        const { dueAtMs: _, ...kept } = task;
        const expected: Task = {
          ...kept,
          ...{ state: 'queued', guessed: false, percent: 0, facts: {}, results: [], asked: 0, faults: 0, version: 1 },
          ...{ ticket: undefined, error: undefined, endedAtMs: undefined, expiresAtMs: undefined },
          deletedAtMs: undefined,
        };
        expect(await store.tasks.find(task.id)).toEqual(expected);
        expect(await store.tasks.get('token-1', task.id)).toEqual(expected);
        expect(await store.tasks.byRequest('token-1', task.requestId)).toEqual(expected);
        expect(await store.tasks.get('token-2', task.id)).toBeUndefined();
        expect(await store.tasks.byRequest('token-2', task.requestId)).toBeUndefined();
        expect(await store.tasks.find('none')).toBeUndefined();
        expect(await place.query('SELECT instance_id, state FROM attempts')).toEqual([['', 'dispatched']]);
      });

      test('B1: a budget for 5 admits exactly 5 of 40 at once, and a refusal leaves nothing', async () => {
        const scopes = [aScope(5_999n), aScope(50_000n, 'team:a')];
        const all = Array.from({ length: 40 }, () => aBeginning({}, { scopes }));
        const verdicts = await Promise.all(all.map(({ opening, task }) => store.tasks.create(opening, task, 1_000)));
        expect(verdicts.filter((verdict) => verdict.admitted)).toHaveLength(5);
        expect(verdicts.find((verdict) => !verdict.admitted)).toEqual({ admitted: false, scope });
        expect(await store.budgets.read('team:a', 0)).toEqual({ spentNano: 0n, heldNano: 5_000n });
        expect([await rowsOf('tasks'), await rowsOf('attempts')]).toEqual([5, 5]);
        expect(await checkMoney(place)).toEqual({ differing: [], open: 5 });
      });

      test('a token has no more open tasks than its limit, also when many are ordered at once', async () => {
        const all = Array.from({ length: 30 }, () => aBeginning());
        const verdicts = await Promise.all(all.map(({ opening, task }) => store.tasks.create(opening, task, 7)));
        expect(verdicts.filter((verdict) => verdict.admitted)).toHaveLength(7);
        expect(verdicts.find((verdict) => !verdict.admitted)).toEqual({ admitted: false, scope: 'open-tasks' });
        expect(await store.tasks.openCount()).toBe(7);
        const other = aBeginning({ tokenId: 'token-2' });
        expect(await store.tasks.create(other.opening, other.task, 7)).toEqual({ admitted: true });
        const index = verdicts.findIndex((verdict) => verdict.admitted);
        const first = all[index];
        if (first === undefined) throw new Error('None was admitted.');
        expect(await store.tasks.end(first.task.id, 1, anEnd(), aClosing(first, 0n), undefined)).toBe(true);
        await begin(aBeginning(), 7);
        expect(await store.tasks.openCount()).toBe(8);
        expect([await rowsOf('tasks'), await rowsOf('attempts')]).toEqual([9, 9]);
      });

      test('a task that one provider did not take moves to the next with its money', async () => {
        const first = await make();
        const next = aBeginning({ provider: 'other' }, { scopes: [aScope(1_000_000n)], reserveNano: 700n });
        const to = {
          attemptId: 'second',
          provider: 'other',
          keyId: 'key-2',
          upstreamModel: 'film-3',
          terms: next.task.terms,
        };
        const opening = { ...next.opening, attemptId: 'second' };
        const closing = { attemptId: first.task.attemptId, costNano: 0n, estimated: false, atMs: 1_500 };
        expect(await store.tasks.move(first.task.id, closing, opening, to)).toEqual({ admitted: true });
        expect(await budget()).toEqual({ spentNano: 0n, heldNano: 700n });
        expect(await store.tasks.find(first.task.id)).toMatchObject({ ...to, state: 'queued', version: 2 });
        // The attempt before is over: nothing can be moved from it or ended on it a second time.
        const again = { ...opening, attemptId: 'third' };
        expect(await store.tasks.move(first.task.id, closing, again, to)).toEqual({ admitted: false, scope: 'task' });
        expect(await store.tasks.end(first.task.id, 2, anEnd(), aClosing(first, 5n), undefined)).toBe(false);
        expect(await checkMoney(place)).toEqual({ differing: [], open: 1 });
      });

      test('a task whose next attempt the budget refuses is gone, and the attempt before it closed', async () => {
        const first = await make();
        const { opening } = aBeginning({}, { scopes: [aScope(900n, 'a'), aScope(10n, 'b')], reserveNano: 500n });
        const { provider, keyId, upstreamModel, terms } = first.task;
        const to = { attemptId: opening.attemptId, provider, keyId, upstreamModel, terms };
        const closing = aClosing(first, 0n);
        expect(await store.tasks.move(first.task.id, closing, opening, to)).toEqual({ admitted: false, scope: 'b' });
        expect(await store.tasks.find(first.task.id)).toBeUndefined();
        expect(await store.budgets.read('a', 0)).toEqual({ spentNano: 0n, heldNano: 0n });
        expect(await budget()).toEqual({ spentNano: 0n, heldNano: 0n });
        await settled();
      });

      test('a task that no provider accepted was never made; an accepted one is not discarded', async () => {
        const lost = await make();
        const taken = await make();
        await store.tasks.step(taken.task.id, 1, aStep({ ticket }));
        await store.tasks.discard(lost.task.id, aClosing(lost, 0n));
        await store.tasks.discard(lost.task.id, aClosing(lost, 0n));
        await store.tasks.discard(taken.task.id, aClosing(taken, 0n));
        expect(await store.tasks.find(lost.task.id)).toBeUndefined();
        expect(await store.usage.byId(lost.task.requestId)).toBeDefined();
        expect((await store.tasks.find(taken.task.id))?.state).toBe('in_progress');
        expect(await budget()).toEqual({ spentNano: 0n, heldNano: 1_000n });
      });

      test('discarding closes the attempt that the task has, whichever the caller knows of', async () => {
        const first = await make();
        const { provider, keyId, upstreamModel, terms } = first.task;
        const opening = { ...first.opening, attemptId: 'second' };
        const closing = { attemptId: first.task.attemptId, costNano: 0n, estimated: false, atMs: 1_500 };
        await store.tasks.move(first.task.id, closing, opening, {
          attemptId: 'second',
          provider,
          keyId,
          upstreamModel,
          terms,
        });
        await store.tasks.discard(first.task.id, closing);
        await settled();
      });

      test('a task that a worker took over is not moved by its late request', async () => {
        const { task, opening } = await make();
        expect(await store.tasks.claim('up', 5_000, 1_000, 10)).toHaveLength(1);
        const closing = { attemptId: task.attemptId, costNano: 0n, estimated: false, atMs: 5_500 };
        const { provider, keyId, upstreamModel, terms } = task;
        const to = { attemptId: 'second', provider, keyId, upstreamModel, terms };
        const verdict = await store.tasks.move(task.id, closing, { ...opening, attemptId: 'second' }, to);
        expect(verdict).toEqual({ admitted: false, scope: 'task' });
        expect(await checkMoney(place)).toEqual({ differing: [], open: 1 });
      });

      test('no sweeper ends the attempt of a task', async () => {
        const { task } = await make();
        expect(await holdersIn(store)).toEqual([]);
        expect(await store.attempts.sweep('', now)).toBe(0);
        const ledger = openLedger({ store, nowMs: () => now, leaseMs: 1 });
        now += 1_000_000;
        expect(await ledger.sweepOnce()).toBe(0);
        now += 1_000_000;
        expect(await ledger.sweepOnce()).toBe(0);
        expect(await store.tasks.end(task.id, 1, anEnd(), aClosing({ task }, 300n), undefined)).toBe(true);
        expect(await budget()).toEqual({ spentNano: 300n, heldNano: 0n });
      });
    });

    describe('work', () => {
      test('steps count, and a state never goes back', async () => {
        const { task } = await make();
        expect(await store.tasks.step(task.id, 1, aStep({ state: 'queued', ticket, percent: 0 }))).toBe(true);
        expect(await store.tasks.find(task.id)).toMatchObject({ state: 'queued', ticket, asked: 1, version: 2 });
        expect(await store.tasks.step(task.id, 2, aStep({ percent: 33.4, faults: 2 }))).toBe(true);
        expect(await store.tasks.find(task.id)).toMatchObject({ state: 'in_progress', ticket, percent: 33, faults: 2 });
        const later = { id: 'up-2', poll: 'https://up.example/x' };
        expect(await store.tasks.step(task.id, 3, aStep({ state: 'queued', ticket: later, percent: 1_000 }))).toBe(
          true,
        );
        const found = await store.tasks.find(task.id);
        expect(found).toMatchObject({
          state: 'in_progress',
          ticket: later,
          percent: 100,
          faults: 0,
          asked: 3,
          version: 4,
        });
      });

      test('a writer with an old version writes nothing', async () => {
        const { task } = await make();
        await store.tasks.step(task.id, 1, aStep({ ticket }));
        const closing = aClosing({ task }, 5n);
        expect(await store.tasks.step(task.id, 1, aStep({ percent: 99 }))).toBe(false);
        expect(await store.tasks.end(task.id, 1, anEnd(), closing, atHome)).toBe(false);
        expect(await store.tasks.correct(task.id, 2, anEnd(), closing, atHome)).toBe(false);
        expect(await store.tasks.settleGuess(task.id, 2)).toBe(false);
        expect(await store.tasks.renew(task.id, 1, 99_000)).toBe(false);
        expect(await store.tasks.step('none', 1, aStep())).toBe(false);
        expect(await store.tasks.find(task.id)).toMatchObject({ percent: 10, version: 2, state: 'in_progress' });
        expect(await budget()).toEqual({ spentNano: 0n, heldNano: 1_000n });
        expect(await rowsOf('task_callbacks')).toBe(0);
      });

      test('the longest due are taken first, each by one worker, and come again when that worker died', async () => {
        const late = await make({ dueAtMs: 4_000 });
        const early = await make({ dueAtMs: 3_000 });
        await make({ dueAtMs: 2_000, provider: 'other' });
        await make({ dueAtMs: 9_000 });
        expect(await store.tasks.claim('up', 2_999, 60_000, 10)).toEqual([]);
        const [first, ...rest] = await store.tasks.claim('up', 4_000, 60_000, 1);
        expect(rest).toEqual([]);
        expect(first).toEqual({ ...(await store.tasks.find(early.task.id)), version: 2 } as typeof first);
        expect((await store.tasks.claim('up', 4_000, 60_000, 10)).map(({ id }) => id)).toEqual([late.task.id]);
        expect(await store.tasks.claim('up', 4_000, 60_000, 10)).toEqual([]);
        // A longer lease, under the same version.
        expect(await store.tasks.renew(early.task.id, 2, 80_000)).toBe(true);
        const again = await store.tasks.claim('up', 64_000, 60_000, 10);
        expect(again.map(({ id }) => id)).not.toContain(early.task.id);
        expect(again.map(({ id }) => id)).toContain(late.task.id);
        const [taken] = await store.tasks.claim('up', 80_000, 60_000, 10);
        expect(taken).toMatchObject({ id: early.task.id, version: 3 });
        expect(await store.tasks.step(early.task.id, 2, aStep())).toBe(false);
        // And one that is given back.
        expect(await store.tasks.renew(early.task.id, 3, 80_500)).toBe(true);
        expect(await store.tasks.claim('up', 80_500, 60_000, 10)).toMatchObject([{ id: early.task.id, version: 4 }]);
        expect(await store.tasks.step(early.task.id, 4, aStep())).toBe(true);
      });

      test('providers with something due are named once', async () => {
        for (const provider of ['b', 'a', 'c', 'a', 'é', 'B'])
          await make({ provider, dueAtMs: provider === 'c' ? 9_000 : 3_000 });
        const ended = await make({ provider: 'z', dueAtMs: 3_000 });
        await store.tasks.end(ended.task.id, 1, anEnd(), aClosing(ended, 0n), undefined);
        expect((await store.tasks.dueProviders(2_999)).toSorted()).toEqual([]);
        expect((await store.tasks.dueProviders(3_000)).toSorted()).toEqual(['B', 'a', 'b', 'é']);
        expect((await store.tasks.dueProviders(9_000)).toSorted()).toEqual(['B', 'a', 'b', 'c', 'é']);
      });

      test('hastening only moves up tasks that wait with a ticket, and never before now', async () => {
        const { task } = await make({ dueAtMs: 5_000 });
        const due = async () => Number((await place.query('SELECT due_at_ms FROM tasks'))[0]?.[0]);
        expect(await store.tasks.hasten(task.id, 1_000)).toBe(true);
        expect(await due()).toBe(5_000);
        await store.tasks.step(task.id, 1, aStep({ ticket, dueAtMs: 20_000 }));
        expect(await store.tasks.hasten(task.id, 30_000)).toBe(true);
        expect(await due()).toBe(20_000);
        now = 2_000;
        expect(await store.tasks.hasten(task.id, 1_500)).toBe(true);
        expect(await due()).toBe(2_000);
        const [taken] = await store.tasks.claim('up', 2_000, 60_000, 1);
        expect(taken?.version).toBe(3);
        expect(await store.tasks.hasten(task.id, 2_000)).toBe(true);
        expect(await due()).toBe(62_000);
        await store.tasks.end(task.id, 3, anEnd(), aClosing({ task }, 0n), undefined);
        expect(await store.tasks.hasten(task.id, 2_000)).toBe(false);
        expect(await store.tasks.hasten('none', 2_000)).toBe(false);
      });

      test('lists have no gaps or repeats in either direction, and not what was deleted or is another token’s', async () => {
        const all: string[] = [];
        for (let index = 0; index < 23; index += 1) {
          const { task } = await begin(aBeginning({ createdAtMs: 100 + (index >> 2) }));
          all.push(task.id);
        }
        await begin(aBeginning({ tokenId: 'token-2' }));
        const [gone = ''] = all.splice(11, 1);
        expect(await store.tasks.remove('token-2', gone, 5)).toBe(false);
        expect(await store.tasks.remove('token-1', gone, 5)).toBe(true);
        expect(await store.tasks.remove('token-1', gone, 6)).toBe(false);
        for (const order of ['asc', 'desc'] as const) {
          const seen: string[] = [];
          let after: { atMs: number; id: string } | undefined;
          for (;;) {
            const { items, hasMore } = await store.tasks.list('token-1', { limit: 5, order, after });
            seen.push(...items.map(({ id }) => id));
            const last = items.at(-1);
            if (!hasMore || last === undefined) break;
            after = { atMs: last.createdAtMs, id: last.id };
          }
          expect(seen).toEqual(order === 'asc' ? all : all.toReversed());
        }
        const whole = await store.tasks.list('token-1', { limit: 22, order: 'asc' });
        expect([whole.items.length, whole.hasMore]).toEqual([22, false]);
        expect(await store.tasks.get('token-1', gone)).toBeUndefined();
        expect(await store.tasks.find(gone)).toMatchObject({ deletedAtMs: 5, version: 1 });
      });
    });

    describe('ends', () => {
      test('an end settles once, with its row and its message', async () => {
        const begun = await make({ callbackUrl: atHome.url });
        const { id } = begun.task;
        await store.tasks.step(id, 1, aStep({ ticket }));
        const outcomes = await Promise.all(
          [300n, 400n, 500n].map((cost) => store.tasks.end(id, 2, anEnd(), aClosing(begun, cost), atHome)),
        );
        expect(outcomes.filter(Boolean)).toHaveLength(1);
        const cost = [300n, 400n, 500n][outcomes.indexOf(true)] ?? 0n;
        const { dueAtMs: _, atMs, ...said } = anEnd();
        expect(await store.tasks.find(id)).toMatchObject({ ...said, endedAtMs: atMs, version: 3, ticket });
        expect(await budget()).toEqual({ spentNano: cost, heldNano: 0n });
        expect((await store.usage.byId(begun.task.requestId))?.costNano).toBe(cost);
        for (const version of [2, 3, 4]) {
          expect(await store.tasks.end(id, version, aGuess(), aClosing(begun, 9n), undefined)).toBe(false);
          expect(await store.tasks.step(id, version, aStep())).toBe(false);
          expect(await store.tasks.correct(id, version, anEnd(), aClosing(begun, 9n), undefined)).toBe(false);
          expect(await store.tasks.renew(id, version, 99_000)).toBe(false);
        }
        expect(await store.tasks.claim('up', 1e12, 1, 10)).toEqual([]);
        expect(await store.tasks.claimCallbacks(9_000, 500, 10)).toHaveLength(1);
        await settled();
      });

      test('a task whose attempt was closed before ends all the same, for nothing more', async () => {
        const begun = await make();
        await store.attempts.close(aClosing(begun, 250n));
        expect(await store.tasks.end(begun.task.id, 1, anEnd(), aClosing(begun, 400n), undefined)).toBe(true);
        expect(await budget()).toEqual({ spentNano: 250n, heldNano: 0n });
        await settled();
      });

      for (const [guess, truth] of [
        [400n, 900n],
        [400n, 0n],
        [0n, 700n],
        [400n, 400n],
      ] as const) {
        test(`a guessed charge of ${guess} is corrected to ${truth}, once and in every scope`, async () => {
          const scopes = [aScope(10_000n), aScope(50_000n, 'team:a', 86_400_000)];
          const begun = await begin(aBeginning({}, { scopes }));
          const other = await begin(aBeginning({}, { scopes }));
          await store.tasks.end(other.task.id, 1, anEnd(), aClosing(other, 111n), undefined);
          const { id, requestId } = begun.task;
          const closing = aClosing(begun, guess, { estimated: true, verdict: 'uncertain' });
          expect(await store.tasks.end(id, 1, aGuess(), closing, atHome)).toBe(true);
          expect(await store.attempts.ofRequest(requestId)).toMatchObject([{ keyId: 'key-1', verdict: 'uncertain' }]);
          expect(await budget()).toEqual({ spentNano: 111n + guess, heldNano: 0n });
          const [looked] = await store.tasks.claim('up', 30_000, 60_000, 10);
          expect(looked).toMatchObject({ id, guessed: true, state: 'failed', version: 3 });
          expect(await store.tasks.step(id, 3, aStep())).toBe(false);
          expect(await store.tasks.end(id, 3, anEnd(), aClosing(begun, truth), undefined)).toBe(false);
          const said = await Promise.all(
            [truth, truth].map((cost) => store.tasks.correct(id, 3, anEnd(), aClosing(begun, cost), atHome)),
          );
          expect(said.filter(Boolean)).toHaveLength(1);
          expect(await store.tasks.correct(id, 4, anEnd(), aClosing(begun, 5n), atHome)).toBe(false);
          expect(await store.tasks.end(id, 4, anEnd(), aClosing(begun, 5n), atHome)).toBe(false);
          expect(await store.tasks.settleGuess(id, 4)).toBe(false);
          const found = await store.tasks.find(id);
          expect(found).toMatchObject({ state: 'completed', guessed: false, error: undefined, version: 4 });
          expect(await budget()).toEqual({ spentNano: 111n + truth, heldNano: 0n });
          const team = await store.budgets.read('team:a', 86_400_000);
          expect(team).toEqual({ spentNano: 111n + truth, heldNano: 0n });
          expect(await store.usage.byId(requestId)).toEqual({ ...aUsageRow(), ...aClosing(begun, truth).row });
          const attempts = await store.attempts.ofRequest(requestId);
          expect(attempts).toMatchObject([{ costNano: truth, estimated: false, keyId: 'key-1', verdict: '' }]);
          await settled();
        });
      }

      test('a correction without a row corrects what the request cost', async () => {
        const begun = await make();
        await store.tasks.end(begun.task.id, 1, aGuess(), aClosing(begun, 400n, { estimated: true }), undefined);
        await store.tasks.correct(begun.task.id, 2, anEnd(), aClosing(begun, 150n, { row: undefined }), undefined);
        expect(await store.usage.byId(begun.task.requestId)).toMatchObject({ costNano: 150n, estimated: false });
        await settled();
      });

      test('a guess that is never corrected is final', async () => {
        const begun = await make();
        await store.tasks.end(begun.task.id, 1, aGuess(), aClosing(begun, 400n, { estimated: true }), undefined);
        expect(await store.tasks.settleGuess(begun.task.id, 1)).toBe(false);
        expect(await store.tasks.settleGuess(begun.task.id, 2)).toBe(true);
        expect(await store.tasks.settleGuess(begun.task.id, 3)).toBe(false);
        expect(await store.tasks.correct(begun.task.id, 3, anEnd(), aClosing(begun, 1n), undefined)).toBe(false);
        expect(await store.tasks.claim('up', 1e12, 1, 10)).toEqual([]);
        expect(await store.tasks.find(begun.task.id)).toMatchObject({ state: 'failed', guessed: false });
        expect(await budget()).toEqual({ spentNano: 400n, heldNano: 0n });
      });

      test('results expire once, and rows are forgotten some at a time with their messages', async () => {
        const all: Beginning[] = [];
        for (let index = 0; index < 120; index += 1) all.push(await make());
        for (const [index, begun] of all.entries()) {
          const end = anEnd({ atMs: 1_000 + index, expiresAtMs: 2_000 + index });
          await store.tasks.end(begun.task.id, 1, end, aClosing(begun, 1n), atHome);
        }
        const [open] = [await make()];
        expect(await store.tasks.expire(1_999, 10)).toEqual([]);
        const both = await Promise.all([store.tasks.expire(2_079, 70), store.tasks.expire(2_079, 70)]);
        const names = [...both.flat(), ...(await store.tasks.expire(2_079, 70))].map(({ id }) => id);
        expect(names.toSorted()).toEqual(all.slice(0, 80).map(({ task }) => task.id));
        expect(both.flat()[0]?.results).toEqual(anEnd().results);
        expect(await store.tasks.expire(2_079, 70)).toEqual([]);
        expect(await store.tasks.find(all[0]?.task.id ?? '')).toMatchObject({ results: [], expiresAtMs: 2_000 });
        expect(await store.tasks.forget(1_060, 100)).toBe(60);
        expect(await store.tasks.forget(1_060, 100)).toBe(0);
        expect([await rowsOf('tasks'), await rowsOf('task_callbacks')]).toEqual([61, 60]);
        expect(await store.tasks.forget(10_000, 59)).toBe(59);
        expect(await store.tasks.forget(10_000, 59)).toBe(1);
        expect(await store.tasks.find(open.task.id)).toBeDefined();
        expect(await rowsOf('task_callbacks')).toBe(0);
      });
    });
  });
}
