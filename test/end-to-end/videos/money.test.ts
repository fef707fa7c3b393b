/**
 * Money of videos: what is reserved, what is spent, which provider takes over an order, and that no caller pays for a
 * video that was not made.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  perSecondNano,
  removeBenches,
  startVideoBench,
  type TaskBody,
  type VideoBench,
} from '../../contract/videos/bench.ts';
import { type Files, startFiles } from '../../contract/videos/files.ts';
import { expectBalanced, readLedger, settledLedger } from '../../harness/ledger-rows.ts';
import { createToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import { doneAt, failed, type PolledProvider, providerAt, running, startPolledProvider } from './polled-provider.ts';

const path = '/video/generations';
const openMax = 12;
let bench: VideoBench;
let files: Files;
let first: PolledProvider;
let second: PolledProvider;

beforeAll(async () => {
  files = startFiles();
  first = startPolledProvider(() => running);
  second = startPolledProvider(() => running);
  const closed = 'http://127.0.0.1:1';
  const target = (provider: string, tier: number) => ({ provider, model: 'gen4_turbo', tier });
  bench = await startVideoBench(
    {
      providers: { first: providerAt(first), second: providerAt(second), closed: providerAt({ url: closed }) },
      models: {
        twice: { targets: [target('first', 0), target('second', 1)] },
        away: { targets: [target('closed', 0), target('second', 1)] },
      },
    },
    { WEIR_TASKS_OPEN_PER_TOKEN_MAX: String(openMax) },
  );
});

afterAll(async () => {
  await removeBenches();
  for (const one of [first, second, files]) one.stop();
});

beforeEach(() => {
  for (const provider of [first, second]) {
    provider.take = undefined;
    provider.say = () => doneAt(`${files.url}/film.mp4`);
    provider.tasks.clear();
  }
});

const orderWith = (token: string, more: object = {}) =>
  bench.call('POST', path, { token, body: { model: 'first/gen4_turbo', prompt: 'x', seconds: 5, ...more } });

const idOf = async (reply: Response): Promise<string> => ((await reply.json()) as TaskBody).task_id;

async function codeOf(reply: Response | undefined): Promise<string | undefined> {
  const body = (await reply?.json()) as { error: { code: string } } | undefined;
  return body?.error.code;
}

async function allEnded(): Promise<void> {
  await until(() => bench.tasks().every(({ state }) => state === 'completed' || state === 'failed'));
}

describe('a budget', () => {
  test('for exactly K videos makes K of many at once, and what it refuses is never sent', async () => {
    const { id: tokenId, token } = await createToken(bench.weir, '--budget-usd', '2');
    first.say = () => running;
    const replies = await Promise.all(Array.from({ length: 11 }, () => orderWith(token)));
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array.from({ length: 4 }, () => 200), ...Array.from({ length: 7 }, () => 402)]);
    const refused = replies.find(({ status }) => status === 402);
    expect(await codeOf(refused)).toBe('budget_spent');
    expect(refused?.headers.get('x-should-retry')).toBe('false');
    expect(first.tasks.size).toBe(4);
    const held = async () => (await readLedger(bench.weir)).budgets.find(({ scope }) => scope === `token:${tokenId}`);
    expect(await held()).toMatchObject({ heldNano: 20n * perSecondNano, spentNano: 0n });
    first.say = () => doneAt(`${files.url}/film.mp4`);
    await allEnded();
    expect(await held()).toMatchObject({ heldNano: 0n, spentNano: 20n * perSecondNano });
    expect((await orderWith(token)).status).toBe(402);
    expect(first.tasks.size).toBe(4);
  });

  test('has room again once a video has failed for nothing', async () => {
    const { token } = await createToken(bench.weir, '--budget-usd', '0.5');
    first.say = () => running;
    expect((await orderWith(token)).status).toBe(200);
    expect((await orderWith(token)).status).toBe(402);
    first.say = () => failed;
    await allEnded();
    first.say = () => doneAt(`${files.url}/film.mp4`);
    expect((await orderWith(token)).status).toBe(200);
    await allEnded();
    expect((await orderWith(token)).status).toBe(402);
  });

  test('is reserved for the length that is really ordered', async () => {
    const { token } = await createToken(bench.weir, '--budget-usd', '0.19');
    // A fifth of a second becomes two whole ones, which is more than there is.
    expect((await orderWith(token, { seconds: 0.2 })).status).toBe(402);
    expect((await orderWith(token, { seconds: undefined })).status).toBe(402);
    const { token: richer } = await createToken(bench.weir, '--budget-usd', '0.2');
    const id = await idOf(await orderWith(richer, { seconds: 0.2 }));
    expect(first.last().body['duration']).toBe(2);
    expect(await bench.charged(id)).toMatchObject({ costNano: 2n * perSecondNano, estimated: false });
  });

  test('of a token is not touched by what another candidate did not take', async () => {
    const { token } = await createToken(bench.weir, '--budget-usd', '0.5');
    first.take = () => Response.json({ error: 'Busy.' }, { status: 503 });
    const reply = await orderWith(token, { model: 'twice' });
    expect(reply.status).toBe(200);
    await allEnded();
    expectBalanced(await settledLedger(bench.weir));
  });
});

describe('candidates', () => {
  let fresh: VideoBench;

  /** Pairs of providers, so that none is cooling down because of another test. */
  const pairs = ['busy', 'waiting', 'refusing', 'away', 'broken', 'both'];

  beforeAll(async () => {
    const target = (provider: string, tier: number) => ({ provider, model: 'gen4_turbo', tier });
    const closed = { url: 'http://127.0.0.1:1' };
    const providers = pairs.flatMap((pair) => [
      [`first-${pair}`, providerAt(pair === 'away' ? closed : first)],
      [`second-${pair}`, providerAt(second)],
    ]);
    const models = pairs.map((pair) => [pair, { targets: [target(`first-${pair}`, 0), target(`second-${pair}`, 1)] }]);
    fresh = await startVideoBench({ providers: Object.fromEntries(providers), models: Object.fromEntries(models) });
  });

  afterAll(() => fresh.weir.remove());

  async function orderOf(pair: string): Promise<{ reply: Response; tokenId: string; tasksBefore: number }> {
    const tasksBefore = fresh.tasks().length;
    const { id: tokenId, token } = await createToken(fresh.weir);
    const body = { model: pair, prompt: 'x', seconds: 5 };
    return { reply: await fresh.call('POST', path, { token, body }), tokenId, tasksBefore };
  }

  async function attemptsOf(tokenId: string): Promise<(bigint | undefined)[]> {
    expectBalanced(await settledLedger(fresh.weir));
    const { attempts } = await settledLedger(fresh.weir, tokenId);
    return attempts.map(({ costNano }) => costNano).toSorted();
  }

  const failures: readonly (readonly [string, string, (() => Response) | undefined])[] = [
    ['says that it is busy', 'busy', () => Response.json({ error: 'Busy.' }, { status: 503 })],
    ['asks to wait', 'waiting', () => Response.json({ error: 'Wait.' }, { status: 429 })],
    ['refuses the key', 'refusing', () => Response.json({ error: 'No.' }, { status: 401 })],
    ['cannot be reached', 'away', undefined],
  ];
  for (const [what, pair, take] of failures) {
    test(`one that ${what} is followed by the next: one task, one charge`, async () => {
      first.take = take;
      const { reply, tokenId, tasksBefore } = await orderOf(pair);
      const id = await idOf(reply);
      expect([reply.status, reply.headers.get('x-weir-provider')]).toEqual([200, `second-${pair}`]);
      expect(reply.headers.get('x-weir-attempts')).toBe('2');
      expect([first.tasks.size, second.tasks.size, fresh.tasks().length]).toEqual([0, 1, tasksBefore + 1]);
      await until(() => fresh.task(id)?.state === 'completed', 60_000, 'the video');
      expect(await fresh.charged(id)).toMatchObject({ costNano: 5n * perSecondNano });
      expect(await attemptsOf(tokenId)).toEqual([0n, 5n * perSecondNano]);
    });
  }

  test('one that failed may have begun, so there is no fallback and nothing is charged', async () => {
    first.take = () => Response.json({ error: 'Oops.' }, { status: 500 });
    const { reply, tokenId, tasksBefore } = await orderOf('broken');
    expect([reply.status, second.tasks.size, fresh.tasks().length]).toEqual([502, 0, tasksBefore]);
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(await fresh.usageOf(reply.headers.get('x-request-id'))).toMatchObject({ costNano: 0n, status: 502 });
    expect(await attemptsOf(tokenId)).toEqual([0n]);
  });

  test('all of which refuse leave no task', async () => {
    const busy = () => Response.json({ error: 'Busy.' }, { status: 503 });
    first.take = busy;
    second.take = busy;
    const { reply, tokenId, tasksBefore } = await orderOf('both');
    expect([reply.status, fresh.tasks().length]).toEqual([503, tasksBefore]);
    expect(await attemptsOf(tokenId)).not.toContain(5n * perSecondNano);
  });
});

