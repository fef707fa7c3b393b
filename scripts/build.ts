/** Builds `dist/weir`, or the file that is named: the whole gateway with its runtime in one file that needs nothing beside it. */

import { statSync } from 'node:fs';
import { join, relative } from 'node:path';

const project = join(import.meta.dir, '..');
const outfile = process.argv[2] ?? join(project, 'dist', process.platform === 'win32' ? 'weir.exe' : 'weir');
const startedMs = performance.now();

const result = await Bun.build({
  // A thread's file is an entry of its own, because nothing imports it.
  entrypoints: [
    join(import.meta.dir, 'executable-entry.ts'),
    join(project, 'src/store/sqlite-worker.ts'),
    join(project, 'src/ledger/count-tokens-worker.ts'),
    join(project, 'src/providers/sandbox/sound/sound-worker.ts'),
    join(project, 'src/providers/sandbox/pictures/picture-worker.ts'),
    join(project, 'src/providers/sandbox/video/film-worker.ts'),
  ],
  // Threads are found by their path under this folder.
  root: join(project, 'src'),
  target: 'bun',
  format: 'esm',
  minify: { whitespace: true, syntax: true },
  sourcemap: 'none',
  bytecode: true,
  throw: false,
  compile: {
    outfile,
    // A foreign folder's bunfig.toml could name code to load first.
    autoloadBunfig: false,
  },
});

for (const message of result.logs) console.error(message);
if (!result.success) process.exit(1);
const megabytes = (statSync(outfile).size / 1_048_576).toFixed(1);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
console.log(`${relative(process.cwd(), outfile)}  ${megabytes} MB  built in ${seconds} s`);
