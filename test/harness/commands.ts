/** Runs `weir token` and `weir usage` inside the test's own process: the same code on the same database, without a process for each. */

import { existsSync, readFileSync } from 'node:fs';
import { tokenOn, usageOn } from '../../src/cli/store-commands.ts';
import { loadConfig } from '../../src/config/load.ts';
import { storeOptions } from '../../src/gateway/store-options.ts';
import type { Config } from '../../src/settings/config.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { CommandResult, RunningWeir } from './weir.ts';

type Output = Parameters<typeof tokenOn>[2];

const here = { token: tokenOn, usage: usageOn } as const;

/** Other commands run as their users run them. */
export async function runHere(weir: RunningWeir, words: readonly string[]): Promise<CommandResult> {
  const [name = '', ...args] = words;
  if (name !== 'token' && name !== 'usage') return weir.command(...words);
  return written(weir, (store, config, output) => here[name](store, config, output, args));
}

/** Runs it on the open store of a running Weir, and gives what it wrote. */
export async function written(
  weir: RunningWeir,
  work: (store: Store, config: Config, output: Output) => Promise<number>,
): Promise<CommandResult> {
  const texts = { out: [] as string[], err: [] as string[] };
  const output = {
    out: (text: string): void => void texts.out.push(text),
    err: (text: string): void => void texts.err.push(text),
  };
  const config = loadConfig({
    environment: weir.environment,
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    workingFolder: weir.dataFolder,
    isTerminal: false,
  });
  const code = await work(await storeOf(weir, config), config, output);
  return { code, stdout: texts.out.join(''), stderr: texts.err.join('') };
}

const opened = new WeakMap<RunningWeir, Promise<Store>>();

/** Open until the server stops: opening starts a thread, and a suite makes dozens of tokens. */
function storeOf(weir: RunningWeir, config: Config): Promise<Store> {
  const known = opened.get(weir);
  if (known !== undefined) return known;
  const opening = openStore(storeOptions(config));
  opened.set(weir, opening);
  weir.beforeEnd(async () => {
    opened.delete(weir);
    await (await opening).close();
  });
  return opening;
}
