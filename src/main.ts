/** The composition root: reads the command, builds every object once, and hands each the parts it needs. */

import { run } from './cli/run.ts';

process.exitCode = await run(process.argv.slice(2));
