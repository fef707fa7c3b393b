/** Runs `weir token` and `weir usage` inside the test's own process: the same code on the same database, without a process for each. */

import { existsSync, readFileSync } from 'node:fs';
import { tokenOn, usageOn } from '../../src/cli/store-commands.ts';
import { loadConfig } from '../../src/config/load.ts';
import { storeOptions } from '../../src/gateway/store-parts.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { CommandResult, RunningWeir } from './weir.ts';

const here = { token: tokenOn, usage: usageOn } as const;

/** Other commands run as their users run them. */
export async function runHere(weir: RunningWeir, words: readonly string[]): Promise<CommandResult> {
  const [name = '', ...args] = words;
  if (name !== 'token' && name !== 'usage') return weir.command(...words);
  const written = { out: [] as string[], err: [] as string[] };
  const output = {
    out: (text: string): void => void written.out.push(text),
    err: (text: string): void => void written.err.push(text),
  };
  const config = loadConfig({
    environment: weir.environment,
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    workingFolder: weir.dataFolder,
    isTerminal: false,
  });
  const store = await openStore(storeOptions(config));
  try {
    const code = await here[name](store, config, output, args);
    return { code, stdout: written.out.join(''), stderr: written.err.join('') };
  } finally {
    await store.close();
  }
}
