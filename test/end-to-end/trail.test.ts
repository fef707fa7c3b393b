/** The trail of a request, black box: header, database and command line show what the scripted providers did. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { RequestView } from '../../src/admin/contracts/contract.ts';
import { post, scripted } from '../harness/chat.ts';
import { runHere } from '../harness/commands.ts';
import { hasDatabase, needing } from '../harness/needs.ts';
import { json } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

/** Each case has its own providers: none is affected by the health of another's targets and keys. */
const cases = ['whole', 'streamed', 'exhausted', 'sole'] as const;
const engines = ['sqlite', 'postgres'] as const;
/** Has no directive for the providers, so that each does what is queued for it. */
const unscripted = (model: string, stream = false) => ({
  model,
  stream,
  messages: [{ role: 'user', content: 'Good day' }],
});
const limit = { status: 429, body: '{"error":{"message":"slow down","type":"rate_limit_error"}}' };

interface Row {
  readonly id: string;
  readonly target: string;
  readonly key: string | null;
  readonly verdict: string | null;
  readonly atMs: number;
  readonly settledAtMs: number | null;
}

let limiting: RunningUpstream;
let serving: RunningUpstream;
const weirs = new Map<string, RunningWeir>();

function yamlFor(closedPort: number): object {
  const bases = { closed: `http://127.0.0.1:${closedPort}/v1`, limited: limiting.base, open: serving.base };
  const names = Object.keys(bases) as (keyof typeof bases)[];
  const provider = (name: keyof typeof bases) => ({
    kind: 'openai',
    base_url: bases[name],
    keys: [{ id: `${name}-key`, key: `sk-${name}` }],
    models: ['gpt-4.1'],
  });
  const providers = cases.flatMap((at) => names.map((name) => [`${name}-${at}`, provider(name)] as const));
  const targetsOf = (at: (typeof cases)[number]) => {
    const tried = at === 'sole' ? names.slice(2) : at === 'exhausted' ? names.slice(0, 2) : names;
    return tried.map((name, tier) => ({ provider: `${name}-${at}`, model: 'gpt-4.1', tier }));
  };
  return {
    providers: Object.fromEntries(providers),
    models: Object.fromEntries(cases.map((at) => [at, { targets: targetsOf(at) }])),
    clocks: { patience_ms: 0, read_on_ms: 0 },
  };
}

beforeAll(async () => {
  [limiting, serving] = await Promise.all([startUpstream(), startUpstream()]);
  const yaml = yamlFor(1);
  await Promise.all(
    engines.filter(hasDatabase).map(async (database) => weirs.set(database, await startWeir({ yaml, database }))),
  );
});
afterAll(async () => {
  await Promise.all([...weirs.values()].map((weir) => weir.remove()));
  await Promise.all([limiting.stop(), serving.stop()]);
});
beforeEach(async () => {
  await Promise.all([limiting.reset(), serving.reset()]);
  await limiting.queue([limit]);
});

const sql = (requestId: string) =>
  `SELECT id, provider || '/' || model AS target, key_id AS key, verdict, CAST(at_ms AS TEXT) AS at, CAST(settled_at_ms AS TEXT) AS settled
   FROM attempts WHERE request_id = '${requestId}' ORDER BY id`;

type Raw = Readonly<Record<string, string | null>>;

async function query(weir: RunningWeir, text: string): Promise<Raw[]> {
  if (weir.databaseUrl === undefined) {
    const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
    database.run('PRAGMA busy_timeout = 60000');
    try {
      return database.query<Raw, []>(text).all();
    } finally {
      database.close();
    }
  }
  const database = new Bun.SQL(weir.databaseUrl, { max: 1 });
  try {
    return (await database.unsafe(text)) as Raw[];
  } finally {
    await database.close();
  }
}

/** The rows once so many attempts have ended; they are written in groups, so the last may be a moment late. */
async function rowsOf(weir: RunningWeir, requestId: string, count: number): Promise<Row[]> {
  let rows: Row[] = [];
  const settled = async () => {
    rows = (await query(weir, sql(requestId))).map((row) => ({
      id: row['id'] ?? '',
      target: row['target'] ?? '',
      key: row['key'] ?? null,
      verdict: row['verdict'] ?? null,
      atMs: Number(row['at']),
      settledAtMs: typeof row['settled'] === 'string' ? Number(row['settled']) : null,
    }));
    return rows.length === count && rows.every(({ settledAtMs }) => settledAtMs !== null);
  };
  await until(settled, 60_000, `${count} ended attempts of ${requestId}`);
  return rows;
}

const summary = ({ id, target, key, verdict }: Row) => [id, target, key, verdict];

function expectAscending(rows: readonly Row[], fromMs: number): void {
  const instants = [fromMs, ...rows.flatMap(({ atMs, settledAtMs }) => [atMs, settledAtMs ?? 0]), Date.now()];
  expect(instants).toEqual(instants.toSorted((a, b) => a - b));
}

