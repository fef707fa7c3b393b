/** Starts the root of an image as a container engine would: own mounts and processes, read-only root, the image's user. */

import { existsSync, readFileSync } from 'node:fs';
import { until } from '../harness/until.ts';

/** The part of an image's configuration that an engine follows. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export interface Container {
  output(): string;
  /** Of the first process inside, as this machine numbers it. */
  pid(): number;
  /** Runs a program inside, as the image's user, with further variables; its exit code and what it wrote. */
  exec(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<{ code: number; text: string }>;
  /** SIGTERM to the first process inside, then its exit code. */
  stop(): Promise<number>;
  kill(): Promise<void>;
}

/** Why this machine cannot run one, or undefined. */
export function whyNoContainer(): string | undefined {
  if (process.platform !== 'linux') return 'an image needs Linux';
  if (process.getuid?.() !== 0) return 'the mounts of a container need root';
  const missing = ['unshare', 'nsenter', 'setpriv', 'chroot', 'mount', 'tar'].find((name) => Bun.which(name) === null);
  if (missing !== undefined) return `the command ${missing} is missing`;
  const tried = Bun.spawnSync(['unshare', '--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return tried.exitCode === 0 ? undefined : 'this machine does not allow new namespaces';
}

/** What an engine mounts into every container, then the image's volume and a temporary folder. */
const mounts = `set -e
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o mode=755 tmpfs "$ROOT/dev"
for device in null zero random urandom; do touch "$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount --bind "$VOLUME" "$ROOT/data"
mount -o remount,ro,bind "$ROOT"
exec "$@"`;

/** What starts a program below the root as the image's user, without a chance to gain rights. */
function entering(root: string, { User, WorkingDir }: ImageConfig): string[] {
  const [user = '', group = ''] = User.split(':');
  const place = [`--root=${root}`, `--wd=${WorkingDir}`, `--setgid=${group}`, `--setuid=${user}`];
  // By their whole paths: the image's PATH is set before they run.
  return [Bun.which('setpriv') ?? '', '--no-new-privs', Bun.which('unshare') ?? '', ...place, '--'];
}

interface ContainerParts {
  readonly root: string;
  /** Mounted at `/data`. */
  readonly volume: string;
  readonly config: ImageConfig;
  readonly env: Readonly<Record<string, string>>;
}

export function startContainer({ root, volume, config, env }: ContainerParts): Container {
  const inside = {
    ...(Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<string, string>),
    ...env,
  };
  const words = (program: readonly string[]) => [...entering(root, config), ...program];
  const tools = { PATH: process.env['PATH'] ?? '', ROOT: root, VOLUME: volume };
  const child = Bun.spawn(
    [
      'unshare',
      ...['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--propagation=private'],
      ...['sh', '-c', mounts, 'sh'],
      ...withEnvironment(inside, words([...config.Entrypoint, ...config.Cmd])),
    ],
    { env: tools, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  );
  const written: string[] = [];
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) written.push(decoder.decode(bytes, { stream: true }));
  };
  const ended = Promise.all([child.exited, collect(child.stdout), collect(child.stderr)]).then(([code]) => code);
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  const first = () => Number(existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ')[0] : '');
  return {
    output: () => written.join(''),
    pid: first,
    async exec(program, more = {}) {
      const namespaces = ['nsenter', `--target=${first()}`, '--mount', '--pid'];
      const run = Bun.spawn([...namespaces, ...withEnvironment({ ...inside, ...more }, words(program))], {
        env: tools,
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const texts = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
      return { code: await run.exited, text: texts.join('') };
    },
    async stop() {
      await until(() => first() > 0, 20_000, 'the first process of the container');
      process.kill(first(), 'SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The program inside gets the image's environment and nothing of this machine's. */
function withEnvironment(inside: Readonly<Record<string, string>>, words: readonly string[]): string[] {
  return ['env', '-i', ...Object.entries(inside).map(([name, value]) => `${name}=${value}`), ...words];
}
