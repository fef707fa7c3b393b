/** Tokens that the bench creates with the CLI, as an operator would. */

import { type Target, type WeirProgram, weirOfHere } from './targets.ts';

/** High enough that no request is refused: what is measured is the work of a budget and of limits. */
export const budgetWords = ['--budget-usd', '1000000'] as const;
export const limitWords = ['--rpm', '100000000', '--tpm', '100000000000', '--concurrency', '100000'] as const;

/** Creates a token in the data of a running Weir. */
export async function createToken(
  weir: Target | undefined,
  words: readonly string[],
  program: WeirProgram = weirOfHere,
): Promise<string> {
  const child = Bun.spawn([...program.words, 'token', 'create', ...words, '--json'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...weir?.environment },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`token create failed: ${problem}${output}`);
  return (JSON.parse(output) as { token: string }).token;
}

/** The same process, asked with a token that has a budget and limits. */
export async function withBudgetAndLimits(weir: Target, name: string, program?: WeirProgram): Promise<Target> {
  const words = ['--name', 'budget-and-limits', ...budgetWords, ...limitWords];
  return { ...weir, name, token: await createToken(weir, words, program) };
}
