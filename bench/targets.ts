/** What the bench puts load on: the scripted upstream itself, nginx, a bare Bun proxy and Weir, each started with nothing inherited. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, firstLine, start, startScript } from './processes.ts';

/** A running server for chat requests on a port; `pids` are the processes whose CPU time and memory count. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly pids: readonly number[];
  /** By which a command reaches the same data. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What requests are sent with, where it is not the bench's own token and model. */
  readonly token?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its replies differ from the upstream's in their bytes. */
  readonly rewrites?: boolean;
  stop(): Promise<void>;
}

export const benchToken = 'weir-bench-token-0000000000';
const bench = import.meta.dir;
const startTimeoutMs = 10_000;

export async function startUpstream(): Promise<Target> {
  const child = startScript(join(bench, 'upstream.ts'), []);
  const { port } = await firstLine<{ port: number }>(child);
  return { name: 'upstream', port, pids: [child.pid], stop: () => end(child) };
}

export async function startBareProxy(upstreamPort: number): Promise<Target> {
  const child = startScript(join(bench, 'bare-proxy.ts'), ['--upstream', `http://127.0.0.1:${upstreamPort}`]);
  const { port } = await firstLine<{ port: number }>(child);
  return { name: 'bare Bun proxy', port, pids: [child.pid], stop: () => end(child) };
}

export async function startNginx(upstreamPort: number): Promise<Target> {
  const program = nginxProgram();
  const folder = temporaryFolder('weir-bench-nginx-');
  const port = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), nginxConfiguration(folder, port, upstreamPort));
  mkdirSync(join(folder, 'logs'));
  const child = start([program, '-p', folder, '-c', join(folder, 'nginx.conf')]);
  await answers(port);
  const workers = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1').trim().split(' ').map(Number);
  return {
    name: 'nginx',
    port,
    pids: [child.pid, ...workers],
    stop: () => end(child),
  };
}

/** How Weir is started: directly with Bun, or by the launcher that `npm start` uses. */
export interface WeirProgram {
  readonly words: readonly string[];
  /** What its launcher sets for the runtime. */
  readonly variables: Readonly<Record<string, string>>;
  /** A start from the sources takes longer: they are taken where the bundle is older than a source. */
  readonly origin: 'its bundle' | 'its sources' | 'its launcher' | 'its executable';
}

/** What the launcher of a checkout starts, without it: the current bundle or the sources, which an older launcher knows alone. */
export async function programOf(checkout: string): Promise<WeirProgram> {
  const asked = Bun.spawnSync(['node', join(checkout, 'bin/weir.js'), '--program-path'], { stdin: 'ignore' });
  const path = asked.stdout.toString().trim();
  const sources = join(checkout, 'src/main.ts');
  const program = asked.exitCode === 0 && existsSync(path) ? path : sources;
  const list = join(checkout, 'bin/runtime-variables.js');
  // An older launcher has no such list, and sets only what every process of the bench gets.
  const variables = existsSync(list) ? (await import(list)).runtimeVariables : {};
  return { words: [process.execPath, program], variables, origin: program === sources ? 'its sources' : 'its bundle' };
}

export const weirOfHere: WeirProgram = await programOf(join(bench, '..'));
export const weirByLauncher: WeirProgram = {
  words: ['node', join(bench, '../bin/weir.js')],
  variables: {},
  origin: 'its launcher',
};

/** Built here, as a release's is; it sets what the runtime reads at its start itself. */
export async function buildExecutable(): Promise<WeirProgram> {
  const file = join(temporaryFolder('weir-bench-executable-'), 'weir');
  const child = startScript(join(bench, '../scripts/build.ts'), ['--for-tests', file]);
  if ((await child.exited) !== 0) throw new Error('The executable could not be built.');
  return { words: [file], variables: {}, origin: 'its executable' };
}

/** Weir as an operator would run it: SQLite, one provider, a token; authentication, routing, limits and ledger are on. */
export async function startWeir(
  upstreamPort: number,
  program: WeirProgram = weirOfHere,
  further: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const folder = temporaryFolder('weir-bench-data-');
  const port = await freePort();
  const provider = {
    kind: 'openai',
    base_url: `http://127.0.0.1:${upstreamPort}/v1`,
    key: 'sk-bench',
    models: ['gpt-4.1'],
  };
  const other = (kind: string, version: string, model: string) => ({
    kind,
    base_url: `http://127.0.0.1:${upstreamPort}/${version}`,
    key: 'sk-bench',
    models: [model],
  });
  const providers = {
    up: provider,
    messages: other('anthropic-messages', 'v1', 'via-messages'),
    generate: other('gemini-generate', 'v1beta', 'via-generate'),
  };
  const config = join(folder, 'weir.yaml');
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ providers }));
  const log = join(folder, 'output.txt');
  const environment = {
    WEIR_PORT: `${port}`,
    WEIR_DATA: join(folder, 'data'),
    WEIR_CONFIG: config,
    WEIR_FIRST_TOKEN: benchToken,
    WEIR_DISCOVERY_LOCAL: 'false',
    ...program.variables,
    ...further,
  };
  const child = start([...program.words, 'serve'], environment, log);
  try {
    await Promise.race([answers(port), endedEarly(child)]);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${readFileSync(log, 'utf8')}`);
  }
  return {
    name: 'Weir',
    port,
    pids: [child.pid],
    environment,
    stop: () => end(child),
  };
}

/** Milliseconds from spawning until the first 200 of `/healthz`. */
export async function coldStartMs(begin: () => Promise<Target>): Promise<number> {
  const startedMs = performance.now();
  const target = await begin();
  const elapsedMs = performance.now() - startedMs;
  await target.stop();
  return elapsedMs;
}

async function endedEarly(child: { exited: Promise<number> }): Promise<never> {
  throw new Error(`Weir ended with code ${await child.exited} before it answered`);
}

/** Waits for the first 200 of a health check. */
export async function answers(port: number, path = '/healthz', timeoutMs = startTimeoutMs): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (performance.now() < deadlineMs) {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false }).catch(() => undefined);
    await reply?.bytes();
    if (reply?.status === 200) return;
    await Bun.sleep(2);
  }
  throw new Error(`nothing answered ${path} on port ${port} within ${timeoutMs} ms`);
}

function nginxProgram(): string {
  const program = Bun.which('nginx') ?? Bun.which('nginx', { PATH: '/usr/sbin:/usr/local/sbin:/opt/homebrew/bin' });
  if (!program) throw new Error('the bench compares with nginx, which is not installed: apt-get install nginx-light');
  return program;
}

export function nginxVersion(): string {
  const { stderr } = Bun.spawnSync([nginxProgram(), '-v']);
  return /nginx\/([\d.]+)/.exec(stderr.toString())?.[1] ?? 'unknown';
}

/** A plain reverse proxy at its best: one worker, no log, kept-alive connections on both sides, streams unbuffered. */
function nginxConfiguration(folder: string, port: number, upstreamPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    daemon off;
    worker_processes 1;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.txt warn;
    events { worker_connections 8192; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n      ')}
      keepalive_requests 1000000;
      client_max_body_size 64m;
      upstream scripted {
        server 127.0.0.1:${upstreamPort};
        keepalive 256;
        keepalive_requests 1000000;
      }
      server {
        listen 127.0.0.1:${port} backlog=4096;
        location / {
          proxy_pass http://scripted;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_buffering off;
          proxy_read_timeout 600s;
        }
      }
    }
  `;
}

/** Removed when the bench ends, however that happens. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return promise;
}
