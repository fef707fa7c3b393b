/** Many tasks and many takers: each task is taken once, no table is scanned, and nothing is lost with a process. */

import { expect } from 'bun:test';
import type { Steps } from '../../src/store/sql/statement.ts';
import { countOpenTasks, listTasks, taskByRequest } from '../../src/store/tasks/task-queries.ts';
import { claimTasks, dueProviders, expireTasks, forgetTasks } from '../../src/store/tasks/task-work.ts';
import type { TaskStore } from '../../src/tasks/task-store.ts';
import { needing } from '../harness/needs.ts';
import { sized } from '../harness/size.ts';
import { anOpening, aScope, checkMoney, engines, holdersIn, type StorePlace } from '../harness/store-places.ts';
import { aBeginning, aClosing, anEnd, aStep } from '../harness/task-records.ts';

/** A database with statistics scans a small table, whatever its indexes. */
const rowsOn = { sqlite: sized(4_000, 20_000), postgres: sized(10_000, 20_000) };

/** A table as an installation has it: few are due, some wait, most ended long ago; ten providers, a hundred tokens. */
const fill = (rows: number) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
  INSERT INTO tasks (id, token_id, request_id, attempt_id, state, guessed, provider, key_id, model, upstream_model, percent,
    wishes, facts, results, terms, created_at_ms, ended_at_ms, deadline_at_ms, expires_at_ms, asked, faults, version, due_at_ms, leased)
  SELECT 'task-' || i, 'token-' || (i % 100), 'request-' || i, 'attempt-' || i,
    CASE WHEN i % 4 = 0 THEN 'in_progress' ELSE 'completed' END, 0, 'provider-' || (i % 10), 'k', 'm', 'm', 0,
    '{}', '{}', CASE WHEN i % 4 = 1 THEN '[{}]' ELSE '[]' END, '{}', i, CASE WHEN i % 4 = 0 THEN NULL ELSE i END, 0,
    CASE WHEN i % 4 = 0 THEN NULL ELSE i END, 0, 0, 1, CASE WHEN i % 4 = 0 THEN i ELSE NULL END, 0 FROM n`;

// All at once wait in one pool of connections, each no longer than the driver's bound.
const dueTasks = sized(120, 500);
const endedTasks = sized(40, 200);

/** The first statement of a query, with its values in their places. */
function firstQuestion(steps: Steps<unknown>): string {
  const next = steps.next([]);
  if (next.done === true) throw new Error('The query asks nothing.');
  const { statement, values } = next.value;
  return statement.sql.replaceAll(/\$(\d+)/g, (_, place) => {
    const value = values[Number(place) - 1];
    return typeof value === 'string' ? `'${value}'` : String(value);
  });
}

const questions: readonly (readonly [what: string, steps: () => Steps<unknown>, index: string])[] = [
  ['taking tasks', () => claimTasks.steps('provider-4', 100, 60_000, 50), 'tasks_due'],
  ['naming providers', () => dueProviders.steps(100), 'tasks_due'],
  [
    'listing',
    () => listTasks.steps('token-7', { order: 'desc', limit: 20, after: { atMs: 15_000, id: 'task-9' } }),
    'tasks_token',
  ],
  ['counting', () => countOpenTasks.steps(), 'tasks_open'],
  ['finding by request', () => taskByRequest.steps('token-7', 'request-7'), 'tasks_request'],
  ['expiring', () => expireTasks.steps(100, 50), 'tasks_expiry'],
  ['forgetting', () => forgetTasks.steps(100, 50), 'tasks_ended'],
];

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`a crowd of tasks on ${engine.name}`, () => {
    const rows = rowsOn[engine.name];
    let place: StorePlace;
    beforeEach(async () => {
      place = await engine.place();
    });
    afterEach(() => place.dispose());

    /** Several replicas on the shared engine, each with its connections; the embedded one has one process, whose callers overlap. */
    const eightTables = async (): Promise<TaskStore[]> => {
      const opened = await Promise.all(
        Array.from({ length: engine.name === 'postgres' ? sized(3, 8) : 1 }, () => place.open()),
      );
      return Array.from({ length: 8 }).flatMap((_, index) => opened[index % opened.length]?.tasks ?? []);
    };

    test(`${dueTasks} due tasks and 8 takers: each is taken once`, async () => {
      const tables = await eightTables();
      const begun = Array.from({ length: dueTasks }, (_, index) => aBeginning({ dueAtMs: 1_000 + (index % 7) }));
      const [first] = tables;
      if (first === undefined) throw new Error('There is no taker.');
      await Promise.all(begun.map(({ opening, task }) => first.create(opening, task, 1_000)));
      const taken: string[] = [];
      await Promise.all(
        tables.map(async (tasks) => {
          while (taken.length < dueTasks) {
            const got = await tasks.claim('up', 5_000, 60_000, 9);
            expect(got.length).toBeLessThanOrEqual(9);
            expect(got.every(({ version }) => version === 2)).toBe(true);
            taken.push(...got.map(({ id }) => id));
          }
        }),
      );
      expect(taken.toSorted()).toEqual(begun.map(({ task }) => task.id).toSorted());
      expect(await first.claim('up', 64_999, 60_000, 9)).toEqual([]);
      expect(await first.claim('up', 65_000, 60_000, 9)).toHaveLength(9);
    }, 300_000);

    test('eight that end the same tasks, take their messages and expire their results: each once', async () => {
      const tables = await eightTables();
      const scopes = [aScope(1_000_000n)];
      const all = Array.from({ length: endedTasks }, () => aBeginning({}, { scopes }));
      await Promise.all(all.map(({ opening, task }) => tables[0]?.create(opening, task, 1_000)));
      const message = { url: 'https://caller.example', body: '{}' };
      const ended = await Promise.all(
        all.flatMap((begun) =>
          tables.map((tasks, cost) => tasks.end(begun.task.id, 1, anEnd(), aClosing(begun, BigInt(cost)), message)),
        ),
      );
      expect(ended.filter(Boolean)).toHaveLength(endedTasks);
      const names = all.map(({ task }) => task.id).toSorted();
      /** All stores take again until nothing is left. */
      const drain = async (take: (tasks: TaskStore) => Promise<readonly string[]>): Promise<string[]> => {
        const taken: string[] = [];
        const drainOne = async (tasks: TaskStore): Promise<void> => {
          while (taken.length < names.length) taken.push(...(await take(tasks)));
        };
        await Promise.all(tables.map(drainOne));
        return taken.toSorted();
      };
      const messages = async (tasks: TaskStore) =>
        (await tasks.claimCallbacks(9_000, 1_000, 9)).map((each) => each.taskId);
      expect(await drain(messages)).toEqual(names);
      const results = async (tasks: TaskStore) => (await tasks.expire(90_000, 9)).map(({ id }) => id);
      expect(await drain(results)).toEqual(names);
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    }, 300_000);

    test(`${rows} tasks: every question of a worker is answered by an index`, async () => {
      const store = await place.open();
      await place.query(fill(rows));
      await place.query('ANALYZE');
      const explain = engine.name === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
      for (const [what, operation, index] of questions) {
        const plan = (await place.query(`${explain} ${firstQuestion(operation())}`)).flat().join('\n');
        expect({ what, plan, usesIndex: plan.includes(index) }).toMatchObject({ usesIndex: true });
        expect({ what, plan, scans: /Seq Scan|SCAN tasks(?! USING)/.test(plan) }).toMatchObject({ scans: false });
      }
      expect((await store.tasks.dueProviders(100)).length).toBe(5);
      expect((await store.tasks.claim('provider-4', 100, 60_000, 50)).map(({ id }) => id).toSorted()).toEqual(
        ['task-4', 'task-24', 'task-44', 'task-64', 'task-84'].toSorted(),
      );
      expect(await store.tasks.openCount()).toBe(rows / 4);
    }, 300_000);

    test('tasks and their money outlive the process, whatever waits in its journal', async () => {
      const clock = () => 1_000;
      const before = await place.open(clock);
      await before.instances.register();
      const scopes = [aScope(1_000_000n)];
      const [open, ended] = [aBeginning({}, { scopes }), aBeginning({}, { scopes })];
      for (const { opening, task } of [open, ended]) await before.tasks.create(opening, task, 10);
      await before.tasks.step(open.task.id, 1, aStep({ ticket: { id: 'up-1' } }));
      await before.tasks.end(ended.task.id, 1, anEnd(), aClosing(ended, 70n), {
        url: 'https://caller.example',
        body: '{}',
      });
      const chat = anOpening();
      await before.attempts.open(chat);
      await before.close();
      const after = await place.open(clock);
      await after.instances.register();
      expect(await holdersIn(after)).toEqual([before.instanceId]);
      expect(await after.attempts.sweep(before.instanceId, 2_000)).toBe(1);
      expect(await after.tasks.find(open.task.id)).toMatchObject({
        state: 'in_progress',
        ticket: { id: 'up-1' },
        version: 2,
      });
      expect(await after.tasks.claim('up', 20_000, 60_000, 10)).toHaveLength(1);
      expect(await after.tasks.end(open.task.id, 3, anEnd(), aClosing(open, 30n), undefined)).toBe(true);
      expect(await after.tasks.claimCallbacks(9_000, 1_000, 10)).toHaveLength(1);
      expect(await after.budgets.read('token:token-1', 0)).toEqual({ spentNano: 100n, heldNano: 0n });
      expect((await after.usage.byId(open.task.requestId))?.costNano).toBe(30n);
      expect(await checkMoney(place)).toEqual({ differing: [], open: 0 });
    });
  });
}
