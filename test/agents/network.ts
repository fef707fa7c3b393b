/** A network namespace with loopback only: what runs in it can reach Weir beside it and no other host. */

/** The process tree ends with its first process where the kernel allows that, and the network is empty in any case. */
const optionSets: readonly (readonly string[])[] = [
  ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ['--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ['--net'],
  ['--map-root-user', '--net'],
];

/** The beginning of a command line that runs the rest of it without a network, or why there is none. */
export function withoutNetwork(): readonly string[] | string {
  if (process.platform !== 'linux') return `network namespaces need Linux, this is ${process.platform}`;
  const unshare = Bun.which('unshare');
  if (unshare === null) return 'the command unshare is missing (package util-linux)';
  if (Bun.which('ip', path) === null) return 'the command ip is missing (package iproute2)';
  for (const options of optionSets) {
    const { exitCode } = Bun.spawnSync([unshare, ...options, 'ip', 'link', 'set', 'lo', 'up'], { env: environment() });
    if (exitCode === 0) return [unshare, ...options];
  }
  return 'unshare may not make a network namespace here';
}

/** In many accounts the folder of `ip` is not among those that are searched. */
const path = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };

function environment(): Record<string, string> {
  return { ...(process.env as Record<string, string>), ...path };
}

/**
 * The first thing to do inside. Throws where anything but loopback is there: then it is not safe to run
 * third-party programs here.
 */
export function openLoopback(): void {
  const { exitCode, stderr } = Bun.spawnSync(['ip', 'link', 'set', 'lo', 'up'], { env: environment() });
  if (exitCode !== 0) throw new Error(`ip link set lo up: ${stderr.toString().trim()}`);
  const links = Bun.spawnSync(['ip', '-o', 'link', 'show', 'up'], { env: environment() }).stdout.toString();
  const others = links.split('\n').filter((line) => line !== '' && !/^\d+: lo:/.test(line));
  if (others.length > 0) throw new Error(`the namespace has a network: ${others.join(' ')}`);
}
