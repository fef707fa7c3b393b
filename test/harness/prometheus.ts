/** Debian's Prometheus and promtool for tests: a server that scrapes often, with an empty database that ends with the tests. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { until } from './until.ts';

export interface PrometheusServer {
  /** The series that an expression has now. */
  query(expression: string): Promise<readonly Sample[]>;
  /** The values that it had in the last minute, of all series. */
  queryRange(expression: string): Promise<readonly number[]>;
  /** Any other page of its HTTP API. */
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

interface RangeData {
  readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[];
}
interface InstantData {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly value: readonly [number, string];
  }[];
}

/** `config` is the text of its configuration, beside which `files` lie. */
export async function startPrometheus(
  config: string,
  files: Readonly<Record<string, string>>,
): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-prometheus-'));
  for (const [name, text] of Object.entries({ ...files, 'prometheus.yaml': config }))
    await Bun.write(join(folder, name), text);
  const port = await freePort();
  const server = Bun.spawn(
    [
      'prometheus',
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit', env: { PATH: process.env['PATH'] ?? '', GOMAXPROCS: '1' } },
  );
  const end = (): void => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  await until(
    async () => {
      if (server.exitCode !== null) throw new Error(`prometheus ended with code ${server.exitCode}`);
      return (await fetch(`${url}/-/ready`).catch(() => undefined))?.status === 200;
    },
    20_000,
    'GET /-/ready = 200',
  );

  async function get(path: string): Promise<unknown> {
    const reply = await fetch(`${url}/api/v1/${path}`);
    const body = (await reply.json()) as { status: string; data: unknown; error?: string };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  }

  return {
    get,
    async query(expression) {
      const { result } = (await get(`query?query=${encodeURIComponent(expression)}`)) as InstantData;
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    async queryRange(expression) {
      const end = Date.now() / 1000;
      const range = `start=${end - 60}&end=${end}&step=1`;
      const data = (await get(`query_range?query=${encodeURIComponent(expression)}&${range}`)) as RangeData;
      return data.result.flatMap(({ values }) => values.map(([, value]) => Number(value)));
    },
    async stop() {
      process.off('exit', end);
      end();
      await server.exited;
    },
  };
}

/** Its exit code and what it wrote. */
export async function promtool(words: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(['promtool', ...words], {
    stdin: new TextEncoder().encode(input),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 240_000,
  });
  const [code, out, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, output: out + errors };
}
