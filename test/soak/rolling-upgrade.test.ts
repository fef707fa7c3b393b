/**
 * An older release is replaced by this one, replica by replica, behind nginx as documented, under 200 requests per second and 50
 * streams: no request fails, and the ledger, which both releases write in between, is the provider's invoice.
 */

import { expect, setDefaultTimeout } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { expectBalanced, totalCostNano } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { postgresUrl } from '../harness/postgres.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { budgetFor, chargedAttempts, countOf, expectRecorded, ledgerOf, type Sent, send } from './crowd.ts';
import { type Nginx, startDocumentedNginx } from './documented-nginx.ts';
import { type OlderRelease, olderRelease } from './older-release.ts';
import { chat, costNano, type Kind, type PricedProvider, startPricedProvider, stream } from './priced-provider.ts';

setDefaultTimeout(15 * 60_000);

const replicaCount = 3;
const requestsPerSecond = sized(100, 200);
const streamCount = sized(25, 50);
/** How long each state of the fleet is kept under load. */
const steadyMs = sized(2_000, 5_000);
const newest = migrations.at(-1)?.version ?? 0;

const older = olderRelease();
if (typeof older === 'string') console.log(`skipped: ${older}`);
const { afterAll, beforeAll, describe, test } = needing('postgres', 'nginx');

