/** Installs a program from npm or PyPI into a folder of the user's cache, once for each version, away from the project's dependencies. */

import { existsSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentProgram } from './programs.ts';

const installTimeoutMs = 15 * 60_000;
/** Written last: half an installation must not pass for one. */
const completeMark = 'complete';

function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'weir', 'agents');
}

export function folderOf({ id, packages }: AgentProgram): string {
  const versions = packages.map((name) => name.split(/==|@/).at(-1)).join('-');
  return join(cacheFolder(), versions === '' ? id : `${id}-${versions}`);
}

/** The folder that its commands are in. */
export function commandsOf(program: AgentProgram): string {
  return join(folderOf(program), program.from === 'npm' ? 'node_modules/.bin' : 'bin');
}

/** Returns the reason of a failure. */
export async function installProgram(program: AgentProgram): Promise<string | undefined> {
  const folder = folderOf(program);
  const mark = join(folder, completeMark);
  if (program.packages.length === 0 || existsSync(mark)) return undefined;
  // Not under another name first: a Python environment stores the folder that it was made in.
  rmSync(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const failure = await (program.from === 'npm' ? installFromNpm(program, folder) : installFromPypi(program, folder));
  if (failure === undefined) await Bun.write(mark, '');
  else rmSync(folder, { recursive: true, force: true });
  return failure;
}

async function installFromNpm({ packages }: AgentProgram, folder: string): Promise<string | undefined> {
  await Bun.write(join(folder, 'package.json'), '{ "private": true }\n');
  return await run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder);
}

async function installFromPypi({ packages }: AgentProgram, folder: string): Promise<string | undefined> {
  if (Bun.which('python3') === null) return 'there is no python3';
  const pip = ['bin/python', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  return (await run(['python3', '-m', 'venv', folder], folder)) ?? (await run([...pip, ...packages], folder));
}

async function run(words: readonly string[], cwd: string): Promise<string | undefined> {
  const child = Bun.spawn([...words], {
    cwd,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: installTimeoutMs,
  });
  const [complaints, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code === 0) return undefined;
  return `${words.slice(0, 4).join(' ')} ended with code ${code}: ${complaints.trim().split('\n')[0] ?? ''}`;
}
