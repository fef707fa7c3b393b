/** Starts Weir as its users do: a process of its own on a free port with an empty data folder and nothing inherited from the machine. */

import { rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeVariables } from '../../bin/runtime-variables.js';
import { observeReplies } from './observe-replies.ts';
import { freePort } from './ports.ts';
import { postgresUrl } from './postgres.ts';
import { weirProgram } from './program.ts';
import { isFullSize } from './size.ts';
import { until } from './until.ts';

export interface WeirOptions {
  /** `weir.yaml`, as its text or as the value it means. */
  readonly yaml?: object | string;
  readonly env?: Readonly<Record<string, string>>;
  readonly database?: 'sqlite' | 'postgres';
  /** Kept after the end when given; otherwise a temporary one is made and removed. */
  readonly dataFolder?: string;
  /** The first token's value; `null` lets Weir make one itself. */
  readonly token?: string | null;
  /** A free one unless given. */
  readonly port?: number;
  /** What is started; the program of this run unless given. */
  readonly program?: readonly string[];
  /**
   * Who holds tokens. By default ids are treated as where several people do, because a single holder's faults with ids pass unseen;
   * `two` makes a second token as well, and `one` is for tests of what a single holder may do.
   */
  readonly holders?: 'one' | 'two';
  /** Why its replies are not checked by the oracles: for example, a provider that breaks its format on purpose. */
  readonly unchecked?: string;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningWeir {
  readonly url: string;
  readonly base: string;
  readonly token: string;
  readonly pid: number;
  readonly dataFolder: string;
  /** Set where the store is PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Everything the process wrote, of all its lives. */
  output(): string;
  /** SIGTERM, then its exit code. */
  stop(): Promise<number>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port, folder and database after `stop` or `kill`. */
  restart(): Promise<void>;
  /** Its environment: with it another process, or the commands of `commands.ts`, work on the same folder and database. */
  readonly environment: Readonly<Record<string, string>>;
  /** Does this once, before the process is next stopped, killed or removed. */
  beforeEnd(work: () => Promise<void>): void;
  /** Runs a command line on the same folder and database. */
  command(...words: string[]): Promise<CommandResult>;
  /** Kills what still runs and removes the folder; a database goes with its server. */
  remove(): Promise<void>;
}

/** A busy machine may leave a database without a turn for seconds. Far below the bound of `until`: an operation that is lost is tried again. */
const patience = { WEIR_CLOCKS_DATABASE_TIMEOUT_MS: '15000', WEIR_CLOCKS_REDIS_TIMEOUT_MS: '15000' };

/** What `ids.unknown: auto` comes to where several people hold tokens. */
const severalHolders = { WEIR_IDS_UNKNOWN: 'refuse' };

function namesIds(yaml: WeirOptions['yaml']): boolean {
  return typeof yaml === 'string' ? /^ids:/m.test(yaml) : yaml !== undefined && 'ids' in yaml;
}

export async function startWeir(options: WeirOptions = {}): Promise<RunningWeir> {
  const token = options.token === undefined ? `test-token-${crypto.randomUUID()}` : options.token;
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'weir-test-')));
  const databaseUrl = options.database === 'postgres' ? await postgresUrl() : undefined;
  const port = options.port ?? (await freePort());
  const env: Record<string, string> = {
    ...inherited(),
    WEIR_PORT: `${port}`,
    WEIR_DATA: dataFolder,
    WEIR_DISCOVERY_LOCAL: 'false',
    ...patience,
    ...(token === null ? {} : { WEIR_FIRST_TOKEN: token }),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(options.holders === undefined && !namesIds(options.yaml) ? severalHolders : {}),
    ...options.env,
  };
  if (options.yaml !== undefined) {
    env['WEIR_CONFIG'] = join(dataFolder, 'weir.yaml');
    // JSON is YAML, so a value needs no writer of its own.
    const text = typeof options.yaml === 'string' ? options.yaml : JSON.stringify(options.yaml, null, 2);
    await Bun.write(env['WEIR_CONFIG'], text);
  }
  const removeFolder = () => {
    if (options.dataFolder === undefined) rmSync(dataFolder, { recursive: true, force: true });
  };
  process.once('exit', removeFolder);
  const url = `http://127.0.0.1:${port}`;
  const written: string[] = [];
  const ignoreReplies = options.unchecked === undefined ? observeReplies(url) : () => undefined;
  const start = () => launch({ program: options.program ?? weirProgram, env, url, written });
  let life = await start();
  let endings: (() => Promise<void>)[] = [];
  const stop = async (signal: NodeJS.Signals) => {
    const due = endings;
    endings = [];
    for (const work of due) await work().catch(() => undefined);
    signalGroup(life.pid, signal);
    return await life.exited;
  };
  const running: RunningWeir = {
    url,
    base: `${url}/v1`,
    token: token ?? '',
    get pid() {
      return life.pid;
    },
    dataFolder,
    databaseUrl,
    environment: env,
    output: () => written.join(''),
    stop: () => stop('SIGTERM'),
    async kill() {
      await stop('SIGKILL');
    },
    async restart() {
      life = await start();
    },
    beforeEnd: (work) => void endings.push(work),
    command: (...words) => runWeir(words, env),
    async remove() {
      await stop('SIGKILL');
      process.off('exit', removeFolder);
      removeFolder();
      ignoreReplies();
    },
  };
  if (options.holders === 'two') await addHolder(running);
  return running;
}

