/** Makes tokens with the commands that an operator has, and changes them while Weir runs. */

import { runHere } from './commands.ts';
import type { RunningWeir } from './weir.ts';

export interface MadeToken {
  readonly id: string;
  readonly token: string;
  readonly base: string;
}

let made = 0;

/** `flags` as on the command line: `'--rpm', '5'`. */
export async function createToken(weir: RunningWeir, ...flags: string[]): Promise<MadeToken> {
  const shown = await json(weir, 'token', 'create', '--name', `made-${++made}`, ...flags);
  const { id, token } = shown as { id?: unknown; token?: unknown };
  if (typeof id !== 'string' || typeof token !== 'string')
    throw new Error(`token create --json printed no id and token: ${JSON.stringify(shown)}`);
  return { id, token, base: weir.base };
}

/** Runs a command with `--json` and reads what it prints. */
export async function json(weir: RunningWeir, ...words: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runHere(weir, [...words, '--json']);
  if (code !== 0) throw new Error(`weir ${words.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}
