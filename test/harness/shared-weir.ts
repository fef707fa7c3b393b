/** One Weir with its sandbox alone, for the files of a process that change nothing which another would see. */

import { isBrowserShared } from './browser.ts';
import { type RunningWeir, startWeir } from './weir.ts';

let weirOfProcess: Promise<RunningWeir> | undefined;

export function sandboxWeir(): Promise<RunningWeir> {
  weirOfProcess ??= startWeir({ env: { WEIR_TASKS_ASK_EVERY_MS: '100' } });
  return weirOfProcess;
}

/** Removes it unless the next files of the process share it, as they share the browser. */
export async function leaveSandboxWeir(): Promise<void> {
  if (!isBrowserShared()) await endSandboxWeir();
}

export async function endSandboxWeir(): Promise<void> {
  const weir = await weirOfProcess;
  weirOfProcess = undefined;
  await weir?.remove();
}
