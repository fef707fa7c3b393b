/** Two workers that share the port are one Weir: limits, budgets, keys and revocations are exact, and a killed one is replaced. */

import { Database } from 'bun:sqlite';
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post, scripted, type Target } from '../harness/chat.ts';
import { type HoldingUpstream, startHoldingUpstream } from '../harness/holding-upstream.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { createToken, json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';
import { listeningSockets, ownConnection, workerPids } from '../harness/worker-processes.ts';

setDefaultTimeout(300_000);

const workers = 2;

type Statuses = Readonly<Record<string, number>>;

/** How often each status was returned; `lost` where the connection ended without a reply. */
async function statuses(
  count: number,
  ask: (index: number) => Promise<Response>,
  seen: Record<string, number> = {},
): Promise<Statuses> {
  const one = async (_: unknown, index: number): Promise<void> => {
    const status = await ask(index)
      .then(
        (reply) => reply.text().then(() => String(reply.status)),
        () => 'lost',
      )
      .catch(() => 'lost');
    seen[status] = (seen[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, one));
  return seen;
}

const short = scripted({ deltas: 10 }, { max_tokens: 10 });
const ask = (target: Target, body: unknown = short, headers: Record<string, string> = {}): Promise<Response> =>
  post(target, body, { ...ownConnection, headers: { connection: 'close', ...headers } });

function answered(): Response {
  const message = { role: 'assistant', content: 'ok', refusal: null };
  return Response.json({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1' },
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 },
  });
}