for (const engine of engines) {
  const { describe, test } = needing(engine);
  describe(`on ${engine}`, () => {
    const running = (): RunningWeir => {
      const weir = weirs.get(engine);
      if (weir === undefined) throw new Error(`Weir does not run on ${engine}.`);
      return weir;
    };

    for (const model of ['whole', 'streamed'] as const) {
      test(`one that cannot be reached, one that limits, one that serves (${model})`, async () => {
        const weir = running();
        const fromMs = Date.now();
        const reply = await post(weir, unscripted(model, model === 'streamed'));
        expect([reply.status, reply.headers.get('x-weir-attempts')]).toEqual([200, '3']);
        expect(reply.headers.get('x-weir-provider')).toBe(`open-${model}`);
        const requestId = reply.headers.get('x-request-id') ?? '';
        await reply.text();
        const rows = await rowsOf(weir, requestId, 3);
        expect(rows.map(summary)).toEqual([
          [`${requestId}.1`, `closed-${model}/gpt-4.1`, 'closed-key', 'target-down'],
          [`${requestId}.2`, `limited-${model}/gpt-4.1`, 'limited-key', 'key-cooling'],
          [`${requestId}.3`, `open-${model}/gpt-4.1`, 'open-key', ''],
        ]);
        expectAscending(rows, fromMs);
        // The providers saw the same: each was tried once, in that order.
        const [limited] = await limiting.invoice();
        const [served] = await serving.invoice();
        expect([(await limiting.invoice()).length, (await serving.invoice()).length]).toEqual([1, 1]);
        expect(limited?.atMs).toBeLessThanOrEqual(served?.atMs ?? 0);

        const shown = (await json(weir, 'usage', 'show', requestId)) as RequestView;
        expect(shown.row).toMatchObject({ requestId, attempts: 3, status: 200, provider: `open-${model}` });
        const shownAttempts = shown.attempts.map(({ id, provider, keyId = '', verdict = '', at }) => ({
          id,
          provider,
          keyId,
          verdict,
          at,
        }));
        const names = [`closed-${model}`, `limited-${model}`, `open-${model}`];
        expect(shownAttempts).toEqual(
          rows.map(({ id, key, verdict, atMs }, index) => ({
            ...{ id, provider: names[index] ?? '', keyId: key ?? '', verdict: verdict ?? '' },
            at: new Date(atMs).toISOString(),
          })),
        );
        const { stdout } = await runHere(weir, ['usage', 'show', requestId]);
        expect(stdout).toMatch(/ 2 .* limited-\w+ +gpt-4\.1 +limited-key +key-cooling/);
        expect(stdout).toMatch(/ 3 .* open-key +served/);
      });
    }

    test('no target serves: the trail has all that were tried', async () => {
      const weir = running();
      const fromMs = Date.now();
      const reply = await post(weir, unscripted('exhausted'));
      expect(reply.status).toBeGreaterThanOrEqual(429);
      const requestId = reply.headers.get('x-request-id') ?? '';
      const rows = await rowsOf(weir, requestId, 2);
      expect(rows.map(({ verdict }) => verdict)).toEqual(['target-down', 'key-cooling']);
      expectAscending(rows, fromMs);
      expect(await serving.invoice()).toEqual([]);
    });

    test('a single attempt: served, cut off after its first event, and closed by its client', async () => {
      const weir = running();
      const ask = (script: Parameters<typeof scripted>[0], init: RequestInit = {}) =>
        post(weir, scripted(script, { model: 'sole', stream: true }), init);
      const verdictOf = async (reply: Response) => {
        const rows = await rowsOf(weir, reply.headers.get('x-request-id') ?? '', 1);
        return rows.map(({ target, key, verdict }) => [target, key, verdict]);
      };
      const served = await ask({});
      await served.text();
      expect(await verdictOf(served)).toEqual([['open-sole/gpt-4.1', 'open-key', '']]);

      const broken = await ask({ deltas: 20, cut: { after: 5, how: 'reset' } });
      expect(await broken.text()).toContain('upstream_failed');
      expect(await verdictOf(broken)).toEqual([['open-sole/gpt-4.1', 'open-key', 'uncertain']]);

      const leaving = new AbortController();
      const left = await ask({ deltas: 500, paceMs: 20 }, { signal: leaving.signal });
      await left.body?.getReader().read();
      leaving.abort();
      expect(await verdictOf(left)).toEqual([['open-sole/gpt-4.1', 'open-key', 'limit']]);
    });

    test('an unknown request', async () => {
      const { code, stdout, stderr } = await runHere(running(), ['usage', 'show', 'req_none']);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('Request req_none not found.');
    });
  });
}
