#!/usr/bin/env node
/**
 * Starts Weir from plain Node: finds the Bun that npm installed, also if install scripts did not run, and starts it
 * with the same signals and exit code.
 */

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runtimeVariables } from './runtime-variables.js';

// npm links node_modules/.bin/weir to this file; the package root is found from the real path.
const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
const binaryBytesMin = 1_000_000;
/**
 * No variables from a file, no packages that are not installed, and no paths of modules from the folder that the program
 * enters.
 */
const unread = [
  '--no-env-file',
  '--no-install',
  `--tsconfig-override=${join(root, 'src/program/runtime-tsconfig.json')}`,
];
/** npm and a process group may deliver one key press twice; the copies arrive within milliseconds. */
const sameSignalWithinMs = 100;

main(process.argv.slice(2));

function main(words) {
  const bun = findBun();
  if (!bun) {
    console.error(notFoundMessage());
    process.exit(1);
  }
  if (words[0] === '--bun-path') {
    console.log(bun);
    return;
  }
  if (words[0] === '--program-path') {
    console.log(programFile());
    return;
  }
  // `--run` passes its arguments to Bun unchanged: a file, `test`, `--watch FILE`.
  if (words[0] === '--run') run(bun, words.slice(1), {});
  else run(bun, [...unread, programFile(), ...words], { cwd: root, env: { WEIR_WORKING_FOLDER: workingFolder() } });
}

/** The program enters it: here the runtime could read the settings, modules and variables of a stranger's folder. */
function workingFolder() {
  try {
    return process.cwd();
  } catch {
    console.error('weir: this folder no longer exists.');
    process.exit(1);
  }
}

/** The bundle that `npm ci` wrote (scripts/bundle.ts), as long as nothing that it was made of has changed; else the sources. */
function programFile() {
  const bundle = join(root, 'dist', 'server');
  return isCurrent(join(bundle, 'inputs.txt')) ? join(bundle, 'main.js') : join(root, 'src', 'main.ts');
}

/** Each line is the time of the last change, the size and the path of a file. */
function isCurrent(list) {
  try {
    const lines = readFileSync(list, 'utf8').trimEnd().split('\n');
    return lines.every((line) => {
      const [changedMs, size, path] = line.split(' ');
      const found = statSync(join(root, path));
      return found.size === Number(size) && Math.trunc(found.mtimeMs) === Number(changedMs);
    });
  } catch {
    return false;
  }
}

