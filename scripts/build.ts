/**
 * Builds `dist/weir`, or the named file: the whole gateway with its runtime in one self-contained file.
 * `--for-tests` adds the gallery of components and compresses the console less, which is quicker.
 * `--target=bun-linux-arm64 --runtime=FILE` builds for another platform with that platform's Bun, FILE.
 */

import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { waitForUpdate } from '@pydantic/genai-prices';
import type { BunPlugin } from 'bun';
import { writePack } from '../src/http/pages/console-pack.ts';
import { buildConsole } from './build-console.ts';

const project = join(import.meta.dir, '..');
const [named] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const forTests = process.argv.includes('--for-tests');
const outfile = named ?? join(project, 'dist', process.platform === 'win32' ? 'weir.exe' : 'weir');
const target = option('target') as Bun.Build.CompileTarget | undefined;
const runtime = option('runtime');
const startedMs = performance.now();

const pack = writePack(await buildConsole({ gallery: forTests, brotliQuality: forTests ? 9 : 11 }));

/** Replaces the module without a console by the built console, which has no path: a path would be part of the build. */
const embedConsole: BunPlugin = {
  name: 'embed-console',
  setup(build) {
    build.onLoad({ filter: /[\\/]embedded-console\.ts$/ }, () => ({
      loader: 'ts',
      contents: `import pack from 'weir:console.pack';\nexport const embeddedConsole: string | undefined = pack;\n`,
    }));
    build.onResolve({ filter: /^weir:console\.pack$/ }, () => ({ path: 'console.pack', namespace: 'weir' }));
    build.onLoad({ filter: /.*/, namespace: 'weir' }, () => ({ loader: 'file', contents: pack }));
  },
};

/** The same prices as text: an object literal of half a megabyte takes ten times as long to make as this takes to parse. */
const packPrices: BunPlugin = {
  name: 'pack-prices',
  setup(build) {
    build.onLoad({ filter: /[\\/]@pydantic[\\/]genai-prices[\\/].*\.js$/ }, async () => ({
      loader: 'js',
      contents: `const text = ${JSON.stringify(JSON.stringify(await waitForUpdate()))};
export const waitForUpdate = async () => JSON.parse(text);\n`,
    }));
  },
};

const result = await Bun.build({
  // A worker's file is an entry point of its own, because nothing imports it.
  entrypoints: [
    join(import.meta.dir, 'executable-entry.ts'),
    join(project, 'src/store/engines/sqlite-worker.ts'),
    join(project, 'src/ledger/count-tokens-worker.ts'),
    join(project, 'src/prices/tables/table-worker.ts'),
    join(project, 'src/audio/encode-worker.ts'),
    join(project, 'src/sandbox/speech/speech-worker.ts'),
    join(project, 'src/sandbox/images/image-worker.ts'),
    join(project, 'src/sandbox/video/video-worker.ts'),
  ],
  // Workers are found by their path below this folder.
  root: join(project, 'src'),
  plugins: [embedConsole, packPrices],
  target: 'bun',
  format: 'esm',
  minify: { whitespace: true, syntax: true },
  sourcemap: 'none',
  bytecode: true,
  throw: false,
  compile: {
    outfile,
    ...(target !== undefined && { target }),
    ...(runtime !== undefined && { executablePath: runtime }),
    // The bunfig.toml of a foreign working directory could preload code.
    autoloadBunfig: false,
  },
});

for (const message of result.logs) console.error(message);
if (!result.success) process.exit(1);
const megabytes = (statSync(outfile).size / 1_048_576).toFixed(1);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
console.log(`${relative(process.cwd(), outfile)}  ${megabytes} MB  built in ${seconds} s`);

function option(name: string): string | undefined {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length);
}