/** Loaded where it is used: the commands bring the store along. */
async function addHolder(weir: RunningWeir): Promise<void> {
  const { createToken } = await import('./token.ts');
  await createToken(weir);
}

/** Runs Weir until it ends by itself: commands, and starts that must be refused. */
export async function runWeir(words: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const child = Bun.spawn([...weirProgram, ...words], {
    cwd: env['WEIR_DATA'] ?? tmpdir(),
    env: { ...inherited(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

export async function memoryBytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

export async function descriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

const runtime = {
  // As `bin/weir.js` sets them; without them the executable would start itself a second time.
  ...runtimeVariables,
  // A process that lives for seconds gives no memory back, which takes a fifth off its start, and compiles nothing a second
  // time, which takes a sixth off the rest. Soaks and benchmarks judge memory and speed, and run Weir as its users do.
  ...(!isFullSize && { BUN_GC_TIMER_DISABLE: '1', MIMALLOC_PURGE_DELAY: '-1', BUN_JSC_useDFGJIT: '0' }),
};

/** No provider's key of the machine may reach a test: only what a program needs to run at all. */
function inherited(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...runtime };
}

interface Life {
  readonly pid: number;
  readonly exited: Promise<number>;
}

interface Launch {
  readonly program: readonly string[];
  readonly env: Record<string, string>;
  readonly url: string;
  readonly written: string[];
}

async function launch({ program, env, url, written }: Launch): Promise<Life> {
  const child = Bun.spawn([...program, 'serve'], {
    cwd: env['WEIR_DATA'] ?? tmpdir(),
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // A group of its own: a signal to the group also reaches a child, should Weir ever start one.
    detached: true,
  });
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) written.push(decoder.decode(bytes, { stream: true }));
  };
  const ended = Promise.all([child.exited, collect(child.stdout), collect(child.stderr)]);
  let code: number | undefined;
  const exited = ended.then(([exit]) => {
    code = exit;
    return exit;
  });
  const atExit = () => signalGroup(child.pid, 'SIGKILL');
  process.on('exit', atExit);
  void exited.then(() => process.off('exit', atExit));
  const ready = async () => {
    if (code !== undefined) throw new Error(`Weir ended with code ${code}:\n${written.join('')}`);
    return (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200;
  };
  try {
    await until(ready, 20_000, 'GET /healthz = 200');
  } catch (error) {
    signalGroup(child.pid, 'SIGKILL');
    throw new Error(`${error instanceof Error ? error.message : error}\n${written.join('')}`);
  }
  return { pid: child.pid, exited };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Already gone, which is what the signal was for.
  }
}
