/** What the bench needs of another gateway: where it is, how it is started, and how a request reaches the upstream. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { end, familyOf, start } from '../processes.ts';
import { answers, type Target } from '../targets.ts';

export interface Peer {
  readonly name: string;
  /** The option that gives its path. */
  readonly option: string;
  /** Where it is installed, if it is. */
  find(): string | undefined;
  /** Starts it with one provider, the scripted upstream, and one key. */
  start(path: string, upstreamPort: number): Promise<StartedPeer>;
}

export interface StartedPeer {
  readonly target: Target;
  readonly version: string;
}

/** The upstream's own key; the upstream accepts any. */
export const upstreamKey = 'sk-bench';
export const peerModel = 'gpt-4.1';

/** Price lists, update checks and telemetry go to a port that refuses connections: only loopback is used. */
const offline = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
};
/** Python programs import for many seconds on a slow machine. */
const startTimeoutMs = 120_000;

export interface Server {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Its home folder, and where its output goes. */
  readonly folder: string;
  readonly port: number;
  readonly healthPath: string;
}

/** Starts a server and waits until it is healthy. */
export async function startServer(name: string, server: Server): Promise<Target> {
  const { command, environment, folder, port, healthPath } = server;
  const log = join(folder, 'output.txt');
  const child = start(command, { ...offline, HOME: folder, ...environment }, log);
  const stop = async (): Promise<void> => {
    const others = familyOf(child.pid).slice(1);
    await end(child);
    for (const pid of others) endQuietly(pid);
  };
  const ended = child.exited.then((code) => Promise.reject(new Error(`it ended with code ${code}`)));
  try {
    await Promise.race([answers(port, healthPath, startTimeoutMs), ended]);
  } catch (error) {
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}; its last output: ${lastLines(log)}`);
  }
  return { name, port, pids: familyOf(child.pid), rewrites: true, model: peerModel, stop };
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Its parent has ended it.
  }
}

const lastLines = (file: string): string => readFileSync(file, 'utf8').trim().split('\n').slice(-5).join('\n');

/** One field of a server's JSON reply, or `unknown`: versions have moved between replies over time. */
export async function versionAt(port: number, path: string, pick: (reply: unknown) => unknown): Promise<string> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    const version = pick(await reply.json());
    return typeof version === 'string' && version !== '' ? version : 'unknown';
  } catch {
    return 'unknown';
  }
}
