/** The entry point: starts the command line and ends quietly when its output is closed. */

import { run } from './cli/run.ts';
import { enterWorkingFolder } from './config/process-environment.ts';

/** The reader of the output may exit early (`| head`); that is no error. */
function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

enterWorkingFolder();
// The bundle's format has no `await` at the top.
// The runtime loads its streams for this, which takes longer than to start the database's thread: so that comes first.
run(process.argv.slice(2), ignoreClosedOutput).then((code) => {
  process.exitCode = code;
});
