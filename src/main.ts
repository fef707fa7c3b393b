/** The composition root: reads the command, builds every object once, and hands each the parts it needs. */

import { run } from './cli/run.ts';

// Whoever reads our output may leave early (`| head`); that is no reason to die.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2));
