/** `price_tables.url`: fetched on a schedule by one of all replicas, used by all, and the last valid table stays. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needing } from '../harness/needs.ts';
import { pricesHere } from '../harness/price-commands.ts';
import { tableTexts } from '../harness/price-files.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const table = (input: number): string => tableTexts['genai-prices']({ 'gpt-4.1': { input, output: 8 } });

interface TableServer {
  readonly url: string;
  readonly asked: () => number;
  offer(text: string): void;
  stop(): Promise<void>;
}

function serveTable(text: string): TableServer {
  const served = { text, asked: 0 };
  const server = Bun.serve({
    port: 0,
    fetch() {
      served.asked += 1;
      return new Response(served.text);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/data.json`,
    asked: () => served.asked,
    offer(next) {
      served.text = next;
    },
    stop: () => server.stop(true),
  };
}

const yamlFor = (upstream: RunningUpstream, url: string | undefined): object => ({
  providers: { openai: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
  ...(url !== undefined && { price_tables: { url } }),
});

async function inputUsd({ base, token }: RunningWeir): Promise<number> {
  const reply = await fetch(`${base}/models/gpt-4.1`, { headers: { authorization: `Bearer ${token}` } });
  const { pricing } = (await reply.json()) as { pricing?: { prompt: string } };
  return Number((Number(pricing?.prompt) * 1e6).toPrecision(6));
}
const has = (weir: RunningWeir, usd: number) => until(async () => (await inputUsd(weir)) === usd);

describe('a URL', () => {
  let upstream: RunningUpstream;
  let server: TableServer;
  let weir: RunningWeir;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = serveTable(table(3));
    weir = await startWeir({ yaml: yamlFor(upstream, server.url) });
  });
  afterAll(async () => {
    await weir.remove();
    await upstream.stop();
    await server.stop();
  });

  /** Moves the clock of the schedule to its end. */
  function makeDue(): void {
    const database = new Database(join(weir.dataFolder, 'weir.db'));
    database.run('PRAGMA busy_timeout = 5000');
    database.run('UPDATE price_fetches SET due_at_ms = 0');
    database.close();
  }
  const fault = async () => (JSON.parse((await pricesHere(weir, '--json')).stdout) as { fault: string | null }).fault;

  test('is fetched at the start, and again on schedule', async () => {
    await has(weir, 3);
    expect(server.asked()).toBe(1);
    server.offer(table(4));
    makeDue();
    await has(weir, 4);
    expect(server.asked()).toBe(2);
  });

  test('after a broken table or an unreachable server the last valid one stays, and the state says so', async () => {
    server.offer(table(4).slice(0, 100));
    makeDue();
    await until(async () => (await fault()) !== null);
    expect(await fault()).toStartWith(`${server.url}: `);
    expect(await inputUsd(weir)).toBe(4);
    await server.stop();
    makeDue();
    await until(async () => (await fault())?.includes('could not be fetched') === true);
    expect(await inputUsd(weir)).toBe(4);
    expect((await weir.command('doctor')).stdout).toContain('the last fetch failed: http://127.0.0.1');
    expect(await weir.stop()).toBe(0);
    await weir.restart();
    await has(weir, 4);
    expect((await weir.command('prices', 'update')).code).toBe(1);
  });
});

needing('postgres').describe('two replicas on PostgreSQL', () => {
  let upstream: RunningUpstream;
  let server: TableServer;
  let replicas: Replicas;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = serveTable(table(3));
    replicas = await startReplicas(2, { yaml: yamlFor(upstream, server.url) });
  });
  afterAll(async () => {
    await replicas.remove();
    await upstream.stop();
    await server.stop();
  });

  test('one fetches, both have it', async () => {
    await Promise.all(replicas.all.map((weir) => has(weir, 3)));
    expect(server.asked()).toBe(1);
    server.offer(table(4));
    await replicas.query('UPDATE price_fetches SET due_at_ms = 0');
    await Promise.all(replicas.all.map((weir) => has(weir, 4)));
    expect(server.asked()).toBe(2);
  });

  test('an update by one of them reaches both', async () => {
    const path = join(replicas.at(0).dataFolder, 'table.json');
    await writeFile(path, table(5));
    expect((await pricesHere(replicas.at(0), 'update', '--file', path)).code).toBe(0);
    await Promise.all(replicas.all.map((weir) => has(weir, 5)));
    expect((await pricesHere(replicas.at(1), 'remove', 'genai-prices')).code).toBe(0);
    await Promise.all(replicas.all.map((weir) => has(weir, 2)));
  });
});
