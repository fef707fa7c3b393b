/**
 * Builds `dist/weir`, or the named file: the executable for this machine. `--for-tests` adds the gallery of components
 * and compresses less, which is quicker. `--target=bun-linux-arm64 --runtime=FILE` builds for another platform with that
 * platform's Bun, FILE.
 */

import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildExecutable } from './release/build-executable.ts';
import { packData } from './release/packed-data.ts';

const [named] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const outfile = named ?? join(import.meta.dir, '../dist', process.platform === 'win32' ? 'weir.exe' : 'weir');
const startedMs = performance.now();

const data = await packData(process.argv.includes('--for-tests'));
const target = option('target') as Bun.Build.CompileTarget | undefined;
const complaints = await buildExecutable({ outfile, data, target, runtime: option('runtime') });
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exit(1);
const megabytes = (statSync(outfile).size / 1_000_000).toFixed(1);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
console.log(`${relative(process.cwd(), outfile)}  ${megabytes} MB  built in ${seconds} s`);

function option(name: string): string | undefined {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length);
}
