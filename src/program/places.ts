/**
 * Where the files of this program lie: here, beside the sources. In an executable all modules have one address, its root. The
 * bundle has its own version of this module (`scripts/bundle.ts`).
 */

import { join } from 'node:path';

const sources = Bun.isStandaloneExecutable ? './' : '../';

/** The address of the file that a thread runs, by its path below `src`. */
export const threadUrl = (path: string): string => new URL(sources + path, import.meta.url).href;

/** The folder of package.json; of no use in an executable. */
export const projectFolder: string = join(import.meta.dir, '../..');
