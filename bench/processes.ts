/** Starts the processes of the bench, reads their CPU time and memory, and ends them. */

import { dlopen, FFIType } from 'bun:ffi';
import { readdirSync, readFileSync } from 'node:fs';
import type { Subprocess } from 'bun';

const libc = openLibc();
const tickMicros = 10_000;
const endTimeoutMs = 3_000;

/** CPU time of all threads of these processes, user and system, in µs. */
export function cpuMicros(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (clockMicros(pid) ?? tickCount(pid) * tickMicros), 0);
}

/**
 * The kernel's CPU clock of a process, in nanoseconds: finer than the 10 ms ticks, and with the time of threads that
 * have ended. A sum over running threads decreases when an idle compiler thread ends, which happens at low rates.
 */
function clockMicros(pid: number): number | undefined {
  if (libc === undefined) return undefined;
  const time = new BigInt64Array(2);
  // The clock's id holds the complement of the process id; 2 selects the scheduler's own count.
  if (libc.symbols.clock_gettime((~pid << 3) | 2, time) !== 0) return undefined;
  return Number(time[0]) * 1_000_000 + Number(time[1]) / 1_000;
}

function openLibc() {
  try {
    return dlopen('libc.so.6', { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
  } catch {
    return undefined;
  }
}

/** Numbered from 0 like the list in proc(5), which begins with 1. */
function statFields(pid: number): readonly number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may hold spaces; the numbers begin after it.
  const end = stat.lastIndexOf(')') + 2;
  return [pid, 0, ...stat.slice(end).split(' ').map(Number)];
}

function tickCount(pid: number): number {
  const fields = statFields(pid);
  return (fields[13] ?? 0) + (fields[14] ?? 0);
}

/** CPU time of a server and of the processes that it starts, also of those that have ended meanwhile. */
export function familyMicros(pid: number): number {
  const running = familyOf(pid).reduce((sum, one) => {
    try {
      return sum + cpuMicros([one]);
    } catch {
      // It ended while the list was read.
      return sum;
    }
  }, 0);
  return (
    running +
    statFields(pid)
      .slice(15, 17)
      .reduce((sum, ticks) => sum + ticks * tickMicros, 0)
  );
}

/** Resident memory in MB. */
export function residentMegabytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return sum + Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  }, 0);
}

export const parentOf = (pid: number): number =>
  Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

/** A process and all that it started, and those in turn. */
export function familyOf(pid: number): number[] {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  const children = pids.filter((one) => {
    try {
      return parentOf(one) === pid;
    } catch {
      // It ended while the list was read.
      return false;
    }
  });
  return [pid, ...children.flatMap(familyOf)];
}

/** All threads of a process, and those that they start. */
export function moveToCore(pid: number, core: number): void {
  const { exitCode } = Bun.spawnSync(['taskset', '--all-tasks', '--cpu-list', '--pid', `${core}`, `${pid}`]);
  if (exitCode !== 0) throw new Error(`taskset (Debian: util-linux) could not move process ${pid} to core ${core}`);
}

const children = new Set<Subprocess>();

/** Starts a script of the bench with the same Bun; its output is read by `firstLine`. */
export function startScript(file: string, words: readonly string[]) {
  const child = Bun.spawn([process.execPath, file, ...words], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: plainEnvironment(),
  });
  remember(child);
  return child;
}

/** Starts any program; its output goes to a file, because a full, unread pipe would block it. */
export function start(command: readonly string[], environment: Record<string, string> = {}, outputFile = '/dev/null') {
  const child = Bun.spawn([...command], {
    stdin: 'ignore',
    stdout: Bun.file(outputFile),
    stderr: Bun.file(outputFile),
    env: { ...plainEnvironment(), ...environment },
  });
  remember(child);
  return child;
}

function remember(child: Subprocess): void {
  children.add(child);
  void child.exited.then(() => children.delete(child));
}

/** No key of the machine's owner reaches a measured process. */
function plainEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' };
}

/** The first line a child prints, parsed. */
export async function firstLine<Value>(child: { stdout: ReadableStream<Uint8Array> }): Promise<Value> {
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  let text = '';
  while (!text.includes('\n')) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`a process of the bench ended after printing ${JSON.stringify(text)}`);
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return JSON.parse(text.slice(0, text.indexOf('\n'))) as Value;
}

/** Ends one child and waits until it is gone. */
export async function end(child: Subprocess): Promise<void> {
  child.kill('SIGTERM');
  const gone = await Promise.race([child.exited.then(() => true), Bun.sleep(endTimeoutMs).then(() => false)]);
  if (!gone) child.kill('SIGKILL');
  await child.exited;
}

/** Ends every child that still runs. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end));
}
