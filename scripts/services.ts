/**
 * The programs that the tests need besides Bun: installed if that is possible without a prompt, otherwise named
 * exactly.
 */

import { existsSync, readdirSync } from 'node:fs';

export const programNames = ['postgres', 'redis', 'nginx', 'chromium', 'prometheus'] as const;
export type ProgramName = (typeof programNames)[number];

interface Program {
  readonly name: ProgramName;
  readonly label: string;
  /** Name of its Debian package. */
  readonly debianPackage: string;
  /** Name of its Homebrew formula or cask. */
  readonly homebrew: string;
  readonly isThere: () => boolean;
}

const onPath = (...names: string[]) => names.some((name) => Bun.which(name) !== null);

const programs: readonly Program[] = [
  {
    name: 'postgres',
    label: 'PostgreSQL (initdb and postgres)',
    debianPackage: 'postgresql',
    homebrew: 'postgresql@17',
    isThere: () => hasPostgresFolder() || (onPath('initdb') && onPath('postgres')),
  },
  {
    name: 'redis',
    label: 'Redis (redis-server)',
    debianPackage: 'redis-server',
    homebrew: 'redis',
    isThere: () => onPath('redis-server', 'valkey-server'),
  },
  {
    name: 'nginx',
    label: 'nginx',
    debianPackage: 'nginx',
    homebrew: 'nginx',
    isThere: () => onPath('nginx') || existsSync('/usr/sbin/nginx'),
  },
  {
    name: 'chromium',
    label: 'Chromium',
    debianPackage: 'chromium-headless-shell',
    homebrew: '--cask chromium',
    isThere: () => onPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
  },
  {
    // 22 MB to download: only the program that will read rules and metrics can tell whether it can.
    name: 'prometheus',
    label: 'Prometheus (prometheus and promtool)',
    debianPackage: 'prometheus',
    homebrew: 'prometheus',
    isThere: () => onPath('prometheus') && onPath('promtool'),
  },
];

/** Debian keeps the server's programs out of the path, one folder per version. */
function hasPostgresFolder(): boolean {
  const root = '/usr/lib/postgresql';
  return existsSync(root) && readdirSync(root).some((version) => existsSync(`${root}/${version}/bin/initdb`));
}

/** The missing ones. */
export function missingPrograms(): readonly ProgramName[] {
  return programs.filter((program) => !program.isThere()).map(({ name }) => name);
}

/** As root on Debian it installs what is missing, and announces it; elsewhere it prints the command. */
export function installPrograms(): void {
  const missing = programs.filter((program) => !program.isThere());
  if (missing.length === 0) return;
  const packages = missing.map((program) => program.debianPackage);
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  const debian = existsSync('/etc/debian_version');
  if (debian && process.getuid?.() === 0 && Bun.which('apt-get') !== null) {
    console.log(`Installing what the tests need and this machine lacks: ${packages.join(', ')}`);
    run(['apt-get', 'update']);
    // A package must not start its service on a machine that only runs tests.
    run(install, { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' });
  }
  const still = programs.filter((program) => !program.isThere());
  if (still.length === 0) return;
  const names = still.map((program) => program.label).join(', ');
  const command = debian
    ? `sudo apt-get update && sudo ${install.join(' ')}`
    : process.platform === 'darwin'
      ? still.map((program) => `brew install ${program.homebrew}`).join(' && ')
      : `your package manager, for: ${still.map((program) => program.debianPackage).join(', ')}`;
  console.log(`This machine lacks ${names}: tests that need it are skipped. To run them, install with:\n  ${command}`);
}

function run(words: string[], env: Record<string, string> = {}): void {
  const done = Bun.spawnSync(words, {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    timeout: 600_000,
  });
  if (done.exitCode !== 0) console.error(`${words.join(' ')} ended with code ${done.exitCode}`);
}