describe.each(['sqlite', 'postgres'] as const)('two workers on %s', (database) => {
  const { afterAll, beforeAll, beforeEach, test } = needing(database);
  let upstream: RunningUpstream;
  let holding: HoldingUpstream;
  let weir: RunningWeir;

  beforeAll(async () => {
    upstream = await startUpstream();
    holding = startHoldingUpstream();
    weir = await startWeir({
      database,
      env: { WEIR_SERVER_WORKERS: String(workers) },
      yaml: {
        providers: {
          up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] },
          holding: { kind: 'openai-chat', base_url: holding.base, key: 'sk-up', models: ['held'] },
        },
        // Ten tokens cost one cent.
        prices: { 'up/gpt-4.1': { input: 0, output: 1_000 }, 'holding/held': { input: 0, output: 1_000 } },
      },
    });
    await until(async () => (await workerPids(weir)).length === workers, 60_000, 'both workers');
    await bothListen();
  });
  afterAll(async () => {
    await weir?.remove();
    await upstream?.stop();
    await holding?.stop();
  });
  beforeEach(() => {
    upstream.reset();
    holding.requests.length = 0;
  });

  async function bothListen(): Promise<void> {
    const serving = async () =>
      (await workerPids(weir)).length === workers && (await listeningSockets(weir)) >= workers;
    await until(serving, 60_000, 'both workers to serve');
  }

  /** Returns when another serves in its place: a process that was killed is listed, and listens, for a moment longer. */
  async function replace(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await until(async () => !(await workerPids(weir)).includes(pid), 60_000, 'the end of the worker');
    await bothListen();
  }

  /** Also what arrives late. */
  async function answerAll<Result>({ sent }: { readonly sent: Promise<Result> }): Promise<Result> {
    const timer = setInterval(() => {
      for (const request of holding.requests) request.answer(answered());
    }, 20);
    try {
      return await sent;
    } finally {
      clearInterval(timer);
    }
  }

  const held = (extra: object = {}) => ({
    model: 'held',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 10,
    ...extra,
  });

  test('a budget for 37 serves 37 of 200 at once', async () => {
    const token = await createToken(weir, '--budget-usd', '0.37', '--budget-period', 'total');
    expect(await statuses(200, () => ask(token))).toEqual({ 200: 37, 402: 163 });
    expect(await upstream.invoice()).toHaveLength(37);
    const ledger = await settledLedger(weir, token.id);
    expectBalanced(ledger);
    expect(ledger.budgets).toEqual([{ scope: `token:${token.id}`, spentNano: 370_000_000n, heldNano: 0n }]);
  });

  test('a limit of requests per minute and one of tokens count over both', async () => {
    const requests = await createToken(weir, '--rpm', '11');
    expect(await statuses(60, () => ask(requests))).toEqual({ 200: 11, 429: 49 });
    const tokens = await createToken(weir, '--tpm', '5000');
    const seen: Record<string, number> = {};
    // What is reserved counts while a request is in flight.
    const sent = statuses(60, () => ask(tokens, held({ max_tokens: 500 })), seen);
    await until(() => holding.requests.length === 9 && seen['429'] === 51, 60_000, 'nine in flight');
    expect(await answerAll({ sent })).toEqual({ 200: 9, 429: 51 });
  });

  test('a limit of requests in flight counts over both, and a killed worker frees its own', async () => {
    const token = await createToken(weir, '--concurrency', '7');
    const fill = async () => {
      holding.requests.length = 0;
      const seen: Record<string, number> = {};
      const sent = statuses(40, () => ask(token, held()), seen);
      await until(() => holding.requests.length === 7 && seen['429'] === 33, 60_000, 'seven in flight');
      return { sent };
    };
    const first = await fill();
    const [killed = 0] = await workerPids(weir);
    const replaced = replace(killed);
    await answerAll(first);
    await replaced;
    expect(await answerAll(await fill())).toEqual({ 200: 7, 429: 33 });
  });

  test('an idempotency key is known to both', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() };
    expect((await ask(weir, short, key)).status).toBe(200);
    expect(await statuses(20, () => ask(weir, short, key))).toEqual({ 200: 20 });
    expect(await upstream.invoice()).toHaveLength(1);
  });

  test('a revoked token is refused by both', async () => {
    const token = await createToken(weir);
    expect(await statuses(20, () => ask(token))).toEqual({ 200: 20 });
    await json(weir, 'token', 'revoke', token.id);
    await until(async () => (await statuses(20, () => ask(token)))['401'] === 20, 60_000, 'the revocation');
  });

  test('the metrics are those of both', async () => {
    const read = async (): Promise<number> => {
      const text = await (await fetch(`${weir.url}/metrics`, ownConnection)).text();
      expect(text.match(/^# TYPE weir_requests_total /gm)).toHaveLength(1);
      const rows = [...text.matchAll(/^weir_requests_total\{.*model="gpt-4.1",status="200".* (\d+)$/gm)];
      return rows.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await read();
    expect(await statuses(30, () => ask(weir))).toEqual({ 200: 30 });
    expect(await read()).toBe(before + 30);
    // What a worker counted is not lost with it: Prometheus would take a lower sum for a restart.
    const [, youngest = 0] = await workerPids(weir);
    await replace(youngest);
    expect(await read()).toBe(before + 30);
  });

  // Both are refused before a database is opened.
  if (database === 'sqlite') {
    test('a taken port is refused, although the workers of one Weir share theirs', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
      try {
        const second = await runWeir(['serve'], { ...weir.environment, WEIR_DATA: folder });
        expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('is taken')]);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test('a mistake in the settings is said once, and nothing is left running', async () => {
      const wrong = await runWeir(['serve'], { ...weir.environment, WEIR_SERVER_WORKERS: '300' });
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('a whole number from 1 to 256, or auto')]);
    });
  }

  // Without a budget a worker records its requests in a journal of its own.
  test.each([
    ['with a budget', ['--budget-usd', '10', '--budget-period', 'total']],
    ['without a budget', []],
  ])('a killed worker loses its own requests alone, is replaced, and the ledger balances: %s', async (_, budget) => {
    const token = await createToken(weir, ...budget);
    const sent = statuses(60, () => ask(token, held()));
    await until(() => holding.requests.length === 60, 60_000, 'sixty in flight');
    const [killed = 0, ...others] = await workerPids(weir);
    const replaced = replace(killed);
    await until(() => holding.requests.some(({ left }) => left), 60_000, 'the lost connections');
    const seen = await answerAll({ sent });
    // Each worker had some of them.
    expect(seen['lost']).toBeGreaterThan(0);
    expect(seen['200']).toBeGreaterThan(0);
    expect((seen['lost'] ?? 0) + (seen['200'] ?? 0)).toBe(60);
    const ledger = await settledLedger(weir, token.id);
    expectBalanced(ledger);
    // What was sent is charged: as reported, or as estimated where the report was lost.
    expect(ledger.attempts.map(({ costNano }) => costNano)).toEqual(Array.from({ length: 60 }, () => 10_000_000n));
    const spent = [{ scope: `token:${token.id}`, spentNano: 600_000_000n, heldNano: 0n }];
    expect(ledger.budgets).toEqual(budget.length > 0 ? spent : []);
    expect(ledger.attempts.filter(({ estimated }) => estimated)).toHaveLength(seen['lost'] ?? 0);
    await replaced;
    expect(await workerPids(weir)).toEqual(expect.arrayContaining([...others]));
    expect(await workerPids(weir)).not.toContain(killed);
    expect(weir.output()).toContain('ended: SIGKILL');
    expect(await statuses(40, () => ask(token))).toEqual({ 200: 40 });
  });

  test('a worker that served is replaced without a growing wait, one that cannot start with it', async () => {
    const wait = 'It did not start; the next try is in';
    // Each dies much sooner than a steady one would. The older one: the other may listen and not yet be ready.
    const killOlder = async (): Promise<void> => {
      const [pid = 0] = await workerPids(weir);
      process.kill(pid, 'SIGKILL');
      await until(() => weir.output().includes(`(process ${pid}) ended: SIGKILL.`), 60_000, 'the end of the worker');
      await bothListen();
    };
    await bothListen();
    const earlier = weir.output().length;
    for (let nth = 0; nth < 6; nth++) await killOlder();
    expect(weir.output().slice(earlier)).not.toContain(wait);
    const path = join(weir.dataFolder, 'weir.yaml');
    const yaml = await Bun.file(path).text();
    await Bun.write(path, 'prices: 1');
    const [oldest = 0] = await workerPids(weir);
    process.kill(oldest, 'SIGKILL');
    for (const seconds of [0.25, 0.5, 1])
      await until(() => weir.output().includes(`${wait} ${seconds} s.`), 60_000, `a wait of ${seconds} s`);
    await Bun.write(path, yaml);
    await bothListen();
    expect(await statuses(20, () => ask(weir))).toEqual({ 200: 20 });
  });

  test('it stops like one: requests in flight are finished, and the exit code is 0', async () => {
    const sent = statuses(10, () => ask(weir, held()));
    await until(() => holding.requests.length === 10, 60_000, 'ten in flight');
    const stopping = weir.stop();
    await until(() => weir.output().includes('Weir is shutting down'));
    expect(await answerAll({ sent })).toEqual({ 200: 10 });
    expect(await stopping).toBe(0);
    expect(await workerPids(weir)).toEqual([]);
    await weir.restart();
    expect((await ask(weir)).status).toBe(200);
  });

  test('a killed supervisor takes its workers along, and the next start settles what they had open', async () => {
    await bothListen();
    const token = await createToken(weir, '--budget-usd', '10', '--budget-period', 'total');
    const sent = statuses(10, () => ask(token, held()));
    await until(() => holding.requests.length === 10, 60_000, 'ten in flight');
    const pids = await workerPids(weir);
    process.kill(weir.pid, 'SIGKILL');
    expect(await sent).toEqual({ lost: 10 });
    const isGone = (pid: number) => !existsSync(`/proc/${pid}`);
    await until(() => pids.every(isGone), 60_000, 'the end of the workers');
    await weir.restart();
    const ledger = await settledLedger(weir, token.id);
    expectBalanced(ledger);
    expect(ledger.budgets).toEqual([{ scope: `token:${token.id}`, spentNano: 100_000_000n, heldNano: 0n }]);
  });
});