test('a token has no more tasks in progress than it may, also with many requests at once', async () => {
  const { token } = await createToken(bench.weir);
  first.say = () => running;
  const replies = await Promise.all(Array.from({ length: openMax + 5 }, () => orderWith(token)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(openMax);
  const refused = replies.find(({ status }) => status === 429);
  expect(await codeOf(refused)).toBe('concurrency_limited');
  expect(refused?.headers.get('retry-after')).toBeTruthy();
  expect(first.tasks.size).toBe(openMax);
  first.say = () => failed;
  await allEnded();
  expect((await orderWith(token)).status).toBe(200);
  await allEnded();
});

test('who hangs up has ordered all the same', async () => {
  const leaving = new AbortController();
  let taken = false;
  first.take = () => {
    taken = true;
    leaving.abort();
    return undefined;
  };
  await fetch(`${bench.weir.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bench.weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'first/gen4_turbo', prompt: 'x', seconds: 5 }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await until(() => taken);
  await allEnded();
  const { data } = (await (await bench.call('GET', path)).json()) as { data: TaskBody[] };
  expect(data[0]?.status).toBe('completed');
});

test('the ledger balances, and every task was charged once', async () => {
  await allEnded();
  const ledger = await settledLedger(bench.weir);
  expectBalanced(ledger);
  for (const { request_id: requestId } of bench.tasks()) {
    expect(ledger.usage.filter((row) => row.requestId === requestId)).toHaveLength(1);
  }
});
