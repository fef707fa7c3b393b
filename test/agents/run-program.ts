/**
 * Runs one snippet as a user who pasted it: its files in a fresh home, its commands in a shell, one
 * question instead of a screen.
 */

import { rmSync, symlinkSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fillSnippet, type SnippetFacts, snippets } from '../../src/snippets/snippets.ts';
import { commandsOf, folderOf } from './install-program.ts';
import { type AgentProgram, question } from './programs.ts';

export interface ProgramRun {
  /** Undefined where it had to be ended. */
  readonly code: number | undefined;
  readonly output: string;
  readonly complaints: string;
  readonly durationMs: number;
}

const runTimeoutMs = 300_000;

export async function runProgram(program: AgentProgram, facts: SnippetFacts, token: string): Promise<ProgramRun> {
  const parts = snippets.find(({ id }) => id === program.id)?.parts;
  if (parts === undefined) throw new Error(`there is no snippet '${program.id}'`);
  const home = await mkdtemp(join(tmpdir(), `weir-agent-${program.id}-`));
  const startedAtMs = performance.now();
  try {
    const project = join(home, 'project');
    await mkdir(project);
    // Node looks for libraries beside the file that imports them.
    if (program.from === 'npm') symlinkSync(join(folderOf(program), 'node_modules'), join(project, 'node_modules'));
    const commands: string[] = [];
    for (const { file, template } of parts) {
      const text = `${fillSnippet(template, facts)}\n`;
      if (file === undefined) commands.push(text);
      else await writeFile(home, file, text);
      if (file !== undefined && !isInHome(file)) commands.push(`${program.program} ${file}`);
    }
    const ended = await runShell([standIn(program), ...commands].join('\n'), project, {
      ...program.env,
      HOME: home,
      PATH: `${commandsOf(program)}:${process.env['PATH'] ?? ''}`,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      TMPDIR: home,
      WEIR_TOKEN: token,
      QUESTION: question,
    });
    return { ...ended, durationMs: performance.now() - startedAtMs };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Settings are in the home folder, programs where they are run. */
function isInHome(file: string): boolean {
  return file.startsWith('~/');
}

async function writeFile(home: string, file: string, text: string): Promise<void> {
  const path = isInHome(file) ? join(home, file.slice(2)) : join(home, 'project', file);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, text);
}

/** The program under its own name, with what makes it answer and end. What signs it in is a command of its own. */
function standIn({ program, oneQuestion }: AgentProgram): string {
  if (oneQuestion === undefined) return '';
  return `${program}() { if [ "$1" = auth ]; then command ${program} "$@"; else command ${program} "$@" ${oneQuestion}; fi; }`;
}

async function runShell(
  script: string,
  cwd: string,
  env: Record<string, string>,
): Promise<Omit<ProgramRun, 'durationMs'>> {
  const child = Bun.spawn(['bash', '-e', '-c', script], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // A group of its own, so that what it starts ends with it.
    detached: true,
  });
  const endGroup = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left, which is what the signal was for.
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup();
  }, runTimeoutMs);
  process.on('exit', endGroup);
  const written = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  // A process left behind would keep the output open.
  endGroup();
  clearTimeout(timer);
  process.off('exit', endGroup);
  const [output, complaints] = await written;
  return { code: isLate ? undefined : code, output, complaints };
}
