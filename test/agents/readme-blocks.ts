/** The first calls of the README and of docs/endpoints.md, run unchanged: shell, TypeScript, JavaScript and Python. */

import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsOf } from './install-program.ts';
import { libraries } from './programs.ts';

export interface ReadmeBlock {
  /** The bold line above the block. */
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

const root = join(import.meta.dir, '../..');
const blockTimeoutMs = 300_000;
/** The Python that has the library. */
const pythonCommands = libraries.filter(({ id }) => id === 'python').map(commandsOf);

const sections: readonly (readonly [file: string, heading: string])[] = [
  ['README.md', 'First calls'],
  ['docs/endpoints.md', 'Official libraries of other formats'],
];

/** The blocks that are programs; those of agents are run with the agents. */
export async function readmeBlocks(): Promise<ReadmeBlock[]> {
  const blocks = await Promise.all(sections.map(([file, heading]) => blocksOf(file, heading)));
  return blocks.flat();
}

async function blocksOf(file: string, heading: string): Promise<ReadmeBlock[]> {
  const page = await Bun.file(join(root, file)).text();
  const section = new RegExp(`^## ${heading}$([\\s\\S]*?)^## `, 'm').exec(page)?.[1] ?? '';
  const pattern = /^\*\*(.+?)\*\*(.*)\n\n```(\w+)\n([\s\S]*?)\n```$/gm;
  return [...section.matchAll(pattern)].map(([, name = '', rest = '', language = '', text = '']) => ({
    title: `${name}${rest}`,
    language,
    text,
  }));
}

/** Returns what went wrong, or why it was skipped; undefined where it answered. */
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
  // The project's own runtime: Node 20 cannot run TypeScript.
  if (language === 'ts') return ['hello.ts', [process.execPath, 'hello.ts']];
  if (language === 'js') return ['hello.mjs', ['node', 'hello.mjs']];
  if (language === 'python') return ['hello.py', ['python3', 'hello.py']];
  return [undefined, ['bash', '-e', '-o', 'pipefail', '-c', text]];
}
