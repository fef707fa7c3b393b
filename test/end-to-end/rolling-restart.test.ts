/** Replicas stop while requests arrive: behind nginx with default settings, and behind a poller of `/readyz`. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { post, scripted } from '../harness/chat.ts';
import { needing } from '../harness/needs.ts';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const token = `test-token-${crypto.randomUUID()}`;
let upstream: RunningUpstream;
let replicas: readonly RunningWeir[];
beforeAll(async () => {
  upstream = await startUpstream();
  replicas = await Promise.all([startReplica(0), startReplica(5_000)]);
});
afterAll(async () => {
  for (const replica of replicas) await replica.remove();
  await upstream.stop();
});

function startReplica(drainDelayMs: number): Promise<RunningWeir> {
  const providers = { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } };
  return startWeir({ token, yaml: { providers, clocks: { drain_delay_ms: drainDelayMs } } });
}

/** As a distribution installs it: only an upstream with two servers. */
async function startNginx(urls: readonly string[]): Promise<{ base: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-nginx-'));
  const port = await freePort();
  const servers = urls.map((url) => `server ${new URL(url).host};`).join(' ');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const site = `upstream weir { ${servers} } server { listen 127.0.0.1:${port}; location / { proxy_pass http://weir; } }`;
  const text = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {} http { access_log off; ${paths.join(' ')} ${site} }`;
  await Bun.write(join(folder, 'nginx.conf'), text);
  const program = Bun.which('nginx') ?? '/usr/sbin/nginx';
  const child = Bun.spawn([program, '-e', join(folder, 'log'), '-c', join(folder, 'nginx.conf')], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const base = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${base}/healthz`).catch(() => undefined))?.status === 200, 60_000, 'nginx');
  return {
    base: `${base}/v1`,
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

needing('nginx').test('behind nginx by default no request fails while a replica is restarted', async () => {
  const nginx = await startNginx(replicas.map(({ url }) => url));
  const statuses: number[] = [];
  let over = false;
  const lanes = Array.from({ length: 4 }, async () => {
    while (!over) {
      const reply = await post({ base: nginx.base, token }, scripted({ deltas: 3, paceMs: 10 }, { stream: true }));
      const text = await reply.text();
      statuses.push(reply.status === 200 && !text.includes('[DONE]') ? 0 : reply.status);
    }
  });
  const served = async (more: number): Promise<void> => {
    const before = statuses.length;
    await until(() => statuses.length >= before + more, 60_000, `${more} more requests`);
  };
  try {
    await served(20);
    expect(await replicas[0]?.stop()).toBe(0);
    await served(20);
    await replicas[0]?.restart();
    await served(20);
  } finally {
    over = true;
    await Promise.all(lanes);
    await nginx.stop();
  }
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
}, 300_000);

test('a replica that is stopped is not ready first, and serves until its delay is over', async () => {
  const own = replicas[1];
  if (own === undefined) throw new Error('it was started');
  const exit = own.stop();
  const ready = async () => (await fetch(`${own.url}/readyz`)).status;
  await until(async () => (await ready()) === 503, 60_000, 'not ready');
  const reply = await post(own, scripted({}));
  expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
  expect(await exit).toBe(0);
  expect(await fetch(`${own.url}/healthz`).catch(() => 'refused')).toBe('refused');
}, 300_000);
