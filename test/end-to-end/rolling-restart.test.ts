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

needing(
  'nginx',
).test('behind nginx by default requests in flight end, and later ones are served while a replica is restarted', async () => {
  const nginx = await startNginx(replicas.map(({ url }) => url));
  const send = async (nonce: string, deltas: number): Promise<string> => {
    const script = { nonce, deltas, paceMs: 25 };
    const reply = await post({ base: nginx.base, token }, scripted(script, { stream: true }));
    return `${reply.status} ${(await reply.text()).includes('[DONE]')}`;
  };
  const many = (name: string, count: number, deltas = 3): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => send(`${name}-${index}`, deltas)));
  const whole = (count: number): string[] => Array.from({ length: count }, () => '200 true');
  try {
    // All of them have begun: a connection that has sent nothing when the port closes is reset, which nginx does not repeat.
    const running = many('running', 8, 60);
    const begun = async () =>
      (await upstream.invoice()).filter(({ nonce, tokensSent }) => /^running/.test(nonce) && tokensSent > 0).length;
    await until(async () => (await begun()) === 8, 60_000, 'eight streams');
    const exit = replicas[0]?.stop();
    expect(await running).toEqual(whole(8));
    expect(await exit).toBe(0);
    expect(await many('without', 20)).toEqual(whole(20));
    await replicas[0]?.restart();
    expect(await many('again', 20)).toEqual(whole(20));
  } finally {
    await nginx.stop();
  }
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