const { test } = needing('sqlite');

describe('what workers recorded in journals of their own', () => {
  const requests = 40;
  const usageRows = (folder: string): number => {
    const database = new Database(join(folder, 'weir.db'), { readonly: true });
    try {
      return Number(database.query('SELECT COUNT(*) FROM usage_rows').values()[0]?.[0]);
    } finally {
      database.close();
    }
  };

  test('is in a backup, and in the tables after a killed supervisor, also where one process starts next', async () => {
    const upstream = await startUpstream();
    const dataFolder = await mkdtemp(join(tmpdir(), 'weir-test-'));
    const yaml = {
      providers: { up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['gpt-4.1'] } },
    };
    const weir = await startWeir({ dataFolder, yaml, env: { WEIR_SERVER_WORKERS: '2' } });
    let next: RunningWeir | undefined;
    try {
      await until(async () => (await workerPids(weir)).length === workers, 60_000, 'both workers');
      expect(await statuses(requests, () => ask(weir))).toEqual({ 200: requests });
      const copy = join(dataFolder, 'copy');
      await mkdir(copy);
      expect(await weir.command('backup', join(copy, 'weir.db'))).toMatchObject({ code: 0 });
      expect(usageRows(copy)).toBe(requests);
      expect(await statuses(requests, () => ask(weir))).toEqual({ 200: requests });
      const pids = await workerPids(weir);
      process.kill(weir.pid, 'SIGKILL');
      await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)), 60_000, 'the end of the workers');
      next = await startWeir({ dataFolder, yaml, token: null });
      expect(usageRows(dataFolder)).toBe(2 * requests);
    } finally {
      await weir.remove();
      await next?.remove();
      await upstream.stop();
      await rm(dataFolder, { recursive: true });
    }
  });
});
