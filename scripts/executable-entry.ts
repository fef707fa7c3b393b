/** The entry point of the built executable: it has no launcher, so it sets what the runtime reads at its start itself. */

import { runtimeVariables } from '../bin/runtime-variables.js';

const isSet = Object.keys(runtimeVariables).every((name) => process.env[name] !== undefined);

// Bun reads them only at process start, so the process replaces itself once, keeping its id.
if (!isSet && process.execve !== undefined && process.platform !== 'win32') {
  const words = [process.execPath, ...process.argv.slice(2)];
  process.execve(process.execPath, words, { ...runtimeVariables, ...process.env });
}

// A file of its own beside this one (`build-executable.ts`): a process that replaces itself has not loaded the gateway before.
await import(new URL('./main.ts', import.meta.url).href);
