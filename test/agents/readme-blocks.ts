/** The first calls of the README, run as they stand: what a person pastes into a shell, or into a file for Node or Python. */

import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsOf } from './install-program.ts';
import { libraries } from './programs.ts';

export interface ReadmeBlock {
  /** As the README names it above the block. */
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

const root = join(import.meta.dir, '../..');
const blockTimeoutMs = 60_000;
/** The Python that has the library. */
const pythonCommands = libraries.filter(({ id }) => id === 'python').map(commandsOf);

/** Those of the section "First calls" that are programs; the agents' are run with the agents. */
export async function readmeBlocks(): Promise<ReadmeBlock[]> {
  const readme = await Bun.file(join(root, 'README.md')).text();
  const section = /^## First calls$([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
  const pattern = /^\*\*(.+?)\*\*(.*)\n\n```(\w+)\n([\s\S]*?)\n```$/gm;
  const all = [...section.matchAll(pattern)].map(([, name = '', rest = '', language = '', text = '']) => ({
    title: `${name}${rest}`,
    language,
    text,
  }));
  return all.filter(
    ({ title, language, text }) => title === 'curl' || (/^(?:js|python)$/.test(language) && text !== ''),
  );
}

/** Says what went wrong, or that it was skipped and why; undefined where it answered. */
export async function runBlock({ language, text }: ReadmeBlock, token: string): Promise<string | undefined> {
  // Inside the project, where the libraries are found.
  const folder = join(root, 'node_modules', '.cache', `weir-readme-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    const [file, command] = commandFor(language, text);
    if (file !== undefined) await Bun.write(join(folder, file), text);
    const child = Bun.spawn(command, {
      cwd: folder,
      env: { PATH: `${pythonCommands}:${process.env['PATH'] ?? ''}`, HOME: folder, WEIR_TOKEN: token },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: blockTimeoutMs,
      killSignal: 'SIGKILL',
    });
    const [complaints, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (complaints.includes('No module named')) return `skipped: ${complaints.trim().split('\n').at(-1)}`;
    return code === 0 ? undefined : `exit code ${code}: ${complaints.trim().split('\n').slice(-3).join(' | ')}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function commandFor(language: string, text: string): [string | undefined, string[]] {
  if (language === 'js') return ['hello.mjs', ['node', 'hello.mjs']];
  if (language === 'python') return ['hello.py', ['python3', 'hello.py']];
  return [undefined, ['bash', '-e', '-o', 'pipefail', '-c', text]];
}
