/** One of three replicas has a wrong clock, from its start or from one moment to the next: nothing is lost, reset twice or stopped by it. */

import { expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { AlertView } from '../../../src/admin/contracts/alert-contract.ts';
import { post } from '../../harness/chat.ts';
import type { ConsoleClient } from '../../harness/console-client.ts';
import { ownerOf } from '../../harness/console-session.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import type { MadeToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import { type WrongClock, wrongClock } from '../../harness/wrong-clock.ts';

setDefaultTimeout(240_000);

const { afterAll, beforeAll, describe, test } = needing('postgres', 'faketime');
const day = 86_400;
const hour = 3_600;
const yaml = { usage: { retention_days: 30 }, alerts: { poll_ms: 300 } };

describe('a replica with a wrong clock', () => {
  let replicas: Replicas;
  let wrong: RunningWeir;
  let clock: WrongClock;
  let owner: ConsoleClient;
  let daily: Pick<MadeToken, 'id' | 'token'>;

  beforeAll(async () => {
    replicas = await startReplicas(2, { yaml });
    owner = await ownerOf(replicas.at(0));
    const budgets = [{ unit: 'requests', limit: 10, period: 'day' }];
    const made = await owner.post('/tokens', { name: 'daily', budgets });
    expect(made.status).toBe(200);
    daily = made.body as MadeToken;
    for (let count = 0; count < 4; count += 1) await ask(replicas.at(0), daily);
    const first = replicas.at(0);
    clock = wrongClock(join(first.dataFolder, 'faketime'), 31 * day);
    const { DATABASE_URL = '', WEIR_SECRET_KEY = '' } = first.environment;
    wrong = await startWeir({ yaml, token: first.token, env: { DATABASE_URL, WEIR_SECRET_KEY, ...clock.env } });
  });
  afterAll(async () => {
    await wrong?.remove();
    await replicas?.remove();
  });

  const ask = async (weir: RunningWeir, { token }: Pick<MadeToken, 'token'>): Promise<number> => {
    const body = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 };
    const reply = await post({ base: weir.base, token }, body);
    await reply.text();
    return reply.status;
  };
  const rows = async (): Promise<number> =>
    Number((await replicas.query('SELECT COUNT(*) AS n FROM usage_rows'))[0]?.['n']);
  const clockAlerts = async (): Promise<readonly AlertView[]> => {
    const { items } = (await owner.get('/alerts?limit=100')).body as { items: readonly AlertView[] };
    return items.filter(({ kind, state }) => kind === 'replica-fault' && state === 'open');
  };

  test.each([31 * day, 2 * hour, -2 * hour, day, -day])('by %p s says so, and changes nothing', async (offSeconds) => {
    clock.set(offSeconds);
    const before = await rows();
    expect(await ask(wrong, wrong)).toBe(200);
    await until(async () => (await clockAlerts()).length === 1);
    // What it was raised with, while it lasts.
    expect((await clockAlerts())[0]?.detail).toContain('31 days ahead of');
    const ready = await (await fetch(`${wrong.url}/readyz`)).json();
    expect(ready).toEqual({ status: 'ready', faults: ['clock'] });
    expect(await (await fetch(`${wrong.url}/metrics`)).text()).toContain('weir_replica_fault{kind="clock"} 1');
    await until(async () => (await rows()) === before + 1);
    const ahead = 'SELECT COUNT(*) AS n FROM usage_rows WHERE at_ms > (SELECT now_ms FROM database_clock) + 60000';
    expect(Number((await replicas.query(ahead))[0]?.['n'])).toBe(0);
    const [sums] = await replicas.query(
      'SELECT hour_until_ms, retained_from_ms, due_at_ms, (SELECT now_ms FROM database_clock) AS now FROM usage_rollup',
    );
    const now = Number(sums?.['now']);
    expect(Number(sums?.['hour_until_ms'])).toBeLessThanOrEqual(now);
    expect(Number(sums?.['retained_from_ms'])).toBeLessThanOrEqual(now - 30 * day * 1_000);
    expect(Number(sums?.['due_at_ms'])).toBeLessThanOrEqual(now + 120_000);
  });

  test('has one window of a budget for a day with the others', async () => {
    clock.set(31 * day);
    const served: number[] = [];
    for (const weir of [wrong, replicas.at(1), wrong, replicas.at(0), wrong, wrong, wrong, wrong])
      served.push(await ask(weir, daily));
    expect(served.filter((status) => status === 200).length).toBe(6);
    const windows = await replicas.query(
      `SELECT DISTINCT window_start_ms FROM budgets WHERE scope LIKE 'token:${daily.id}%'`,
    );
    expect(windows.length).toBe(1);
  });

  test('says when it is right again, and the alert ends', async () => {
    clock.set(0);
    await until(async () => {
      const ready = (await (await fetch(`${wrong.url}/readyz`)).json()) as { faults?: unknown };
      return ready.faults === undefined;
    });
    await until(async () => (await clockAlerts()).length === 0);
    expect(wrong.output()).toContain('ahead of the database');
  });
});