describe.skipIf(typeof older === 'string')('a rolling upgrade on PostgreSQL', () => {
  const old = older as OlderRelease;
  let provider: PricedProvider;
  let yaml: object;
  let databaseUrl: string;
  let replicas: RunningWeir[];
  let nginx: Nginx;
  let token: { readonly id: string; readonly token: string };
  const first = `test-token-${crypto.randomUUID()}`;
  const secret = randomBytes(32).toString('base64');
  let env: Record<string, string>;

  beforeAll(async () => {
    provider = startPricedProvider();
    // Streams last longer than a replica takes to be replaced, so that some begin at each and end while it drains.
    provider.replyMs = (nonce) => (nonce.startsWith('stream') ? 2_000 + (Bun.hash.crc32(nonce) % 4_000) : 20);
    // Only what is sent: an older release need not know the other prices.
    const { talk } = provider.yaml.prices as { readonly talk: object };
    yaml = { ...provider.yaml, prices: { talk } };
    databaseUrl = await postgresUrl();
    env = { DATABASE_URL: databaseUrl, WEIR_SECRET_KEY: secret };
    const one = await startOld();
    replicas = [one, ...(await Promise.all(Array.from({ length: replicaCount - 1 }, startOld)))];
    nginx = await startDocumentedNginx(replicas.map(({ url }) => url));
    token = oldCommand('token', 'create', '--name', 'crowd', ...budgetFor(1_000_000)) as typeof token;
  });
  afterAll(async () => {
    await nginx?.stop();
    for (const replica of replicas ?? []) await replica.remove();
    await provider?.stop();
    old.remove();
  });

  const startOld = (): Promise<RunningWeir> =>
    startWeir({ program: old.program, yaml, token: first, env, unchecked: 'an older release' });

  /** By the older program: this one would bring the schema forward. */
  function oldCommand(...words: string[]): unknown {
    const child = Bun.spawnSync([...old.program, ...words, '--json'], {
      env: { PATH: process.env['PATH'] ?? '', WEIR_DATA: replicas[0]?.dataFolder ?? '', ...env },
    });
    if (child.exitCode !== 0) throw new Error(`${words.join(' ')}: ${child.stderr.toString()}`);
    return JSON.parse(child.stdout.toString());
  }

  async function query(sql: string): Promise<readonly Record<string, unknown>[]> {
    const database = new Bun.SQL(databaseUrl, { max: 1 });
    try {
      return [...((await database.unsafe(sql)) as Record<string, unknown>[])];
    } finally {
      await database.close();
    }
  }
  const schemaNow = async (): Promise<number> =>
    Number((await query('SELECT MAX(version) AS version FROM schema_versions'))[0]?.['version']);

  /** Replies that no request may get, as texts. */
  const refused: string[] = [];

  /** Sends until it is stopped, then waits for what it sent. */
  function startLoad(): { stop(): Promise<readonly Sent[]>; readonly sentCount: number } {
    const sending: Promise<Sent>[] = [];
    const target = { base: nginx.base, token: token.token };
    const sendOne = (kind: Kind, nonce: string): Promise<Sent> =>
      send(target, kind, nonce).catch((error: unknown) => {
        refused.push(String(error));
        return { nonce, outcome: 'unavailable', requestId: '' };
      });
    let stopped = false;
    const beganMs = performance.now();
    const requests = (async () => {
      for (let sent = 0; !stopped; await Bun.sleep(10)) {
        // By the clock, so that a busy machine still gets the whole number.
        const due = ((performance.now() - beganMs) / 1_000) * requestsPerSecond;
        for (; sent < due; sent++) sending.push(sendOne(chat, `chat-${sent}`));
      }
    })();
    const streams = Array.from({ length: streamCount }, async (_, lane) => {
      for (let round = 0; !stopped; round++) {
        const running = sendOne(stream, `stream-${lane}-${round}`);
        sending.push(running);
        await running;
      }
    });
    return {
      get sentCount() {
        return sending.length;
      },
      async stop() {
        stopped = true;
        await requests;
        await Promise.all(streams);
        return Promise.all(sending);
      },
    };
  }

  /** Requests that a replica answered by its own count; no other client calls it. */
  const answeredBy = async (replica: RunningWeir): Promise<number> => {
    const text = await (await fetch(`${replica.url}/metrics`)).text();
    return Number(/^weir_http_responses_total\{status="200"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  /** nginx leaves a server that refused a connection out for 10 s: the next one waits until this one has its share again. */
  const isUsed = (replica: RunningWeir): Promise<void> =>
    until(async () => (await answeredBy(replica)) > requestsPerSecond, undefined, `nginx to use ${replica.url}`);

  async function replace(index: number): Promise<string> {
    const before = replicas[index];
    if (before === undefined) throw new Error(`no replica ${index}`);
    const beganMs = performance.now();
    const code = await before.stop();
    const drainedMs = performance.now() - beganMs;
    const port = Number(new URL(before.url).port);
    const { dataFolder } = before;
    const after = await startWeir({ yaml, token: first, env, port, dataFolder });
    replicas[index] = after;
    await until(
      async () => (await fetch(`${after.url}/readyz`)).status === 200,
      undefined,
      'the new replica to be ready',
    );
    const startedMs = performance.now() - beganMs - drainedMs;
    await isUsed(after);
    const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
    return `exit code ${code}, drained in ${seconds(drainedMs)}, ready after ${seconds(startedMs)}`;
  }

  test(`${requestsPerSecond} requests/s and ${streamCount} streams while three replicas are replaced`, async () => {
    expect([await schemaNow(), old.schema]).toEqual([old.schema, old.schema]);
    console.log(`from ${old.name}, schema ${old.schema}, to schema ${newest}`);
    const beganMs = performance.now();
    const load = startLoad();
    const sent: Sent[] = [];
    try {
      for (const replica of replicas) await isUsed(replica);
      for (let index = 0; index < replicaCount; index++) {
        await Bun.sleep(steadyMs);
        const report = await replace(index);
        console.log(`replica ${index + 1}: ${report}; schema ${await schemaNow()}, ${load.sentCount} requests so far`);
        expect(report).toStartWith('exit code 0');
        expect(await schemaNow()).toBe(newest);
      }
      await Bun.sleep(steadyMs);
    } finally {
      // Before the provider ends, whose end would look like the fault.
      sent.push(...(await load.stop()));
    }
    const tookS = (performance.now() - beganMs) / 1_000;

    const dataFolder = replicas[0]?.dataFolder ?? '';
    const ledger = await ledgerOf({ databaseUrl, dataFolder, beforeEnd: () => undefined }, token.id);
    const { exact, estimated } = chargedAttempts(ledger);
    const served = countOf(sent, 'served');
    const streams = sent.filter(({ nonce }) => nonce.startsWith('stream')).length;
    const figures = [
      `${sent.length} requests, ${streams} of them streams, in ${tookS.toFixed(0)} s`,
      `${served} served, ${sent.length - served} failed`,
      `invoice ${provider.invoice.length}, charged ${exact.length} exactly and ${estimated.length} by estimate`,
      `${Number(totalCostNano(ledger.attempts)) / 1e9} USD`,
    ];
    console.log(figures.join('; '));
    expect(refused.slice(0, 10)).toEqual([]);
    expect(sent.filter(({ outcome }) => outcome !== 'served').slice(0, 10)).toEqual([]);
    expectBalanced(ledger);
    expectRecorded(sent, provider.invoice, ledger);
    expect([exact.length, estimated.length]).toEqual([provider.invoice.length, 0]);
    expect(totalCostNano(ledger.attempts)).toBe(BigInt(provider.invoice.length) * costNano);
    expect(provider.invoice.filter(({ outcome }) => outcome !== 'answered')).toEqual([]);
    expect(ledger.usage.length).toBe(sent.length);
  });
});
