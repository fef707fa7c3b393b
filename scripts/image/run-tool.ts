/** Runs a program that a build needs; its failure ends the build with what the program wrote. */

interface ToolOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Its standard output. */
export function runTool(words: readonly string[], { cwd, env = {} }: ToolOptions = {}): string {
  const [program = ''] = words;
  if (Bun.which(program) === null) throw new Error(`This build needs the program ${program}, which is not on PATH.`);
  const done = Bun.spawnSync([...words], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  if (done.exitCode !== 0)
    throw new Error(`${words.join(' ')} ended with code ${done.exitCode}:\n${done.stderr.toString()}`);
  return done.stdout.toString();
}