function run(bun, words, { cwd, env }) {
  let child;
  // Before the child starts: on a busy machine a signal may arrive between the two.
  const stopForwarding = forwardSignals((signal) => child?.kill(signal));
  child = spawn(bun, words, {
    stdio: 'inherit',
    cwd,
    env: {
      ...process.env,
      ...Object.fromEntries(Object.entries(runtimeVariables).filter(([name]) => !process.env[name])),
      // A launcher killed by SIGKILL cannot notify its child: the server can check whether this is still its parent,
      // and stop.
      WEIR_LAUNCHER_PID: String(process.pid),
      ...env,
    },
  });
  child.on('error', (error) => {
    console.error(`weir: could not start ${bun}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    // Still handled until the exit: a repeated Ctrl-C must not replace the child's exit code.
    if (!signal) process.exit(code ?? 1);
    stopForwarding();
    if (signal === 'SIGILL') console.error(illegalInstructionMessage());
    leaveBySignal(signal);
  });
}

function forwardSignals(forward) {
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const lastAtMs = new Map();
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const listener = () => {
      const nowMs = performance.now();
      if (nowMs - (lastAtMs.get(signal) ?? Number.NEGATIVE_INFINITY) < sameSignalWithinMs) return;
      lastAtMs.set(signal, nowMs);
      // The terminal sends Ctrl-C to the whole group, so the child has it already; a second one would mean "stop at once".
      if (!(signal === 'SIGINT' && atTerminal)) forward(signal);
    };
    process.on(signal, listener);
    return [signal, listener];
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/** Ends as the child ended, so that a shell or a supervisor sees the real reason. */
function leaveBySignal(signal) {
  const status = 128 + (constants.signals[signal] ?? 0);
  if (!['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'].includes(signal) || process.platform === 'win32')
    process.exit(status);
  process.kill(process.pid, signal);
  // The signal is delivered asynchronously; if something blocks it, leave with the status a shell would show.
  setTimeout(() => process.exit(status), 1_000);
}

function findBun() {
  return platformPackageBinary() ?? bunPackageBinary() ?? binaryOnPath();
}

/** The binary as the platform's own package holds it until Bun's install script moves it away. */
function platformPackageBinary() {
  for (const name of platformPackages()) {
    for (const folder of packageFolders(`@oven/${name}`)) {
      const file = usableBinary(join(folder, 'bin', process.platform === 'win32' ? 'bun.exe' : 'bun'));
      if (file) return file;
    }
  }
  return undefined;
}

/** Where the install script moved it to; without that script the file there is a small placeholder. */
function bunPackageBinary() {
  for (const folder of packageFolders('bun')) {
    for (const name of ['bun.exe', 'bun']) {
      const file = usableBinary(join(folder, 'bin', name));
      if (file) return file;
    }
  }
  return undefined;
}

function binaryOnPath() {
  const name = process.platform === 'win32' ? 'bun.exe' : 'bun';
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = folder && join(folder, name);
    if (!file || !existsSync(file)) continue;
    const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 5_000 });
    if (status === 0 && isCompatible(stdout.trim())) return file;
  }
  return undefined;
}

/** Same major version and not older than the pinned one. */
function isCompatible(version) {
  const [major, minor, patch] = version.split('.').map(Number);
  const [wantMajor, wantMinor, wantPatch] = pinnedVersion().split('.').map(Number);
  if (major !== wantMajor) return false;
  return minor > wantMinor || (minor === wantMinor && patch >= wantPatch);
}

function pinnedVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.bun;
}

/** Package names for this machine, best first: the right C library, and the build without AVX2 first where the CPU lacks it. */
function platformPackages() {
  const system = { darwin: 'darwin', linux: 'linux', android: 'linux', win32: 'windows', freebsd: 'freebsd' }[
    process.platform
  ];
  const arches = { arm64: ['aarch64'], x64: process.platform === 'darwin' ? ['x64', 'aarch64'] : ['x64'] }[
    process.arch
  ];
  if (!system || !arches) return [];
  const library = process.platform === 'android' ? '-android' : process.platform === 'linux' && isMusl() ? '-musl' : '';
  const names = arches.map((arch) => `bun-${system}-${arch}${library}`);
  if (process.arch !== 'x64' || library === '-android') return names;
  const baseline = `bun-${system}-x64${library}-baseline`;
  return lacksAvx2() ? [baseline, ...names] : [...names, baseline];
}

function isMusl() {
  const { header } = process.report.getReport();
  return !header.glibcVersionRuntime;
}

/** Only on Linux can this be found out without starting a program; elsewhere the normal build is tried first. */
function lacksAvx2() {
  if (process.platform !== 'linux') return false;
  try {
    return !/^flags\s*:.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

/** Folders of an installed package, found as Node finds modules, from Weir's root and from Bun's own package. */
function packageFolders(name) {
  const folders = [];
  for (const from of [root, join(root, 'node_modules', 'bun')]) {
    const searched = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
    for (const folder of searched) if (existsSync(join(folder, name, 'package.json'))) folders.push(join(folder, name));
  }
  return folders;
}

/**
 * The file when it is a program of real size, not a placeholder; its execute permission is restored if a copy lost it.
 */
function usableBinary(file) {
  try {
    const { size, mode } = statSync(file);
    if (size < binaryBytesMin || !startsLikeProgram(file)) return undefined;
    if (process.platform !== 'win32' && (mode & 0o111) === 0) chmodSync(file, 0o755);
    return file;
  } catch {
    return undefined;
  }
}

function startsLikeProgram(file) {
  const start = Buffer.alloc(4);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start, 0, 4, 0);
  closeSync(descriptor);
  // ELF, Mach-O (64-bit and universal), Windows.
  return (
    ['7f454c46', 'cffaedfe', 'cafebabe'].includes(start.toString('hex')) || start.toString('latin1', 0, 2) === 'MZ'
  );
}

function notFoundMessage() {
  const names = platformPackages().map((name) => `@oven/${name}`);
  return [
    `weir: no Bun runtime was found for ${process.platform} ${process.arch}.`,
    names.length > 0
      ? `  Looked for: ${names.join(', ')}, the package bun, and bun ${pinnedVersion()} or newer on PATH.`
      : '',
    `  Run in ${root}:  npm ci --include=optional`,
    '  Or install Bun yourself (https://bun.com/docs/installation) and put it on PATH.',
  ]
    .filter(Boolean)
    .join('\n');
}

function illegalInstructionMessage() {
  return [
    'weir: Bun used an instruction that this CPU does not have.',
    `  Run in ${root}:  npm install --no-save @oven/bun-${process.platform === 'win32' ? 'windows' : process.platform}-x64-baseline@${pinnedVersion()}`,
  ].join('\n');
}
