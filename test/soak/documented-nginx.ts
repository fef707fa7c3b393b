/** Debian's nginx with the configuration that `docs/load-balancers.md` shows, on loopback and without TLS. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';

const page = readFileSync(join(import.meta.dir, '../../docs/load-balancers.md'), 'utf8');

export interface Nginx {
  /** With `/v1`. */
  readonly base: string;
  /** What it wrote about its servers. */
  log(): string;
  stop(): Promise<void>;
}

export async function startDocumentedNginx(urls: readonly string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-nginx-'));
  const port = await freePort();
  const shown = /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const servers = urls.map((url) => `server ${new URL(url).host};`).join('\n  ');
  const site = shown
    .replace(/server 10\.0\.0\.1:8787;\s*server 10\.0\.0\.2:8787;/, servers)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`);
  if (!site.includes(servers) || !site.includes(`:${port};`)) throw new Error(`the page shows other lines:\n${shown}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const text = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
    events { worker_connections 4096; } http { access_log off; ${paths.join(' ')}
    ${site} }`;
  await Bun.write(join(folder, 'nginx.conf'), text);
  const program = Bun.which('nginx') ?? '/usr/sbin/nginx';
  const child = Bun.spawn([program, '-e', join(folder, 'log'), '-c', join(folder, 'nginx.conf')], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const end = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200, 60_000, 'nginx');
  return {
    base: `${url}/v1`,
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    async stop() {
      process.off('exit', end);
      child.kill();
      await child.exited;
      end();
    },
  };
}
