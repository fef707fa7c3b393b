/** The Weir that suites start: the executable that the whole run builds once, or the sources where a file is run alone. */

import { join } from 'node:path';

const executable = process.env['WEIR_TEST_EXECUTABLE'];

/** For a suite that is about the sources themselves. */
export const weirBySource: readonly string[] = [process.execPath, join(import.meta.dir, '../../src/main.ts')];

/** The words before the command. The executable starts in a third of the processor time. */
export const weirProgram: readonly string[] = executable === undefined ? weirBySource : [executable];
