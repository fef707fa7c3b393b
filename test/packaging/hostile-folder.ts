/** An untrusted folder: whatever a runtime reads of the folder where it is started does harm here, and leaves a trace. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dependencies } from '../../package.json';
import type { commands } from '../../src/cli/run.ts';
import { freePort } from '../harness/ports.ts';

type CommandName = keyof typeof commands;

/** Each command, so that it does something: a new one does not compile without. */
const wordsOf: Readonly<Record<CommandName, readonly string[]>> = {
  serve: [],
  token: ['create', '--name', 'x'],
  team: ['list'],
  'admin-key': ['list'],
  apply: ['-f', 'absent.yaml'],
  export: [],
  usage: [],
  prices: [],
  explain: ['some-model', '--url', 'http://weir.invalid'],
  login: ['--print-token'],
  logout: [],
  doctor: [],
  health: [],
  'set-up-link': [],
  'support-bundle': [],
  backup: ['copy.db'],
  restore: ['absent.db'],
  'rotate-key': [],
  migrate: [],
};
export const commandNames = Object.keys(wordsOf) as readonly CommandName[];

export interface HostileRun {
  readonly code: number | null;
  readonly output: string;
  /** What ran, was sent or was read of the folder. */
  readonly traces: readonly string[];
}

interface HostileOptions {
  readonly more?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface HostileFolder {
  run(program: readonly string[], command: CommandName, options?: HostileOptions): Promise<HostileRun>;
  remove(): void;
}

/** Files that the runtime opens and takes nothing from: a launcher cannot keep it from that. */
const opened: readonly string[] = ['package.json', 'tsconfig.json'];

export function hostileFolder(): HostileFolder {
  const root = mkdtempSync(join(tmpdir(), 'weir-hostile-'));
  const folder = join(root, 'foreign');
  const marks = join(root, 'marks');
  const asked: string[] = [];
  // A proxy and a registry of packages at once.
  const trap = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      asked.push(`asked for ${url}`);
      return new Response('', { status: 404 });
    },
  });
  const files = hostileFiles(folder, marks, `http://127.0.0.1:${trap.port}`);
  for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
  const login = {
    ...{
      url: 'http://weir.invalid',
      tokenEndpoint: 'http://weir.invalid/t',
      revocationEndpoint: 'http://weir.invalid/r',
    },
    ...{ accessToken: 'a', refreshToken: 'r', expiresAtMs: 0 },
  };

  const environment = async (): Promise<Record<string, string>> => ({
    ...{ PATH: process.env['PATH'] ?? '', HOME: root, XDG_CONFIG_HOME: join(root, 'config') },
    ...{ WEIR_DATA: join(root, 'data'), WEIR_PORT: `${await freePort()}`, WEIR_TOKEN: 'weir_x' },
    WEIR_DISCOVERY_LOCAL: 'false',
  });

  return {
    async run(program, command, { more = [], env = {} } = {}) {
      write(join(root, 'config', 'weir', 'login.json'), JSON.stringify(login));
      for (const path of Object.keys(files)) utimesSync(join(folder, path), 0, Date.now() / 1_000);
      const child = Bun.spawn([...program, command, ...wordsOf[command], ...more], {
        ...{ cwd: folder, env: { ...(await environment()), ...env }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
        ...{ timeout: 60_000, killSignal: 'SIGKILL' },
      });
      const [out, err] = await Promise.all([
        untilServing(child, command === 'serve'),
        new Response(child.stderr).text(),
      ]);
      const code = await child.exited;
      const ran = existsSync(marks) ? readFileSync(marks, 'utf8').trim().split('\n') : [];
      const read = Object.keys(files).filter((path) => !opened.includes(path) && wasRead(join(folder, path)));
      const traces = [...ran, ...asked.splice(0), ...read.map((path) => `read ${path}`)];
      rmSync(marks, { force: true });
      return { code, output: out + err, traces };
    },
    remove() {
      void trap.stop(true);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function hostileFiles(folder: string, marks: string, trap: string): Readonly<Record<string, string>> {
  const evil = (name: string) => `require('node:fs').appendFileSync(${JSON.stringify(marks)}, 'ran ${name}\\n');\n`;
  const script = `echo ran script >> ${marks}`;
  const shadows = [...Object.keys(dependencies), 'weir-gateway'].flatMap((name) => [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })] as const,
    [`node_modules/${name}/index.js`, evil(name)] as const,
  ]);
  return {
    'bunfig.toml': 'preload = ["./preload.js"]\n[install]\nauto = "force"\n',
    'preload.js': evil('bunfig.toml'),
    'path.js': evil('tsconfig.json'),
    'package.js': evil('package.json'),
    'option.js': evil('BUN_OPTIONS'),
    '.env': [
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'].map((name) => `${name}=${trap}`),
      ...['NODE_TLS_REJECT_UNAUTHORIZED=0', `BUN_OPTIONS=--preload=${folder}/option.js`],
      ...[`NODE_OPTIONS=--require=${folder}/option.js`, 'WEIR_SERVER_WORKERS=of-the-file'],
    ].join('\n'),
    '.env.local': 'WEIR_SERVER_WORKERS=of-the-file',
    '.npmrc': `registry=${trap}`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: { baseUrl: '.', paths: { '*': ['./path.js'] }, jsx: 'react-jsx', jsxImportSource: './path.js' },
    }),
    'package.json': JSON.stringify({
      ...{ name: 'zod', main: './package.js', module: './package.js', exports: './package.js', type: 'commonjs' },
      ...{ imports: { '#*': './package.js' }, browser: { zod: './package.js', 'node:fs': './package.js' } },
      scripts: Object.fromEntries([...commandNames, 'prestart', 'start', 'prepare'].map((name) => [name, script])),
    }),
    ...Object.fromEntries(shadows),
  };
}

/** Systems that do not keep the time of reading tell nothing here. */
const wasRead = (path: string): boolean => statSync(path).atimeMs > 0;

/** The output; a server is stopped once it serves. */
async function untilServing(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>, serves: boolean): Promise<string> {
  let text = '';
  for await (const bytes of child.stdout) {
    text += new TextDecoder().decode(bytes);
    if (serves && text.includes('GET /v1/models')) child.kill('SIGTERM');
  }
  return text;
}
