/** Installs a program from npm into a folder of the user's cache, once for each version, away from the project's dependencies. */

import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentProgram } from './programs.ts';

const installTimeoutMs = 15 * 60_000;

export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'weir', 'agents');
}

/** The folder that its commands are in. */
export function commandsOf(program: AgentProgram): string {
  return join(folderOf(program), 'node_modules', '.bin');
}

function folderOf({ id, version }: AgentProgram): string {
  return join(cacheFolder(), `${id}-${version}`);
}

/** Says why it could not, where it could not. */
export async function installProgram(program: AgentProgram): Promise<string | undefined> {
  const folder = folderOf(program);
  if (existsSync(folder)) return undefined;
  // Under another name until it is complete: half an installation must not pass for one.
  const building = `${folder}.${process.pid}`;
  await mkdir(building, { recursive: true });
  await Bun.write(join(building, 'package.json'), '{ "private": true }\n');
  const wanted = `${program.package}@${program.version}`;
  const child = Bun.spawn(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', wanted], {
    cwd: building,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: installTimeoutMs,
  });
  const [complaints, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code === 0 && existsSync(join(building, 'node_modules', '.bin', program.program))) {
    renameSync(building, folder);
    return undefined;
  }
  rmSync(building, { recursive: true, force: true });
  return `npm install ${wanted} ended with code ${code}: ${complaints.trim().split('\n')[0] ?? ''}`;
}
